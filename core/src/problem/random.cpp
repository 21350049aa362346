// SPDX-License-Identifier: MIT
#include "problem/random.hpp"

#include <concord/kit/dense.hpp>

namespace concord {

double small_integer(kit::Rng& rng) {
  return static_cast<double>(rng.below(5)) - 2;
}

int64_t random_cardinality(kit::Rng& rng, int64_t V) {
  return static_cast<int64_t>(rng.below(static_cast<uint64_t>(V) + 1));
}

LabelVector random_labels(kit::Rng& rng, int64_t V, std::optional<int64_t> k) {
  LabelVector y(V);
  int64_t left = k.value_or(0);
  for (int64_t v = 0; v < V; ++v) {
    const bool positive =
        k ? static_cast<int64_t>(rng.below(static_cast<uint64_t>(V - v))) < left : rng.below(2) == 1;
    y(v) = positive ? 1 : -1;
    if (positive) --left;
  }
  return y;
}

CanonicalProblem random_problem(kit::Rng& rng, int64_t V, PriorSign sign, bool integers, double density) {
  const auto draw = [&] { return integers ? small_integer(rng) : rng.normal(); };
  CanonicalProblem problem;
  problem.A = PriorMatrix(
      random_prior(V, sign, [&] { return density >= 1 || rng.uniform() < density ? draw() : 0.0; }));
  problem.c = 2 * random_vector(V, draw);
  return problem;
}

Eigen::VectorXd hard_term(const Eigen::MatrixXd& A, kit::Rng& rng) {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  kit::symmetric_eigen(A, values, &vectors);
  const double tolerance = 1e-9 * (1 + values.cwiseAbs().maxCoeff());
  Eigen::VectorXd c = Eigen::VectorXd::Zero(A.rows());
  for (int64_t j = 0; j < values.size(); ++j) {
    const double d = values[j] - values[0];
    if (d > tolerance) c += 0.5 * d * rng.normal() * vectors.col(j);
  }
  return c;
}

Eigen::MatrixXd hard_prior(kit::Rng& rng, int64_t V, PriorSign sign) {
  const auto normal = [&] { return rng.normal(); };
  switch (rng.below(3)) {
    case 0:  // every pair alike
      return random_prior(V, sign, [a = rng.normal()] { return a; });
    case 1: {  // two blocks that do not see each other
      Eigen::MatrixXd A = random_prior(V, sign, normal);
      A.topRightCorner(V / 2, V - V / 2).setZero();
      A.bottomLeftCorner(V - V / 2, V / 2).setZero();
      return A;
    }
    default:
      return random_prior(V, sign, normal);
  }
}

Eigen::VectorXd planted_term(const Eigen::MatrixXd& A, const LabelVector& y, kit::Rng& rng) {
  Eigen::VectorXd values;
  kit::symmetric_eigen(A, values);
  const double lambda = values[0] - 0.1 - rng.uniform();
  const Eigen::VectorXd u = y.cast<double>();
  return 2 * (A * u - lambda * u);
}

Planted planted_problem(kit::Rng& rng, int64_t V, PriorSign sign, bool with_cardinality) {
  Planted planted{random_problem(rng, V, sign), {}};
  if (with_cardinality) planted.problem.k = random_cardinality(rng, V);
  planted.labels = random_labels(rng, V, planted.problem.k);
  planted.problem.c = planted_term(planted.problem.A.dense(), planted.labels, rng);
  return planted;
}

}  // namespace concord
