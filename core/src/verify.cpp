// SPDX-License-Identifier: MIT
#include "verify.hpp"

#include <cmath>

#include "error.hpp"

namespace concord {
namespace {

constexpr double kMomentTolerance = 1e-6;

}  // namespace

double value_tolerance(const Eigen::VectorXd& c, const PriorMatrix& A) {
  return 1e-9 * (1 + c.cwiseAbs().sum() + A.abs_sum());
}

std::optional<LabelVector> integral_labels(const Eigen::VectorXd& u, std::optional<int64_t> k) {
  if ((u.cwiseAbs().array() != 1).any()) return std::nullopt;
  if (k && (u.array() > 0).count() != *k) return std::nullopt;
  return u.cast<int8_t>().array();
}

void verify_labels(const std::string& plugin_id, const LabelVector& labels, std::optional<int64_t> k) {
  for (int64_t v = 0; v < labels.size(); ++v)
    if (labels(v) != 1 && labels(v) != -1)
      fail(Exit::plugin, "{} returned {} for label {}, and a label is -1 or +1", plugin_id, int{labels(v)},
           v);
  const int64_t positive = (labels > 0).count();
  if (k && positive != *k)
    fail(Exit::plugin, "{} returned {} positive labels, and the cardinality is {}", plugin_id, positive, *k);
}

void verify_bound(const Plugin& plugin, double bound, double value_of_labels, double tolerance) {
  if (std::isnan(bound) || value_of_labels <= bound + tolerance) return;
  fail(Exit::plugin, "{} returned a false bound: {}, but there are labels of value {}", plugin.id(), bound,
       value_of_labels);
}

void verify_solution(const Plugin& plugin, const RelaxedSolution& s, const PriorMatrix& A,
                     const Eigen::VectorXd& c, std::optional<int64_t> k, double constant) {
  if (!s.has_point()) return;
  const auto lie = [&](const std::string& what) {
    fail(Exit::plugin, "{} returned a wrong result: {}", plugin.id(), what);
  };
  const Eigen::VectorXd u = s.u();
  const double V = static_cast<double>(u.size());
  const double tolerance = value_tolerance(c, A) + 1e-9 * std::abs(constant);
  // Of a diagonal that the plugin did not see, the host has added -tr A: there it counts as for a labelling.
  const Eigen::VectorXd diagonal = s.F.rowwise().squaredNorm();
  double quadratic = A.inner(s.F);
  if (!plugin.has(CONCORD_USES_DIAGONAL)) quadratic -= A.diagonal().dot((diagonal.array() - 1).matrix());
  const double value = constant + u.dot(c) - quadratic;
  if (std::abs(value - s.value) > tolerance)
    lie(fmt::format("it says that its value is {}, but u'c - <A, FF'> is {}", s.value, value));

  if (k) {
    const double sum = u.sum(), beta = static_cast<double>(2 * *k) - V;
    if (std::abs(sum - beta) > kMomentTolerance * V)
      lie(fmt::format("its u sums to {}, and the cardinality {} asks for {}", sum, *k, beta));
  }
  switch (plugin.capabilities().moment) {
    case CONCORD_MOMENT_RANK_ONE:
      if (s.F.cols() != 1 || !integral_labels(u, k))
        lie("it declares rank-one moments of labellings, and its F is none");
      break;
    case CONCORD_MOMENT_UNIT_DIAGONAL:
      if ((diagonal.array() - 1).abs().maxCoeff() > kMomentTolerance)
        lie("it declares moments of unit diagonal, and diag(FF') is not 1");
      break;
    case CONCORD_MOMENT_SPHERE:
      if (std::abs(diagonal.sum() - V) > kMomentTolerance * V)
        lie(fmt::format("it declares moments on the sphere, and tr FF' is {} for {} labels", diagonal.sum(),
                        V));
      break;
    default:
      break;
  }
  if (s.status == CONCORD_OPTIMAL) {
    if (plugin.capabilities().guarantee != CONCORD_MAY_BE_OPTIMAL)
      lie("it claims an optimum, and its capabilities do not");
    if (!integral_labels(u, k)) lie("it claims an optimum, and its u is no feasible labelling");
    if (!(std::abs(s.bound - s.value) <= tolerance))
      lie(fmt::format("it claims an optimum of value {} with the bound {}", s.value, s.bound));
  }
  if (integral_labels(u, k)) verify_bound(plugin, s.bound, s.value, tolerance);
  if (plugin.capabilities().guarantee == CONCORD_HEURISTIC && !std::isnan(s.bound))
    lie(fmt::format("it declares that it proves no bound, and gives {}", s.bound));
  if (s.status == CONCORD_RELAXED && plugin.capabilities().guarantee != CONCORD_HEURISTIC &&
      std::isnan(s.bound))
    lie("it declares that it proves a bound, and gives none");
}

}  // namespace concord
