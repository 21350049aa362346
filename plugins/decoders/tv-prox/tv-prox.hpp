// SPDX-License-Identifier: MIT
#pragma once
// The decoder `tv-prox`: attractive priors, all cardinalities of one c by the total-variation prox
// (kit/tv_prox.hpp). Of a loss it solves the subproblem of largest bound by a whole prox, which bounds all
// others (family_bounds.hpp), until no bound exceeds the best value.
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <concord/kit/cut_mixture.hpp>
#include <concord/kit/workspaces.hpp>
#include <concord/plugin.hpp>

#include "family_bounds.hpp"

namespace concord::tv_prox {

class TvProx {
 public:
  static Capabilities capabilities() {
    return {.prior = CONCORD_PRIOR_ATTRACTIVE,
            .constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_UNIT_DIAGONAL,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_REENTRANT};
  }

  static int64_t max_rank(int64_t) { return 2; }

  void prepare(const Prior& prior) {
    objective_.emplace(prior.dense());
    graph_.emplace(objective_->A());
    magnitude_ = objective_->A().cwiseAbs().sum();
  }

  void solve(const Request& request, const Result& result, const Env& env) const {
    std::optional<int64_t> k;
    if (request.row_count() > 0) {
      k = kit::k_of(request.labels(), request.row(0).beta);
      if (!k) return result.fail(CONCORD_INFEASIBLE, "no labelling has this number of positive labels");
    }
    const Vector c = request.c();
    const auto scratch = scratch_.borrow();
    Interruption stop(env);
    const auto answer = solve_one(c, k, *scratch, stop);
    if (!answer) return give_up(*stop.status(), c, k, 0, result);
    finish(*answer, answer->value(*objective_, c), result);
    if (k) result.message(answer->text());
  }

  void solve_family(const Request& request, const Family& family, const Result& result,
                    const Env& env) const {
    FamilyBounds bounds(family);
    const auto scratch = scratch_.borrow();
    Interruption stop(env);
    Leader leader;
    const double scale = magnitude_ + request.c().cwiseAbs().sum() +
                         family.constants().cwiseAbs().maxCoeff() +
                         (family.D().cwiseAbs() * family.t().cwiseAbs()).colwise().sum().maxCoeff();
    const int64_t feasible = bounds.open();
    int64_t solved = 0;
    if (feasible > 1) tighten(bounds, request.c(), Vector::Zero(family.D().cols()), *scratch, stop);
    while (!stop.status()) {
      const auto [s, bound] = bounds.most_promising();
      if (bounds.open() == 0 || bound < leader.top - 1e-12 * scale) break;
      const Vector c = request.c() + family.D() * family.t().col(s);
      std::optional<Mixture> answer;
      if (feasible == 1) {
        answer = solve_one(c, bounds.k(s), *scratch, stop);
      } else if (tighten(bounds, c, family.t().col(s), *scratch, stop)) {
        answer = optimum(scratch->sets, bounds.k(s));
      }
      if (!answer) break;
      leader.offer(s, family.constants()[s] + answer->value(*objective_, c), std::move(*answer), scale);
      bounds.close(s);
      ++solved;
    }
    if (stop.status() && leader.subproblem < 0) {
      const int64_t s = bounds.most_promising().first;
      result.winner(s);
      return give_up(*stop.status(), request.c() + family.D() * family.t().col(s), bounds.k(s),
                     family.constants()[s], result);
    }
    if (leader.subproblem < 0)
      return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
    result.winner(leader.subproblem);
    result.counters(solved, feasible - solved);
    finish(leader.answer, leader.value, result);
    if (stop.status()) {
      result.finish(*stop.status(), leader.value, std::numeric_limits<double>::quiet_NaN());
    } else if (!leader.answer.is_labelling()) {
      result.finish(CONCORD_RELAXED, leader.value, leader.top);
    }
  }

 private:
  using Mixture = kit::CutMixture;
  struct Scratch {
    kit::TvProx prox;
    kit::MinCut cut;
    kit::LevelSets sets;
    std::vector<double> values;
    std::vector<uint8_t> z;
  };
  /// The best subproblem so far. Values that differ by rounding only are ties, and ties go to the smallest s.
  struct Leader {
    int64_t subproblem = -1;
    double top = -std::numeric_limits<double>::infinity();
    double value = 0;
    Mixture answer;
    void offer(int64_t s, double candidate, Mixture&& mixture, double scale) {
      top = std::max(top, candidate);
      if (subproblem >= 0 && !kit::exceeds(candidate, value, scale) &&
          (s > subproblem || kit::exceeds(value, candidate, scale)))
        return;
      subproblem = s;
      value = candidate;
      answer = std::move(mixture);
    }
  };

  /// One cardinality, or none; nothing if stopped.
  std::optional<Mixture> solve_one(const Vector& c, std::optional<int64_t> k, Scratch& scratch,
                                   Interruption& stop) const {
    if (k) {
      if (!scratch.prox.solve(*graph_, c, static_cast<size_t>(*k), scratch.sets, stop)) return std::nullopt;
      return optimum(scratch.sets, k);
    }
    if (!scratch.cut.solve(*graph_, c, scratch.z, stop)) return std::nullopt;
    Vector u(c.size());
    for (int64_t v = 0; v < c.size(); ++v) u[v] = scratch.z[static_cast<size_t>(v)] != 0 ? 1 : -1;
    return Mixture(std::move(u));
  }

  /// The answer for k, or without a cardinality {x* > 0}, the minimum cut.
  static Mixture optimum(const kit::LevelSets& sets, std::optional<int64_t> k) {
    return Mixture::at(sets, k ? static_cast<size_t>(*k) : sets.sizes[positive_levels(sets)]);
  }
  static size_t positive_levels(const kit::LevelSets& sets) {
    return static_cast<size_t>(
        std::partition_point(sets.levels.begin(), sets.levels.end(), [](double x) { return x > 0; }) -
        sets.levels.begin());
  }

  /// The whole prox of c = base + D t0, and what it says about every subproblem; false: stopped.
  bool tighten(FamilyBounds& bounds, const Vector& c, const Vector& t0, Scratch& scratch,
               Interruption& stop) const {
    kit::LevelSets& sets = scratch.sets;
    if (!scratch.prox.solve(*graph_, c, std::nullopt, sets, stop)) return false;
    objective_->of_nested(c, sets.order, sets.sizes, scratch.values);
    const std::vector<double>& f = scratch.values;
    const double free = f[positive_levels(sets)];
    bounds.tighten(t0, [&](std::optional<int64_t> k) {
      if (!k) return free;
      const size_t i = sets.at_most(static_cast<size_t>(*k));
      const auto above = static_cast<double>(static_cast<size_t>(*k) - sets.sizes[i]);
      return above == 0
                 ? f[i]
                 : f[i] + above * (f[i + 1] - f[i]) / static_cast<double>(sets.sizes[i + 1] - sets.sizes[i]);
    });
    return true;
  }

  static void finish(const Mixture& answer, double value, const Result& result) {
    const Matrix F = answer.factor();
    result.factor(F.cols()) = F;
    result.finish(answer.is_labelling() ? CONCORD_OPTIMAL : CONCORD_RELAXED, value, value);
  }

  /// Stopped before there was an answer: the labels of c alone.
  void give_up(int32_t status, const Vector& c, std::optional<int64_t> k, double constant,
               const Result& result) const {
    result.u() = kit::labels_of(c, k);
    result.finish(status, constant + (*objective_)(c, result.u()), std::numeric_limits<double>::quiet_NaN());
  }

  std::optional<kit::CutObjective> objective_;
  std::optional<kit::CutGraph> graph_;
  double magnitude_ = 0;
  mutable kit::Workspaces<Scratch> scratch_;
};

}  // namespace concord::tv_prox
