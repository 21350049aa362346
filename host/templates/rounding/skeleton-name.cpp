// SPDX-License-Identifier: MIT
// Rounding by conditional values. For A without a diagonal u'c - u'Au is linear in each entry of u, so one of the
// signs -1 and +1 is at least as good as the fractional u_v, with the other entries as they are. Labels are decided
// in this way one after the other, the surest (largest |u_v|) first: without a cardinality the labels are never
// worse than u itself. Under a cardinality signs that would exceed k, or V - k, are not free any more.
#include <concord/kit/objective.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;
using concord::Vector;

class SkeletonName {
 public:
  /// What problems it takes; `concord check` holds it to that.
  static concord::Capabilities capabilities() { return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY}; }

  /// From the relaxed solution to labels. `start` is null, or the labels that the rounding before this one in a
  /// chain found; the answer must not be worse. It is const because threads round at once.
  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env&) const {
    const auto A = problem.prior.dense();
    const auto c = problem.request.c();
    const int64_t V = c.size();
    const int64_t k = problem.request.k().value_or(V);     // the most labels that may be +1 ...
    const int64_t rest = problem.request.k() ? V - k : V;  // ... and -1

    Vector u = relaxed.u();
    Vector slope = c - 2 * (A * u);  // the derivative by each u_v
    int64_t plus = 0, minus = 0;
    for (const Eigen::Index v : kit::descending(u.cwiseAbs())) {
      const bool positive = plus < k && (slope[v] > 0 || minus >= rest);
      ++(positive ? plus : minus);
      const double decided = positive ? 1 : -1;
      slope -= 2 * (decided - u[v]) * A.col(v);
      u[v] = decided;
    }
    labels = kit::better_of(A, c, u, start).array().cast<int8_t>();
  }
};

}  // namespace

CONCORD_EXPORT_ROUNDING(SkeletonName, "skeleton-name", "one label after the other, the surest first")
