// SPDX-License-Identifier: MIT
#pragma once
// The decoder `submodular-greedy`: loss-augmented decoding as in Petterson and Caetano, "Submodular multi-label
// learning" (2011). From the empty set, the label that raises
//   loss(u) + u'c - u'Au
// most is added while one does. The loss is read off the family: of a labelling it is the largest
// constant_s + u'D t_s over the subproblems in which u is feasible, for F-beta the one of its cardinality; with
// p = D'u kept, a candidate costs O(1).
#include <limits>
#include <optional>
#include <vector>

#include <concord/kit/objective.hpp>
#include <concord/plugin.hpp>

namespace concord::submodular_greedy {

class SubmodularGreedy {
 public:
  static Capabilities capabilities() {
    return {.prior = CONCORD_PRIOR_ATTRACTIVE,
            .constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .flags = CONCORD_REENTRANT | CONCORD_REFERENCE};
  }

  void prepare(const Prior& prior) {
    A_ = prior.dense();
    magnitude_ = A_.cwiseAbs().sum();
  }

  void solve(const Request& request, const Result& result, const Env& env) const {
    Loss loss(request.labels(), Matrix(request.labels(), 0));
    loss.add(0, Vector(0), request.row_count() == 0 ? none : request.row(0).beta);
    climb(request.c(), loss, result, env);
  }

  void solve_family(const Request& request, const Family& family, const Result& result,
                    const Env& env) const {
    Loss loss(request.labels(), family.D());
    for (int64_t s = 0; s < family.size(); ++s)
      loss.add(family.constants()[s], family.t().col(s),
               family.row_count() == 0 ? none : family.beta()(0, s));
    climb(request.c(), loss, result, env);
  }

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// The subproblems of a family by the cardinalities that they admit.
  class Loss {
   public:
    Loss(int64_t labels, Matrix D) : D_(std::move(D)), members_(static_cast<size_t>(labels) + 1) {}

    void add(double constant, Vector t, double beta) {
      const auto s = static_cast<int64_t>(constants_.size());
      const auto labels = static_cast<int64_t>(members_.size()) - 1;
      constants_.push_back(constant);
      t_.push_back(std::move(t));
      for (int64_t k = 0; k <= labels; ++k)
        if (std::isnan(beta) || kit::k_of(labels, beta) == k) members_[static_cast<size_t>(k)].push_back(s);
    }

    struct Best {
      double value = -infinity;  ///< the loss; -infinity: no subproblem is feasible
      int64_t subproblem = -1;
    };
    /// Of a labelling u with k labels and p = D'u; the first of equal subproblems.
    Best at(int64_t k, const Vector& p) const {
      Best best;
      for (const int64_t s : members_[static_cast<size_t>(k)]) {
        const double value = constants_[static_cast<size_t>(s)] + t_[static_cast<size_t>(s)].dot(p);
        if (value > best.value) best = {value, s};
      }
      return best;
    }
    const Matrix& D() const { return D_; }
    /// What D'u gains when label v becomes +1. A matrix without columns has no rows to point at.
    Vector gain(int64_t v) const { return D_.cols() == 0 ? Vector(0) : Vector(2 * D_.row(v).transpose()); }
    int64_t size() const { return static_cast<int64_t>(constants_.size()); }

   private:
    Matrix D_;
    std::vector<double> constants_;
    std::vector<Vector> t_;
    std::vector<std::vector<int64_t>> members_;
  };

  void climb(const Vector& c, const Loss& loss, const Result& result, const Env& env) const {
    const int64_t V = c.size();
    kit::Labelling<Matrix> state(A_, c, Vector::Constant(V, -1));
    Vector p = -loss.D().colwise().sum().transpose();
    Loss::Best now = loss.at(0, p);
    const double scale = magnitude_ + c.cwiseAbs().sum();
    std::optional<int32_t> cut_short;
    for (int64_t k = 1; k <= V; ++k) {
      Step step = best_step(state, loss, p, k);
      const double gain = state.gain(step.label) + step.loss.value - now.value;
      // While no subproblem admits the labelling there is nothing to lose.
      if (now.subproblem >= 0 && !kit::exceeds(gain, 0, scale)) break;
      cut_short = env.interruption();
      if (cut_short && now.subproblem >= 0) break;
      state.flip(step.label);
      p += loss.gain(step.label);
      now = step.loss;
    }
    if (now.subproblem < 0)
      return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
    state.resync();
    result.u() = state.u();
    result.winner(now.subproblem);
    result.counters(loss.size(), 0);
    result.finish(cut_short.value_or(CONCORD_FEASIBLE), state.value() + now.value, none);
  }

  struct Step {
    int64_t label = -1;
    Loss::Best loss;
    double gain = -infinity;  ///< of the objective without the loss
  };
  /// The label to add as the k-th: of largest gain with the loss, or without it where no subproblem admits k.
  static Step best_step(const kit::Labelling<Matrix>& state, const Loss& loss, const Vector& p, int64_t k) {
    Step best;
    for (int64_t v = 0; v < state.size(); ++v) {
      if (state.u()[v] > 0) continue;
      const Loss::Best after = loss.at(k, p + loss.gain(v));
      const double gain = state.gain(v) + (after.subproblem >= 0 ? after.value : 0);
      if (best.label < 0 || gain > best.gain) best = {v, after, gain};
    }
    return best;
  }

  Matrix A_;
  double magnitude_ = 0;
};

}  // namespace concord::submodular_greedy
