// SPDX-License-Identifier: MIT
#include "solve/verify.hpp"

#include <cmath>

#include <concord/kit/conventions.hpp>

#include "base/error.hpp"

namespace concord {
namespace {

constexpr double kMomentTolerance = 1e-6;

bool is_feasible_labelling(const Eigen::VectorXd& u, const EqualityRows& rows) {
  if ((u.cwiseAbs().array() != 1).any()) return false;
  for (int64_t r = 0; r < rows.beta.size(); ++r)
    if (!kit::on_row(rows.E.col(r), rows.beta[r], u)) return false;
  return true;
}

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
      fail(Fault::plugin, About{"", plugin_id}, "{} returned {} for label {}, and a label is -1 or +1",
           plugin_id, int{labels(v)}, v);
  const int64_t positive = (labels > 0).count();
  if (k && positive != *k)
    fail(Fault::plugin, About{"", plugin_id}, "{} returned {} positive labels, and the cardinality is {}",
         plugin_id, positive, *k);
}

void verify_bound(const Plugin& plugin, double bound, double value_of_labels, double tolerance) {
  if (std::isnan(bound) || value_of_labels <= bound + tolerance) return;
  fail(Fault::plugin, About{"", plugin.id()},
       "{} returned a false bound: {}, but there are labels of value {}", plugin.id(), bound,
       value_of_labels);
}

void verify_solution(const Plugin& plugin, const RelaxedSolution& s, const PriorMatrix& A,
                     const Eigen::VectorXd& c, std::optional<int64_t> k, double constant) {
  const int64_t q = k ? 1 : 0;
  EqualityRows rows{Eigen::MatrixXd::Ones(c.size(), q), Eigen::VectorXd(q)};
  if (k) rows.beta[0] = kit::beta_of(c.size(), *k);
  verify_solution(plugin, s, A, c, rows, constant);
}

void verify_solution(const Plugin& plugin, const RelaxedSolution& s, const PriorMatrix& A,
                     const Eigen::VectorXd& c, const EqualityRows& rows, double constant) {
  if (!s.has_point()) return;
  const auto lie = [&](const std::string& what) {
    fail(Fault::plugin, About{"", plugin.id()}, "{} returned a wrong result: {}", plugin.id(), what);
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

  for (int64_t r = 0; r < rows.beta.size(); ++r) {
    const Eigen::VectorXd e = rows.E.col(r);
    const double sum = e.dot(u), beta = rows.beta[r];
    if (std::abs(sum - beta) <= kMomentTolerance * e.cwiseAbs().sum()) continue;
    if ((e.array() == 1).all())
      lie(fmt::format("its u sums to {}, and the cardinality {} asks for {}", sum, (beta + V) / 2, beta));
    lie(fmt::format("its u has e'u = {}, and equality row {} asks for {}", sum, r, beta));
  }
  const bool is_labelling = is_feasible_labelling(u, rows);
  switch (plugin.capabilities().moment) {
    case CONCORD_MOMENT_RANK_ONE:
      if (s.F.cols() != 1 || !is_labelling)
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
    if (!is_labelling) lie("it claims an optimum, and its u is no feasible labelling");
    if (!(std::abs(s.bound - s.value) <= tolerance))
      lie(fmt::format("it claims an optimum of value {} with the bound {}", s.value, s.bound));
  }
  if (is_labelling) verify_bound(plugin, s.bound, s.value, tolerance);
  if (plugin.capabilities().guarantee == CONCORD_HEURISTIC && !std::isnan(s.bound))
    lie(
        fmt::format("it declares that it proves no bound, and gives {}; declare the guarantee "
                    "CONCORD_BOUNDS, or give NaN",
                    s.bound));
  if (s.status == CONCORD_RELAXED && plugin.capabilities().guarantee != CONCORD_HEURISTIC &&
      std::isnan(s.bound))
    lie("it declares that it proves a bound, and gives none");
}

}  // namespace concord
