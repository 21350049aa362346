// SPDX-License-Identifier: MIT
// Cuts against LEMON's Preflow in one run, how loose the relaxed cardinality is, and training with it. Data
// without structure: A_ij = -|N(0, 1)| / V, c_v ~ scale N(0, 1), from labels that all agree to labels on their
// own.
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <lemon/preflow.h>
#include <lemon/static_graph.h>
#include <numeric>
#include <vector>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/rng.hpp>
#include <concord/kit/spectral.hpp>
#include <concord/kit/tv_prox.hpp>

#include "data/files.hpp"
#include "harness.hpp"
#include "model/model.hpp"
#include "named_plugins.hpp"
#include "plugins/decoders/min-cut/min-cut.hpp"
#include "plugins/decoders/tv-prox/tv-prox.hpp"
#include "problem/random.hpp"
#include "train/fit.hpp"

namespace {

namespace fs = std::filesystem;
namespace kit = concord::kit;
using concord::Matrix;
using concord::Vector;
using Eigen::Index;

constexpr std::array<Index, 5> sizes{14, 53, 159, 374, 983};
constexpr std::array<double, 4> scales{0.1, 0.3, 1, 3};
constexpr Index instances = 8;
constexpr auto never = [] { return false; };

Matrix attractive(kit::Rng& rng, Index V) {
  return concord::random_prior(V, concord::PriorSign::attractive,
                               [&] { return rng.normal() / static_cast<double>(V); });
}

/// A prior and some linear terms of scale 1.
struct Data {
  Matrix A, C;
  explicit Data(Index V) {
    kit::Rng rng(static_cast<uint64_t>(V));
    A = attractive(rng, V);
    C = Matrix::NullaryExpr(V, instances, [&] { return rng.normal(); });
  }
};

const Data& data(Index V) {
  static std::map<Index, Data> all;
  return all.try_emplace(V, V).first->second;
}

/// What a user of LEMON does for one c: lists the arcs, builds the graph, runs Preflow up to the minimum cut.
size_t lemon_cut(const kit::CutGraph& weights, const std::vector<int64_t>& g) {
  using Graph = lemon::StaticDigraph;
  const auto V = static_cast<int>(weights.labels());
  std::vector<std::pair<int, int>> arcs;
  std::vector<int64_t> capacities;
  const auto add = [&](int from, int to, int64_t capacity) {
    arcs.emplace_back(from, to);
    capacities.push_back(capacity);
  };
  for (int v = 0; v < V; ++v) {
    const int64_t* W = weights.row(static_cast<size_t>(v));
    for (int j = 0; j < V; ++j)
      if (W[j] > 0) add(v, j, W[j]);
    if (g[static_cast<size_t>(v)] < 0) add(v, V + 1, -g[static_cast<size_t>(v)]);
  }
  for (int v = 0; v < V; ++v)
    if (g[static_cast<size_t>(v)] > 0) add(V, v, g[static_cast<size_t>(v)]);
  Graph graph;
  graph.build(V + 2, arcs.begin(), arcs.end());
  Graph::ArcMap<int64_t> capacity(graph);
  for (size_t a = 0; a < capacities.size(); ++a) capacity[graph.arc(static_cast<int>(a))] = capacities[a];
  lemon::Preflow<Graph, Graph::ArcMap<int64_t>> flow(graph, capacity, Graph::node(V), Graph::node(V + 1));
  flow.runMinCut();
  size_t positive = 0;
  for (int v = 0; v < V; ++v) positive += flow.minCut(Graph::node(v)) ? 1 : 0;
  return positive;
}

/// `min-cut` through its C table, prepared for data(V).
class Decoder {
 public:
  Decoder(Index V, double scale, const char* engine)
      : decoder_({engine}), C_(scale * data(V).C), F_(V, instances) {
    const concord_prior prior{sizeof(concord_prior), 0, V, data(V).A.data(), nullptr, nullptr, nullptr};
    if (Thunks::prepare(&decoder_, &bench::quiet, &prior) != CONCORD_OK)
      throw std::runtime_error("prepare failed");
    for (Index i = 0; i < instances; ++i) {
      requests_.push_back({sizeof(concord_request), 0, V, C_.col(i).data(), nullptr, 0, nullptr});
      concord_result result{};
      result.size = sizeof result;
      result.F = F_.col(i).data();
      result.F_columns = 1;
      results_.push_back(result);
    }
  }
  void solve() {
    if (Thunks::solve(&decoder_, &bench::quiet, requests_.data(), results_.data(), instances) != CONCORD_OK)
      throw std::runtime_error("solve failed");
  }

 private:
  using Thunks = concord::sdk::DecoderThunks<concord::min_cut::MinCut>;
  concord::min_cut::MinCut decoder_;
  Matrix C_, F_;
  std::vector<concord_request> requests_;
  std::vector<concord_result> results_;
};

template <class Body>
void add(const std::string& name, Index items, bool once, Body&& body) {
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) mutable {
    body(state);
    state.counters["items"] = static_cast<double>(items);
  });
  registered->Unit(benchmark::kMicrosecond)->Repetitions(5)->ReportAggregatesOnly();
  if (once) {
    registered->Iterations(1);
  } else {
    registered->MinTime(0.05);
  }
}

std::string name_of(const char* what, Index V, double scale) {
  return fmt::format("{}/{}/{}", what, V, scale);
}

void add_cuts(Index V, double scale) {
  add(name_of("lemon", V, scale), instances, V > 200, [=](benchmark::State& state) {
    const kit::CutGraph graph(data(V).A);
    std::vector<std::vector<int64_t>> g(instances);
    for (Index i = 0; i < instances; ++i)
      graph.terminals(scale * data(V).C.col(i), g[static_cast<size_t>(i)]);
    for (auto _ : state)
      for (const auto& terminals : g) benchmark::DoNotOptimize(lemon_cut(graph, terminals));
  });
  for (const char* engine : {"dense", "lemon"})
    add(name_of(fmt::format("engine-{}", engine).c_str(), V, scale), instances, false,
        [=](benchmark::State& state) {
          Decoder decoder(V, scale, engine);
          decoder.solve();
          for (auto _ : state) decoder.solve();
        });
  add(name_of("prox", V, scale), instances, false, [=](benchmark::State& state) {
    const kit::CutGraph graph(data(V).A);
    kit::TvProx prox;
    kit::LevelSets sets;
    double levels = 0;
    const auto all = [&] {
      levels = 0;
      for (Index i = 0; i < instances; ++i) {
        prox.solve(graph, scale * data(V).C.col(i), std::nullopt, sets, never);
        levels += static_cast<double>(sets.levels.size());
      }
    };
    all();
    for (auto _ : state) all();
    state.counters["levels"] = levels / instances;
  });
}

void add_prepare(Index V) {
  add(name_of("graph", V, 0), 1, false, [=](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(kit::CutGraph(data(V).A).sum(0));
  });
}

// ---- training

struct Subject {
  std::string name;
  concord::Scale scale;
  double bias, lambda_w, lambda_a;
  int64_t batch;
};
const std::array<Subject, 4> subjects{{
    {"yeast", concord::Scale::none, 3, 0.1, 0.1, 10},
    {"enron", concord::Scale::l2, 10, 0.01, 1, 10},
    {"medical", concord::Scale::none, 3, 0.1, 0.3, 10},
    {"bibtex", concord::Scale::l2, 3, 0.003, 0.3, 25},
}};
struct Training {
  const char* decoder;
  const char* loss;
};
constexpr std::array<Training, 4> trainings{
    {{"tv-prox", "f-beta"}, {"submodular-greedy", "f-beta"}, {"spectral", "f-beta"}, {"min-cut", "hamming"}}};

std::string epoch_name(const Subject& subject, const Training& training) {
  return fmt::format("epoch/{}/{}", subject.name, training.decoder);
}

/// The second epoch of block-coordinate Frank-Wolfe with an attractive prior; the first begins with A = 0.
void add_epoch(const Subject& subject, const Training& training) {
  const auto body = [=](benchmark::State& state) {
    const char* folder = std::getenv("CONCORD_DATA");
    const fs::path file = fs::path(folder != nullptr ? folder : CONCORD_BENCH_DATA) / subject.name /
                          (subject.name + "-train.arff");
    const concord::Dataset all = concord::read_dataset({file, {}});
    const concord::Features X =
        concord::Preprocessor::fit({.scale = subject.scale, .bias = subject.bias}, all.X, 1).apply(all.X);
    concord::TrainPlan plan;
    plan.settings.method = concord::Method::bcfw;
    plan.settings.lambda_w = subject.lambda_w;
    plan.settings.lambda_a = subject.lambda_a;
    plan.settings.batch = subject.batch;
    plan.decoder = bench::chosen(CONCORD_DECODER, training.decoder);
    plan.loss = bench::chosen(CONCORD_LOSS, training.loss);
    plan.prior = concord::PriorSign::attractive;
    plan.diagonal = false;
    concord::ThreadPool pool(1);
    const auto fit = concord::make_fit(plan, {X, all.Y}, 1, pool, {});
    fit->epoch();
    for (auto _ : state) fit->epoch();
    state.counters["instances"] = static_cast<double>(all.Y.cols());
    state.counters["labels"] = static_cast<double>(all.Y.rows());
  };
  benchmark::RegisterBenchmark(epoch_name(subject, training).c_str(), body)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(1);
}

// ---- looseness

/// tv-prox, spectral and enumeration for every k but 0 and V of random problems with 12 labels.
struct Looseness {
  int64_t problems = 0, hit = 0, above_spectral = 0;
  double gap = 0, worst = 0, spectral_gap = 0;  ///< relative to sum |c| + sum |A|

  explicit Looseness(double scale) {
    constexpr Index V = 12;
    kit::Rng rng(12);
    kit::TvProx prox;
    kit::LevelSets sets;
    std::vector<double> values;
    for (int trial = 0; trial < 300; ++trial) {
      const Matrix A = attractive(rng, V);
      const Vector c = Vector::NullaryExpr(V, [&] { return scale * rng.normal(); });
      const kit::CutGraph graph(A);
      const kit::CutObjective objective(A);
      const kit::SpectralFactors factors(A, kit::eigen_algebra());
      prox.solve(graph, c, std::nullopt, sets, never);
      const double size = kit::magnitude(A, c);
      for (Index k = 1; k < V; ++k) {
        const kit::CutMixture relaxed = kit::CutMixture::at(sets, static_cast<size_t>(k));
        const double value = relaxed.value(objective, c);
        const double exact = kit::enumerate(A, c, k, never).value;
        Vector u(V);
        const kit::SpectralProblem problem{c.data(), kit::beta_of(V, k)};
        kit::SpectralAnswer spectral{u.data(), 0, 0};
        kit::solve_spectral(factors, {&problem, 1}, {&spectral, 1});
        ++problems;
        hit += relaxed.is_labelling() ? 1 : 0;
        above_spectral += value > spectral.value + 1e-9 * size ? 1 : 0;
        gap += (value - exact) / size;
        worst = std::max(worst, (value - exact) / size);
        spectral_gap += (spectral.value - exact) / size;
      }
    }
  }
  std::string row(double scale) const {
    const auto n = static_cast<double>(problems);
    return fmt::format("| {} | {:.1f} % | {:.1f} % | {:.2f} % | {:.2f} % | {:.2f} % |\n", scale,
                       100 * static_cast<double>(hit) / n, 100 * static_cast<double>(above_spectral) / n,
                       100 * gap / n, 100 * worst, 100 * spectral_gap / n);
  }
};

std::string table(const bench::Times& times) {
  const auto us = [&](const char* what, Index V, double scale) {
    return 1e6 * times.seconds(name_of(what, V, scale));
  };
  std::string out =
      "# Cuts, measured\n\n"
      "Written by `scripts/bench cuts`. Microseconds for one c, over 8 of them, for the prior A_ij = -|N(0, "
      "1)|/V "
      "and\nc = scale N(0, 1): at the smallest scale all labels agree, at the largest they are on their own. "
      "`LEMON` lists the\narcs, builds a StaticDigraph and runs Preflow up to the minimum cut; `min-cut` is "
      "the "
      "plugin behind its C table, its\ngraph made once for all c (`graph`), the objective recomputed; "
      "`engine "
      "lemon` is that with LEMON's Preflow on the\ngraph that it keeps. `tv-prox` finds all breakpoints.\n\n"
      "| V | scale | LEMON | min-cut | × | engine lemon | graph | tv-prox | levels | / LEMON |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  std::string means =
      "\nThe geometric mean over the scales, and the worst of them. Wanted: LEMON / min-cut at least 6, 10, "
      "12, "
      "25 at\nV = 53, 159, 374, 983; tv-prox / LEMON below 1, 0.5, 0.25 at V = 159, 374, 983.\n\n"
      "| V | LEMON / min-cut | minimum | tv-prox / LEMON | maximum |\n|---|---|---|---|---|\n";
  for (const Index V : sizes) {
    double faster = 0, least = std::numeric_limits<double>::infinity(), share = 0, most = 0;
    for (const double scale : scales) {
      const double ratio = us("lemon", V, scale) / us("engine-dense", V, scale);
      const double cost = us("prox", V, scale) / us("lemon", V, scale);
      out += fmt::format(
          "| {} | {} | {:.4g} | {:.3g} | {:.1f} | {:.4g} | {:.3g} | {:.4g} | {:.1f} | {:.3f} |\n", V, scale,
          us("lemon", V, scale), us("engine-dense", V, scale), ratio, us("engine-lemon", V, scale),
          us("graph", V, 0), us("prox", V, scale), times.counter(name_of("prox", V, scale), "levels"), cost);
      faster += std::log(ratio) / scales.size();
      share += std::log(cost) / scales.size();
      least = std::min(least, ratio);
      most = std::max(most, cost);
    }
    means += fmt::format("| {} | {:.1f} | {:.1f} | {:.3f} | {:.3f} |\n", V, std::exp(faster), least,
                         std::exp(share), most);
  }
  out += means;
  out +=
      "\n## How loose the relaxed cardinality is\n\n"
      "Every k from 1 to V - 1 of 300 problems with V = 12 of the same kind. `hit`: a level set has k "
      "labels, and "
      "the answer is\noptimal. `above spectral`: the value of tv-prox is above that of the sphere "
      "relaxation. The "
      "gaps are value minus optimum\nin per cent of Σ|c| + Σ|A|.\n\n"
      "| scale | hit | above spectral | mean gap | largest gap | mean gap of spectral "
      "|\n|---|---|---|---|---|---|\n";
  for (const double scale : scales) out += Looseness(scale).row(scale);
  out +=
      "\n## An epoch\n\n"
      "CPU seconds of the second epoch of block-coordinate Frank-Wolfe with an attractive prior: the F1 "
      "loss, with "
      "`min-cut`\nthe Hamming loss. Wanted: tv-prox on enron below 30 s.\n\n"
      "| data | N | V | batch | tv-prox | submodular-greedy | spectral | min-cut "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const Subject& subject : subjects) {
    const std::string first = epoch_name(subject, trainings[0]);
    out += fmt::format("| {} | {:.0f} | {:.0f} | {} |", subject.name, times.counter(first, "instances"),
                       times.counter(first, "labels"), subject.batch);
    for (const Training& training : trainings)
      out += fmt::format(" {:.3g} |", times.seconds(epoch_name(subject, training)));
    out += '\n';
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Index V : sizes) {
    for (const double scale : scales) add_cuts(V, scale);
    add_prepare(V);
  }
  for (const Subject& subject : subjects)
    for (const Training& training : trainings) add_epoch(subject, training);
  return bench::run(argc, argv, table);
}
