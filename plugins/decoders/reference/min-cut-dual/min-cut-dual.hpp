// SPDX-License-Identifier: MIT
#pragma once
// The decoder `min-cut-dual`: a cardinality by its Lagrangian, as in the paper. For every mu
//   q(mu) = max_S f(S) - mu (|S| - k),   f(S) = u'c - u'Au,
// is a bound, found by one minimum cut with g = 2c - mu; the larger mu, the fewer labels. Bisection on mu.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <concord/kit/cut_mixture.hpp>
#include <concord/kit/workspaces.hpp>
#include <concord/plugin.hpp>

namespace concord::min_cut_dual {

class MinCutDual {
 public:
  struct Options {
    double tol = 1e-9;
  };
  static auto options() {
    return OptionList<Options>{opt("tol", &Options::tol, 1e-9)
                                   .range(1e-12, 1)
                                   .help("relative gap between bound and value at which to stop")};
  }
  static Capabilities capabilities() {
    return {.prior = CONCORD_PRIOR_ATTRACTIVE,
            .constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_UNIT_DIAGONAL,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_REENTRANT | CONCORD_REFERENCE};
  }

  explicit MinCutDual(const Options& options) : options_(options) {}

  static int64_t max_rank(int64_t) { return 2; }

  void prepare(const Prior& prior) {
    objective_.emplace(prior.dense());
    graph_.emplace(objective_->A());
    couplings_ = -4 * objective_->A().colwise().sum().transpose();
  }

  void solve(const Request& request, const Result& result, const Env& env) const {
    const auto scratch = scratch_.borrow();
    Interruption stop(env);
    const Vector c = request.c();
    if (request.row_count() > 0) {
      const auto k = kit::k_of(request.labels(), request.row(0).beta);
      if (!k) return result.fail(CONCORD_INFEASIBLE, "no labelling has this number of positive labels");
      return bisect(c, *k, *scratch, stop, result);
    }
    Vector u = kit::sign(c);  // the best so far
    if (const auto cut = minimum_cut(c, *scratch, stop)) u = *cut;
    const double value = (*objective_)(c, u);
    result.u() = u;
    result.finish(stop.status().value_or(CONCORD_OPTIMAL), value,
                  stop.status() ? std::numeric_limits<double>::quiet_NaN() : value);
  }

 private:
  struct Scratch {
    kit::MinCut cut;
    std::vector<uint8_t> z;
  };

  std::optional<Vector> minimum_cut(const Vector& c, Scratch& scratch, Interruption& stop) const {
    if (!scratch.cut.solve(*graph_, c, scratch.z, stop)) return std::nullopt;
    return Eigen::Map<const Eigen::Array<uint8_t, Eigen::Dynamic, 1>>(scratch.z.data(), c.size())
                   .cast<double>() *
               2 -
           1;
  }

  void bisect(const Vector& c, int64_t k, Scratch& scratch, Interruption& stop, const Result& result) const {
    const int64_t V = c.size();
    // At `high` no label is worth its price, below `low` all are.
    double low = (2 * c - couplings_).minCoeff();
    double high = (2 * c + couplings_).maxCoeff();
    Vector smaller = Vector::Constant(V, -1);
    Vector larger = Vector::Ones(V);
    double bound = std::numeric_limits<double>::infinity();
    if (k == 0 || k == V) return finish(kit::CutMixture(k == 0 ? smaller : larger), c, result);
    kit::CutMixture mixture(smaller, larger, k);
    const double rounding =
        16 * std::numeric_limits<double>::epsilon() * (c.cwiseAbs().sum() + couplings_.sum());
    for (double mu = low + (high - low) / 2;; mu = low + (high - low) / 2) {
      const auto u = minimum_cut(c.array() - mu / 2, scratch, stop);
      if (!u) break;
      const int64_t size = (u->array() > 0).count();
      if (size == k) return finish(kit::CutMixture(*u), c, result);
      bound = std::min(bound, (*objective_)(c, *u) - mu * static_cast<double>(size - k));
      const bool ended = mu == low || mu == high;
      (size > k ? larger : smaller) = *u;
      (size > k ? low : high) = mu;
      mixture = kit::CutMixture(smaller, larger, k);
      if (ended ||
          bound - mixture.value(*objective_, c) <= std::max(options_.tol * std::abs(bound), rounding))
        break;
    }
    const Matrix F = mixture.factor();
    result.factor(F.cols()) = F;
    const double value = mixture.value(*objective_, c);
    result.message(mixture.text());
    result.finish(stop.status().value_or(CONCORD_RELAXED), value,
                  std::isfinite(bound) ? std::max(bound, value) : std::numeric_limits<double>::quiet_NaN());
  }

  void finish(const kit::CutMixture& labelling, const Vector& c, const Result& result) const {
    result.u() = labelling.factor();
    result.message(labelling.text());
    const double value = labelling.value(*objective_, c);
    result.finish(CONCORD_OPTIMAL, value, value);
  }

  Options options_;
  std::optional<kit::CutObjective> objective_;
  std::optional<kit::CutGraph> graph_;
  Vector couplings_;  ///< 4 sum_j |A_vj|
  mutable kit::Workspaces<Scratch> scratch_;
};

}  // namespace concord::min_cut_dual
