// SPDX-License-Identifier: MIT
#pragma once
// The decoder `sdp-mixing`: the semidefinite relaxation by coordinate ascent on its low-rank factor, to a
// certified gap (kit/mixing.hpp). A large and sparse A stays sparse (kit/sparse_mixing.hpp); any other is dense.
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/lapack_cholesky.hpp>
#include <concord/kit/mixing.hpp>
#include <concord/kit/sparse_mixing.hpp>
#include <concord/plugin.hpp>

namespace concord::sdp_mixing {

class SdpMixing {
 public:
  struct Options {
    double tol = 1e-3;
    std::string cardinality = "lifted";
    bool warm = true;
    int64_t max_sweeps = 100000;
  };
  static auto options() {
    return OptionList<Options>{
        opt("tol", &Options::tol, 1e-3)
            .range(1e-10, 0.5)
            .help("certified relative gap at which a solve ends"),
        opt("cardinality", &Options::cardinality, "lifted")
            .choices({"lifted", "row"})
            .help("form of 1'u = 2k - V: lifted (U1 = beta u too), or the weaker row of the paper"),
        opt("warm", &Options::warm, true)
            .help("start an instance from its last factor, which the host keeps: about 3 V^1.5 bytes each"),
        opt("max_sweeps", &Options::max_sweeps, 100000)
            .range(1, 1e9)
            .help("sweeps after which a solve ends without the gap, with status limit")};
  }
  static Capabilities capabilities() {
    // Problems with next to no labellings are solved to the optimum.
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_UNIT_DIAGONAL,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_REENTRANT | CONCORD_AS_TIGHT_AS_SPECTRAL | CONCORD_WARM};
  }
  uint32_t flags() const noexcept {
    const uint32_t all = capabilities().flags;
    return form() == kit::CardinalityForm::row ? all & ~uint32_t{CONCORD_AS_TIGHT_AS_SPECTRAL} : all;
  }

  explicit SdpMixing(const Options& options) : options_(options) {}

  void prepare(const Prior& prior) {
    labels_ = prior.labels();
    once_ = std::make_unique<std::once_flag>();
    dense_.reset();
    is_sparse_ = prior.is_sparse() && stays_sparse(prior.sparse());
    if (is_sparse_) {
      sparse_ = prior.sparse();
      graph_ = kit::coupling_graph(sparse_);
    } else {
      dense_ = std::make_unique<Dense>(prior.is_sparse() ? Matrix(prior.sparse()) : Matrix(prior.dense()));
    }
  }
  int64_t max_rank(int64_t labels) const { return std::min(kit::MixingPrior::full_rank(labels), labels + 1); }
  size_t warm_size(int64_t labels) const {
    return options_.warm ? sizeof(float) * static_cast<size_t>(numbers(labels)) : 0;
  }

  void solve(const Request& request, const Result& result, const Env& env) const {
    const auto k = request.k();
    const bool by_dense = !is_sparse_ || k;
    if (by_dense)
      if (const auto best = kit::optimum_at_once(dense().A, request.c(), k)) {
        result.factor(1) = best->u;
        return result.finish(CONCORD_OPTIMAL, best->value, best->value);
      }
    Interruption interruption(env);
    const std::function<bool()> stop = std::ref(interruption);
    const kit::MixingOptions options{
        .tol = options_.tol, .max_sweeps = options_.max_sweeps, .definite = kit::fastest_definite};
    const kit::MixingAnswer answer =
        by_dense ? solve_dense(request, options, stop)
                 : kit::SparseMixingSolver(sparse_, graph_, request.c(), options, stop).solve();
    const Matrix F = kit::factor_of(answer.X);
    result.factor(F.cols()) = F;
    if (answer.certified) return result.finish(CONCORD_RELAXED, answer.value, answer.bound);
    if (!interruption.status())
      result.message("after " + std::to_string(answer.sweeps) +
                     " sweeps the gap is not the one asked for; raise " +
                     (answer.sweeps < options_.max_sweeps ? "tol" : "max_sweeps or tol"));
    result.finish(interruption.status().value_or(CONCORD_LIMIT), answer.value, answer.bound);
  }

 private:
  struct Dense {
    explicit Dense(Matrix matrix) : A(std::move(matrix)), prior(A) {}
    Matrix A;
    kit::MixingPrior prior;
  };

  /// Below so many labels, or above such a share of pairs, products of dense blocks are faster (measured).
  static bool stays_sparse(const Eigen::Map<const SparseMatrix>& A) {
    return A.rows() >= 300 && A.nonZeros() <= A.rows() * A.rows() / 8;
  }

  /// A cardinality couples all labels with each other: for it a sparse A becomes dense, when it is first asked for.
  const Dense& dense() const {
    constexpr int64_t most = 10'000;
    if (is_sparse_ && labels_ > most)
      throw Unsupported("with a cardinality it takes at most " + std::to_string(most) +
                        " labels, as A becomes dense, and this problem has " + std::to_string(labels_) +
                        "; tabu takes more");
    std::call_once(*once_, [&] {
      if (!dense_) dense_ = std::make_unique<Dense>(Matrix(sparse_));
    });
    return *dense_;
  }

  kit::MixingAnswer solve_dense(const Request& request, const kit::MixingOptions& options,
                                const std::function<bool()>& stop) const {
    kit::MixingStart start = read(request);
    const auto k = request.k();
    const double beta = k ? kit::beta_of(labels_, *k) : std::numeric_limits<double>::quiet_NaN();
    kit::MixingAnswer answer =
        kit::solve_mixing(dense().prior, request.c(), beta, form(), options, &start, stop);
    write(start, request);
    return answer;
  }

  kit::CardinalityForm form() const noexcept {
    return options_.cardinality == "row" ? kit::CardinalityForm::row : kit::CardinalityForm::lifted;
  }

  // A warm block holds 1 (zero: nothing yet), z and X, in single precision.
  static int64_t numbers(int64_t labels) { return 1 + kit::MixingPrior::first_rank(labels) * (labels + 2); }
  kit::MixingStart read(const Request& request) const {
    kit::MixingStart start;
    const auto block = request.warm(warm_size(labels_));
    if (block.empty()) return start;
    const auto* from = reinterpret_cast<const float*>(block.data());
    if (from[0] != 1) return start;
    const int64_t rank = kit::MixingPrior::first_rank(labels_);
    start.z = Eigen::Map<const Eigen::VectorXf>(from + 1, rank);
    start.X = Eigen::Map<const Eigen::MatrixXf>(from + 1 + rank, rank, labels_ + 1);
    return start;
  }
  void write(const kit::MixingStart& start, const Request& request) const {
    const auto block = request.warm(warm_size(labels_));
    if (block.empty() || start.X.size() == 0) return;
    auto* to = reinterpret_cast<float*>(block.data());
    to[0] = 1;
    std::copy(start.z.begin(), start.z.end(), to + 1);
    std::copy(start.X.data(), start.X.data() + start.X.size(), to + 1 + start.z.size());
  }

  Options options_;
  int64_t labels_ = 0;
  bool is_sparse_ = false;
  std::unique_ptr<std::once_flag> once_;
  mutable std::unique_ptr<Dense> dense_;
  SparseMatrix sparse_;
  kit::CouplingGraph graph_;  ///< of sparse_
};

}  // namespace concord::sdp_mixing
