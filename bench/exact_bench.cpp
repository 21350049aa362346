// SPDX-License-Identifier: MIT
// Branch and bound, and tabu search against plain local search, on problems without structure: A_ij ~ N(0, 1),
// c_v ~ N(0, s^2). With s = 1 the scores are negligible, which is the hardest case.
#include <algorithm>
#include <array>
#include <vector>

#include <concord/kit/branch_and_bound.hpp>

#include "harness.hpp"

namespace {

using namespace concord::kit;

constexpr int dense_problems = 20;
constexpr Index dense_labels = 53;
constexpr int heuristic_problems = 40;
constexpr Index heuristic_labels = 159;
constexpr int matched_problems = 300;

const auto never = [] { return false; };

struct Gaussian {
  Matrix A;
  Vector c;
  Gaussian(Index V, double scores, uint64_t seed) : A(Matrix::Zero(V, V)), c(V) {
    Rng rng(derive(53, seed));
    for (Index v = 0; v < V; ++v) {
      c[v] = scores * rng.normal();
      for (Index w = 0; w < v; ++w) A(v, w) = A(w, v) = rng.normal();
    }
  }
  Vector start(std::optional<Index> k) const { return k ? top_k(c, *k) : sign(c); }
  TabuSearch tabu(std::optional<Index> k, int64_t moves, uint64_t seed) const {
    return tabu_search(A, c, start(k), k ? Move::swap : Move::flip, moves, seed, never);
  }
};

template <class Body>
void add(const std::string& name, int items, Body&& body) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 body(state);
                                 state.counters["items"] = items;
                               })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

std::string dense_name(int i, bool cardinality) {
  return fmt::format("exact{}/{}", cardinality ? "-k" : "", i);
}

void add_dense(int i, bool cardinality) {
  add(dense_name(i, cardinality), 1, [=](benchmark::State& state) {
    const Gaussian p(dense_labels, 1, static_cast<uint64_t>(i));
    const std::optional<Index> k = cardinality ? std::optional<Index>(dense_labels / 3) : std::nullopt;
    Exact found;
    for (auto _ : state) found = branch_and_bound(p.A, p.c, k, {100'000}, never);
    state.counters["proven"] = found.proven ? 1 : 0;
    state.counters["nodes"] = static_cast<double>(found.nodes);
  });
}

struct Kind {
  const char* name;
  double scores;
  bool cardinality;
};
const std::array<Kind, 4> kinds{{{"s = 1", 1, false},
                                 {"s = sqrt(V)", 12.6, false},
                                 {"s = 1, k = V/3", 1, true},
                                 {"s = sqrt(V), k = V/3", 12.6, true}}};

/// The best of eight long searches.
double best_known(size_t kind, int i) {
  static std::map<std::pair<size_t, int>, double> all;
  const auto [at, fresh] = all.try_emplace({kind, i}, 0);
  if (!fresh) return at->second;
  const Gaussian p(heuristic_labels, kinds[kind].scores, static_cast<uint64_t>(i));
  const auto k = kinds[kind].cardinality ? std::optional<Index>(heuristic_labels / 3) : std::nullopt;
  at->second = -std::numeric_limits<double>::infinity();
  for (uint64_t seed = 0; seed < 8; ++seed)
    at->second = std::max(at->second, p.tabu(k, 60'000, 1000 + seed).value);
  return at->second;
}

/// How far below the best known a search ends, on average and at worst, and how often it gets there.
template <class Search>
void add_heuristic(const std::string& name, size_t kind, Search&& search) {
  add(fmt::format("{}/{}", name, kind), heuristic_problems, [=](benchmark::State& state) {
    std::vector<Gaussian> problems;
    for (int i = 0; i < heuristic_problems; ++i) {
      problems.emplace_back(heuristic_labels, kinds[kind].scores, static_cast<uint64_t>(i));
      best_known(kind, i);
    }
    const auto k = kinds[kind].cardinality ? std::optional<Index>(heuristic_labels / 3) : std::nullopt;
    std::vector<double> values;
    for (auto _ : state)
      for (const Gaussian& p : problems) values.push_back(search(p, k));
    double mean = 0;
    double worst = 0;
    int reached = 0;
    for (int i = 0; i < heuristic_problems; ++i) {
      const double best = best_known(kind, i);
      const double gap = std::max(0.0, (best - values[static_cast<size_t>(i)]) / best);
      mean += gap / heuristic_problems;
      worst = std::max(worst, gap);
      reached += gap < 1e-9 ? 1 : 0;
    }
    state.counters["mean"] = mean;
    state.counters["worst"] = worst;
    state.counters["reached"] = reached;
  });
}

/// Problems of 15 to 44 labels, half of them with a cardinality, scores from weak to strong.
void add_matched() {
  add("matched", matched_problems, [](benchmark::State& state) {
    int proven = 0;
    int tabu = 0;
    int local = 0;
    for (auto _ : state) {
      for (int i = 0; i < matched_problems; ++i) {
        const Index V = 15 + i % 30;
        const Gaussian p(V, 1 << (i % 4), 1000 + static_cast<uint64_t>(i));
        const auto k = i % 2 == 0 ? std::nullopt : std::optional<Index>(V / 3);
        const Exact truth = branch_and_bound(p.A, p.c, k, {10'000}, never);
        if (!truth.proven) continue;
        ++proven;
        const auto reaches = [&](double value) {
          return value >= truth.value - 1e-9 * magnitude(p.A, p.c) ? 1 : 0;
        };
        tabu += reaches(p.tabu(k, usual_tabu_moves(V), 1).value);
        local +=
            reaches(local_search(p.A, p.c, p.start(k), k ? Move::swap : Move::flip, 1 << 30, never).value);
      }
    }
    state.counters["proven"] = proven;
    state.counters["tabu"] = tabu;
    state.counters["local"] = local;
  });
}

std::string table(const bench::Times& times) {
  std::string out =
      "# Exact decoding and tabu search, measured\n\n"
      "Written by `scripts/bench exact`. Problems without structure: A_ij ~ N(0, 1), c_v ~ N(0, s^2).\n\n"
      "`exact` on 20 seeded dense problems of 53 labels, s = 1:\n\n"
      "| | proven | median s | largest s | median nodes | largest nodes |\n|---|---|---|---|---|---|\n";
  for (const bool cardinality : {false, true}) {
    std::vector<double> seconds;
    std::vector<double> nodes;
    double proven = 0;
    for (int i = 0; i < dense_problems; ++i) {
      const std::string name = dense_name(i, cardinality);
      seconds.push_back(times.seconds(name));
      nodes.push_back(times.counter(name, "nodes"));
      proven += times.counter(name, "proven");
    }
    std::sort(seconds.begin(), seconds.end());
    std::sort(nodes.begin(), nodes.end());
    const auto median = [](const std::vector<double>& x) {
      return (x[x.size() / 2 - 1] + x[x.size() / 2]) / 2;
    };
    out += fmt::format("| {} | {} of {} | {:.2f} | {:.2f} | {:.0f} | {:.0f} |\n",
                       cardinality ? "k = 17" : "no cardinality", proven, dense_problems, median(seconds),
                       seconds.back(), median(nodes), nodes.back());
  }
  out += fmt::format(
      "\nTabu search with its default budget and local search from the same start (the labels of the scores "
      "alone), {} "
      "dense\nproblems of 159 labels. Best known: the best of eight searches that are ten times as long. "
      "Distances below it "
      "are relative.\n\n"
      "| problems | search | ms | mean distance | worst | best known reached |\n|---|---|---|---|---|---|\n",
      heuristic_problems);
  for (size_t kind = 0; kind < kinds.size(); ++kind)
    for (const char* search : {"tabu", "local"}) {
      const std::string name = fmt::format("{}/{}", search, kind);
      out += fmt::format("| {} | {} | {:.2f} | {:.1e} | {:.1e} | {} of {} |\n", kinds[kind].name, search,
                         1e3 * times.seconds(name), times.counter(name, "mean"), times.counter(name, "worst"),
                         times.counter(name, "reached"), heuristic_problems);
    }
  const double proven = times.counter("matched", "proven");
  out += fmt::format(
      "\nOf {} problems with 15 to 44 labels, s = 1, 2, 4, 8, half of them with a cardinality, `exact` "
      "proves {}; tabu search "
      "finds the\noptimum of {:.1f} % of those, local search of {:.1f} %.\n",
      matched_problems, proven, 100 * times.counter("matched", "tabu") / proven,
      100 * times.counter("matched", "local") / proven);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 0; i < dense_problems; ++i)
    for (const bool cardinality : {false, true}) add_dense(i, cardinality);
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    add_heuristic("tabu", kind, [](const Gaussian& p, std::optional<Index> k) {
      return p.tabu(k, usual_tabu_moves(heuristic_labels), 1).value;
    });
    add_heuristic("local", kind, [](const Gaussian& p, std::optional<Index> k) {
      return local_search(p.A, p.c, p.start(k), k ? Move::swap : Move::flip, 1 << 30, never).value;
    });
  }
  add_matched();
  return bench::run(argc, argv, table);
}
