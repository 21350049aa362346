// SPDX-License-Identifier: MIT
// The spectral family against the paper's way (LAPACK's nonsymmetric eigensolver) in one run. The decoders
// are called through the C tables that the host uses, with data of no structure: A_ij ~ N(0, 1/V), c_v ~ N(0,
// 1).
#include <array>
#include <memory>
#include <random>
#include <vector>

#include <concord/kit/conventions.hpp>

#include "harness.hpp"
#include "plugins/decoders/reference/spectral-qep/spectral-qep.hpp"
#include "plugins/decoders/spectral-tight/spectral-tight.hpp"
#include "plugins/decoders/spectral/spectral.hpp"

namespace {

using concord::Matrix;
using concord::Vector;
using Eigen::Index;

constexpr std::array<Index, 5> sizes{14, 53, 159, 374, 983};
constexpr std::array<Index, 2> tight_sizes{53, 159};
constexpr std::array<int64_t, 5> tight_steps{0, 5, 20, 50, 100};
constexpr Index batch = 64;

/// A prior, a batch of linear terms and truths with a tenth of the labels.
struct Data {
  Matrix A, C, Y;
  explicit Data(Index V) {
    std::mt19937_64 random(static_cast<uint64_t>(V));
    std::normal_distribution<double> normal;
    const auto draw = [&] { return normal(random); };
    A = Matrix::NullaryExpr(V, V, draw);
    A = (A + A.transpose()).eval() / std::sqrt(2.0 * static_cast<double>(V));
    A.diagonal().setZero();
    C = Matrix::NullaryExpr(V, batch, draw);
    Y.resize(V, batch);
    for (Index i = 0; i < batch; ++i)
      Y.col(i) = concord::kit::top_k(Vector::NullaryExpr(V, draw), std::max<Index>(1, V / 10));
  }
  concord_prior prior() const {
    return {sizeof(concord_prior), 0, A.rows(), A.data(), nullptr, nullptr, nullptr};
  }
};

const Data& data(Index V) {
  static std::map<Index, Data> all;
  return all.try_emplace(V, V).first->second;
}

/// A decoder prepared for data(V), with room for a batch of results.
template <class D>
class Bench {
 public:
  Bench(Index V, typename D::Options options)
      : data_(data(V)), decoder_(options), row_{sizeof(concord_row), 0, nullptr, 0} {
    row_.beta = concord::kit::beta_of(V, std::max<Index>(1, V / 5));
    const concord_prior prior = data_.prior();
    require(Thunks::prepare(&decoder_, &bench::quiet, &prior));
    int64_t rank = 1;
    if constexpr (requires(D & d) { d.max_rank(int64_t{}); }) rank = decoder_.max_rank(V);
    F_.resize(V * rank, batch);
    for (Index i = 0; i < batch; ++i) {
      concord_result result{};
      result.size = sizeof result;
      result.F = F_.col(i).data();
      result.F_columns = rank;
      results_.push_back(result);
      requests_.push_back({sizeof(concord_request), 0, V, data_.C.col(i).data(), &row_, 0, nullptr});
    }
  }

  void solve(Index count, bool cardinality = false) {
    for (concord_request& request : requests_) request.row_count = cardinality ? 1 : 0;
    require(Thunks::solve(&decoder_, &bench::quiet, requests_.data(), results_.data(),
                          static_cast<size_t>(count)));
  }
  void solve_families(const std::vector<concord_family>& families) {
    require(Thunks::solve_family(&decoder_, &bench::quiet, requests_.data(), families.data(), results_.data(),
                                 families.size()));
  }
  const concord_result& result(size_t i) const { return results_[i]; }

 private:
  using Thunks = concord::sdk::DecoderThunks<D>;
  static void require(int32_t status) {
    if (status != CONCORD_OK) throw std::runtime_error("the decoder failed");
  }
  const Data& data_;
  D decoder_;
  concord_row row_;
  Matrix F_;
  std::vector<concord_request> requests_;
  std::vector<concord_result> results_;
};

/// The families of a batch: Hamming (one subproblem each) or F1 (V + 1).
struct Families {
  Matrix constants, t, beta;
  std::vector<concord_family> all;
  Families(Index V, bool f1) {
    const Data& d = data(V);
    const Index n = f1 ? V + 1 : 1;
    constants = Matrix::Constant(n, batch, 0.5);
    t = Matrix::Constant(n, batch, -0.5 / static_cast<double>(V));
    beta.resize(n, batch);
    for (Index i = 0; i < batch; ++i) {
      for (Index k = 0; f1 && k <= V; ++k) {
        beta(k, i) = concord::kit::beta_of(V, k);
        t(k, i) = -1 / (static_cast<double>(V + 2 * k) + d.Y.col(i).sum());
        constants(k, i) = -static_cast<double>(V) * t(k, i);
      }
      all.push_back({sizeof(concord_family), 0, V, n, 1, f1 ? 1 : 0, const_cast<double*>(d.Y.col(i).data()),
                     constants.col(i).data(), t.col(i).data(), nullptr, beta.col(i).data()});
    }
  }
};

template <class F>
void add(const std::string& name, Index items, bool once, F&& body) {
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) mutable {
    body(state);
    state.counters["items"] = static_cast<double>(items);
  });
  registered->Unit(benchmark::kMicrosecond)->Repetitions(once ? 3 : 7)->ReportAggregatesOnly();
  if (once) {
    registered->Iterations(1);
  } else {
    registered->MinTime(0.1);
  }
}

void add_decodes(Index V) {
  const auto name = [V](const char* what) { return fmt::format("{}/{}", what, V); };
  const bool slow = V > 200;
  // The eigenvalues of S alone: the part of the paper's way that cannot be shared between instances.
  add(name("dgeev"), 1, slow, [V](benchmark::State& state) {
    for (auto _ : state)
      benchmark::DoNotOptimize(concord::spectral_qep::smallest_real_part(data(V).A, data(V).C.col(0),
                                                                         std::sqrt(static_cast<double>(V))));
  });
  for (const bool lapack : {false, true})
    add(name(lapack ? "dsyevd" : "eigen"), 1, slow, [V, lapack](benchmark::State& state) {
      for (auto _ : state) {
        Matrix M = data(V).A;
        Vector values;
        lapack ? concord::kit::lapack_symmetric(M, values) : concord::kit::eigen_symmetric(M, values);
        benchmark::DoNotOptimize(M.data());
      }
    });
  // What starting from the last factorisation would cost: decompose Q'A'Q for a slightly different A'.
  add(name("restarted"), 1, slow, [V](benchmark::State& state) {
    Matrix Q = data(V).A;
    Vector values;
    concord::kit::lapack_symmetric(Q, values);
    const Matrix changed = data(V).A + 0.01 / batch * data(V).Y * data(V).Y.transpose();
    for (auto _ : state) {
      Matrix half(V, V);
      Matrix rotated(V, V);
      concord::kit::blas_product(Q, true, changed, half);
      concord::kit::blas_product(half, false, Q, rotated);
      concord::kit::lapack_symmetric(rotated, values);
      concord::kit::blas_product(Q, false, rotated, half);
      benchmark::DoNotOptimize(half.data());
    }
  });
  const auto decode = [V](Index count, bool cardinality) {
    return [=](benchmark::State& state) {
      Bench<concord::spectral::Spectral> decoder(V, {true});
      decoder.solve(count, cardinality);
      for (auto _ : state) decoder.solve(count, cardinality);
    };
  };
  add(name("one"), 1, false, decode(1, false));
  add(name("batch"), batch, false, decode(batch, false));
  add(name("cardinality"), batch, false, decode(batch, true));
  const auto augmented = [V](bool f1, bool prune) {
    return [=](benchmark::State& state) {
      const Families families(V, f1);
      Bench<concord::spectral::Spectral> decoder(V, {prune});
      decoder.solve_families(families.all);
      for (auto _ : state) decoder.solve_families(families.all);
      double solved = 0;
      for (size_t i = 0; i < batch; ++i) solved += static_cast<double>(decoder.result(i).solved);
      state.counters["solved"] = solved / batch;
    };
  };
  add(name("hamming"), batch, false, augmented(false, true));
  add(name("f1"), batch, false, augmented(true, true));
  add(name("f1-unpruned"), batch, slow, augmented(true, false));
}

void add_tight(Index V, int64_t steps) {
  add(fmt::format("tight/{}/{}", V, steps), 1, false, [=](benchmark::State& state) {
    Bench<concord::spectral_tight::SpectralTight> decoder(V, {steps, 1e-6});
    decoder.solve(1);
    for (auto _ : state) decoder.solve(1);
    state.counters["bound"] = decoder.result(0).bound;
    state.counters["value"] = decoder.result(0).value;
  });
}

std::string table(const bench::Times& times) {
  std::string out =
      "# The spectral decoders, measured\n\n"
      "Written by `scripts/bench spectral`. Microseconds per decode; `batch`, `k`, `Hamming` and `F1` are "
      "per instance in\n"
      "batches of 64 through the plugin's C table, after the eigendecomposition of the prior. `dgeev` is the "
      "nonsymmetric\n"
      "eigenproblem of order 2V that the paper solves for every decode; `×` is its time divided by that of "
      "`batch`.\n\n"
      "| V | dgeev | batch | × | one | k | Hamming | F1, all k | solved | / Hamming | F1 unpruned | / "
      "Hamming |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  const auto us = [&](const char* what, Index V) {
    return 1e6 * times.seconds(fmt::format("{}/{}", what, V));
  };
  for (const Index V : sizes)
    out += fmt::format(
        "| {} | {:.0f} | {:.3g} | {:.0f} | {:.3g} | {:.3g} | {:.3g} | {:.3g} | {:.1f} of {} | {:.1f} | "
        "{:.4g} | {:.0f} |\n",
        V, us("dgeev", V), us("batch", V), us("dgeev", V) / us("batch", V), us("one", V),
        us("cardinality", V), us("hamming", V), us("f1", V), times.counter(fmt::format("f1/{}", V), "solved"),
        V + 1, us("f1", V) / us("hamming", V), us("f1-unpruned", V), us("f1-unpruned", V) / us("hamming", V));
  out +=
      "\nThe symmetric eigendecomposition, once per prior, in milliseconds. `restarted` is dsyevd on the new "
      "prior\nin the eigenbasis of the old one: slower, so every prior is decomposed afresh.\n\n"
      "| V | Eigen | dsyevd | restarted |\n|---|---|---|---|\n";
  for (const Index V : sizes)
    out += fmt::format("| {} | {:.3g} | {:.3g} | {:.3g} |\n", V, us("eigen", V) / 1e3, us("dsyevd", V) / 1e3,
                       us("restarted", V) / 1e3);
  out +=
      "\n`spectral-tight`, bound against time for one problem (100 % is the bound of `spectral`; the value "
      "is that of the\n"
      "returned point, so the semidefinite optimum lies between the two):\n\n| V | steps | ms | bound | "
      "value |\n|---|---|---|---|---|\n";
  for (const Index V : tight_sizes) {
    const double spectral = times.counter(fmt::format("tight/{}/0", V), "bound");
    for (const int64_t steps : tight_steps) {
      const std::string name = fmt::format("tight/{}/{}", V, steps);
      out += fmt::format("| {} | {} | {:.3g} | {:.2f} % | {:.2f} % |\n", V, steps, 1e3 * times.seconds(name),
                         100 * times.counter(name, "bound") / spectral,
                         100 * times.counter(name, "value") / spectral);
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Index V : sizes) add_decodes(V);
  for (const Index V : tight_sizes)
    for (const int64_t steps : tight_steps) add_tight(V, steps);
  return bench::run(argc, argv, table);
}
