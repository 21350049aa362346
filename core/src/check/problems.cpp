// SPDX-License-Identifier: MIT
#include "check/problems.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "solve/family.hpp"

namespace concord::check {
namespace {

constexpr int64_t kMostLabels = 12;  // what enumeration does thousands of times in a second

/// Equality rows of zeros and ones, or of integers from -2 to 2, in four subproblems. Some have no rows, and of
/// general rows some have no labelling; a row of zeros and ones always has one, as the host sees to it.
FamilyData family_with_rows(kit::Rng& rng, int64_t V, bool subset) {
  const int64_t n = 4, m = subset && rng.below(2) == 0 ? 1 : 2;
  const int64_t q = subset ? 1 : 1 + static_cast<int64_t>(rng.below(2));
  FamilyData family{Eigen::MatrixXd(V, m), Eigen::VectorXd(n), Eigen::MatrixXd(m, n), Eigen::MatrixXd(V, q),
                    Eigen::MatrixXd::Zero(q, n)};
  for (double& x : family.D.reshaped()) x = m == 1 ? static_cast<double>(rng.below(2)) : rng.normal();
  for (double& x : family.t.reshaped()) x = rng.normal();
  for (double& x : family.constants) x = rng.normal();
  for (double& x : family.rows.reshaped())
    x = subset ? static_cast<double>(rng.below(2)) : static_cast<double>(rng.below(5)) - 2;
  if (rng.below(8) == 0) family.rows.col(0).setConstant(static_cast<double>(rng.below(2)));
  const bool general = class_of_rows(family) == CONCORD_CONSTRAINTS_ROWS;
  for (int64_t s = 0; s < n; ++s) {
    const auto kind = rng.below(4);
    family.beta.col(s) =
        family.rows.transpose() * random_labels(rng, V).cast<double>().matrix();            // there is one
    if (kind == 0 && general) family.beta(0, s) = 1 + family.rows.col(0).cwiseAbs().sum();  // there is none
    if (kind == 1) family.beta(q - 1, s) = std::numeric_limits<double>::quiet_NaN();
  }
  return family;
}

}  // namespace

Scope Scope::of(const Plugin& plugin) {
  const concord_capabilities& can = plugin.capabilities();
  Scope scope;
  scope.cardinality = covers(can.constraints, CONCORD_CONSTRAINTS_CARDINALITY);
  scope.subset = covers(can.constraints, CONCORD_CONSTRAINTS_SUBSET);
  scope.rows = covers(can.constraints, CONCORD_CONSTRAINTS_ROWS);
  if (plugin.kind() != CONCORD_DECODER) return scope;
  scope.most_labels = can.max_labels;
  scope.widest = can.prior == CONCORD_PRIOR_ZERO         ? PriorSign::none
                 : can.prior == CONCORD_PRIOR_ATTRACTIVE ? PriorSign::attractive
                                                         : PriorSign::any;
  return scope;
}

PriorSign Scope::sign(PriorSign wanted) const {
  return widest == PriorSign::any || wanted == PriorSign::none ? wanted : widest;
}

const char* source_name(Source source) {
  static constexpr const char* names[] = {"random", "attractive", "repulsive", "sparse", "zero",
                                          "ties",   "hard",       "scales",    "planted"};
  return names[static_cast<size_t>(source)];
}

std::vector<CanonicalProblem> generate(Source source, const Scope& scope, kit::Rng& rng) {
  const auto V = static_cast<int64_t>(1 + rng.below(static_cast<uint64_t>(scope.labels(kMostLabels))));
  std::vector<CanonicalProblem> problems;
  const auto normal = [&] { return rng.normal(); };
  if (source == Source::planted) {
    problems.push_back(planted_in(scope, rng, V, false));
    if (!scope.cardinality) return problems;
    CanonicalProblem problem = problems.front();
    problem.k = random_cardinality(rng, V);
    problem.c = planted_term(problem.A.dense(), random_labels(rng, V, problem.k), rng);
    problems.push_back(std::move(problem));
    return problems;
  }
  const PriorSign sign = scope.sign(source == Source::attractive  ? PriorSign::attractive
                                    : source == Source::repulsive ? PriorSign::repulsive
                                    : source == Source::zero      ? PriorSign::none
                                                                  : PriorSign::any);
  const auto integer = [&] { return small_integer(rng); };
  Eigen::MatrixXd A;
  double scale_of_c = 2;
  switch (source) {
    case Source::sparse:
      A = random_prior(V, sign, [&] { return rng.uniform() < 0.25 ? rng.normal() : 0; });
      break;
    case Source::ties:
      A = random_prior(V, sign, integer);
      break;
    case Source::hard:
      A = hard_prior(rng, V, sign);
      break;
    case Source::scales: {
      const auto scale = [&] { return std::pow(10, 12 * rng.uniform() - 6); };
      A = scale() * random_prior(V, sign, normal);
      scale_of_c = scale();
      break;
    }
    default:
      A = random_prior(V, sign, normal);
  }
  for (int i = 0; i < 2; ++i) {
    CanonicalProblem problem;
    problem.A = PriorMatrix(A);
    problem.c = source == Source::ties ? random_vector(V, integer)
                : source == Source::hard
                    ? Eigen::VectorXd(i == 0 ? hard_term(A, rng) : Eigen::VectorXd::Zero(V))
                    : scale_of_c * random_vector(V, normal);
    problems.push_back(problem);
    if (!scope.cardinality) continue;
    problem.k = random_cardinality(rng, V);
    problems.push_back(std::move(problem));
  }
  return problems;
}

CanonicalProblem problem_in(const Scope& scope, kit::Rng& rng, int64_t V, bool with_k) {
  CanonicalProblem problem = random_problem(rng, V, scope.sign(PriorSign::any));
  if (with_k && scope.cardinality) problem.k = random_cardinality(rng, V);
  return problem;
}

CanonicalProblem planted_in(const Scope& scope, kit::Rng& rng, int64_t V, bool with_k) {
  return planted_problem(rng, V, scope.sign(PriorSign::any), with_k && scope.cardinality).problem;
}

FamilyData random_family(const Scope& scope, kit::Rng& rng, int64_t V, FamilyShapeKind kind) {
  if (kind == FamilyShapeKind::subset || kind == FamilyShapeKind::rows)
    return family_with_rows(rng, V, kind == FamilyShapeKind::subset);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const LabelVector truth = random_labels(rng, V);
  const bool f_beta = kind == FamilyShapeKind::f_beta && scope.cardinality;
  const int64_t n = f_beta ? V + 1 : kind == FamilyShapeKind::general ? 4 : 1;
  const int64_t m = kind == FamilyShapeKind::general ? 2 : 1;
  const int64_t q = scope.cardinality && kind != FamilyShapeKind::single ? 1 : 0;
  FamilyData family{Eigen::MatrixXd(V, m), Eigen::VectorXd(n), Eigen::MatrixXd(m, n),
                    Eigen::MatrixXd::Ones(V, q), Eigen::MatrixXd::Constant(q, n, nan)};
  if (kind == FamilyShapeKind::general) {
    for (double& x : family.D.reshaped()) x = rng.normal();
    for (double& x : family.t.reshaped()) x = rng.normal();
    for (int64_t s = 0; s < n; ++s) {
      family.constants[s] = rng.normal();
      if (q > 0 && s > 0) family.beta(0, s) = static_cast<double>(2 * random_cardinality(rng, V) - V);
    }
    return family;
  }
  family.D.col(0) = truth.cast<double>().matrix();
  const auto p = static_cast<double>((truth > 0).count());
  for (int64_t s = 0; s < n; ++s) {
    const auto k = static_cast<double>(s);
    const bool both_empty = f_beta && p + k == 0;
    const double t = f_beta ? (both_empty ? 0 : -1 / (2 * (p + k))) : -0.5 / static_cast<double>(V);
    family.t(0, s) = t;
    family.constants[s] = !f_beta ? 0.5 : both_empty ? 0 : 1 + t * (2 * k + 2 * p - static_cast<double>(V));
    if (f_beta) family.beta(0, s) = 2 * k - static_cast<double>(V);
  }
  return family;
}

std::string size_of(const CanonicalProblem& problem) {
  return fmt::format("V = {}{}", problem.labels(), problem.k ? fmt::format(", k = {}", *problem.k) : "");
}

std::string problem_text(const CanonicalProblem& problem) {
  nlohmann::ordered_json json;
  const Eigen::MatrixXd A = problem.A.to_dense();
  for (int64_t i = 0; i < A.rows(); ++i) {
    const Eigen::VectorXd row = A.row(i);
    json["A"].push_back(std::vector<double>(row.begin(), row.end()));
  }
  json["b"] = std::vector<double>(problem.c.begin(), problem.c.end());
  if (problem.k) json["cardinality"] = *problem.k;
  return json.dump() + "\n";
}

}  // namespace concord::check
