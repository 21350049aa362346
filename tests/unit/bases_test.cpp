// SPDX-License-Identifier: MIT
#include "train/bases.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "predict/rules.hpp"

namespace concord::bases_test {
namespace {

RowMatrix random_rows(kit::Rng& rng, int64_t n, int64_t d) {
  RowMatrix X(n, d);
  for (double& x : X.reshaped()) x = rng.normal();
  return X;
}

LabelMatrix random_truth(kit::Rng& rng, int64_t V, int64_t n) {
  LabelMatrix Y(V, n);
  for (int8_t& y : Y.reshaped()) y = rng.uniform() < 0.4 ? 1 : -1;
  return Y;
}

/// By its definition.
Eigen::MatrixXd kernel_matrix(Kernel kernel, double width, const RowMatrix& X, const RowMatrix& Z) {
  Eigen::MatrixXd K(X.rows(), Z.rows());
  for (int64_t i = 0; i < X.rows(); ++i)
    for (int64_t j = 0; j < Z.rows(); ++j) {
      const double distance = (X.row(i) - Z.row(j)).norm();
      K(i, j) = kernel == Kernel::rbf ? std::exp(-distance * distance / (2 * width * width))
                                      : std::exp(-distance / width);
    }
  return K;
}

}  // namespace

TEST_CASE("leave-one-out scores of kernel ridge equal those of refits", "[bases]") {
  kit::Rng rng(3);
  for (const Kernel kernel : {Kernel::rbf, Kernel::laplace}) {
    const int64_t N = 23, V = 4;
    const double width = 1.3, lambda = 0.2;
    // Distances are differences of squares: the root of one that should be 0 keeps half of the digits.
    const double tolerance = kernel == Kernel::rbf ? 1e-10 : 1e-6;
    const RowMatrix X = random_rows(rng, N, 5);
    const LabelMatrix Y = random_truth(rng, V, N);
    const Features features(X);
    Eigen::MatrixXd D = KernelRows(features).squared_distances(features, 0, N), scores;
    const RowMatrix alpha = kernel_ridge(kernel, width, lambda, D, Y, scores);
    const Eigen::MatrixXd Z = (Y.transpose() > 0).cast<double>();
    const Eigen::MatrixXd K = kernel_matrix(kernel, width, X, X).array() + 1;
    CHECK(((K + lambda * Eigen::MatrixXd::Identity(N, N)) * alpha - Z).norm() < tolerance);
    for (int64_t i = 0; i < N; ++i) {
      std::vector<int64_t> others;
      for (int64_t j = 0; j < N; ++j)
        if (j != i) others.push_back(j);
      const Eigen::MatrixXd left =
          Eigen::MatrixXd(K(others, others)) + lambda * Eigen::MatrixXd::Identity(N - 1, N - 1);
      const Eigen::MatrixXd refit = left.llt().solve(Eigen::MatrixXd(Z(others, Eigen::all)));
      const Eigen::RowVectorXd score = Eigen::RowVectorXd(K.row(i)(others)) * refit;
      CHECK((score.transpose() - scores.col(i)).norm() < tolerance);
    }
  }
}

TEST_CASE("scores of kernel bases are the same for dense and sparse rows, and for any threads", "[bases]") {
  kit::Rng rng(5);
  const int64_t N = 90, V = 3;
  RowMatrix X = random_rows(rng, N, 7), other = random_rows(rng, 130, 7);
  for (double& x : X.reshaped())
    if (rng.uniform() < 0.6) x = 0;
  const LabelMatrix Y = random_truth(rng, V, N);
  Settings settings;
  settings.scores.rbf_width = 0.5;
  settings.scores.laplace_width = 0.7;
  settings.scores.ovr_lambda = 0.01;
  settings.train.method = Method::likelihood;
  ThreadPool one(1), several(3);
  const auto terms = [&](const Features& features, const Features& rows, ThreadPool& pool) {
    const FitInput input(settings, features, Y, 1, pool, {});
    Parameters none{RowMatrix::Zero(input.preprocess().outputs(), V), Eigen::MatrixXd::Zero(V, V)};
    return input.linear_terms(none, input.rows(rows, pool));
  };
  const Features dense(X), sparse(SparseMatrix(X.sparseView()));
  const Eigen::MatrixXd found = terms(dense, Features(other), one);
  CHECK(terms(dense, Features(other), several) == found);
  CHECK((terms(sparse, Features(other), one) - found).norm() < 1e-6 * found.norm());
  CHECK(terms(sparse, Features(other), several) == terms(sparse, Features(other), one));
}

TEST_CASE("scores that come with the data are weighed, and nothing else touches them", "[bases]") {
  kit::Rng rng(7);
  const int64_t N = 400, V = 3, d = 2;
  const LabelMatrix Y = random_truth(rng, V, N);
  RowMatrix X(N, d + V);
  for (int64_t i = 0; i < N; ++i) {
    for (int64_t j = 0; j < d; ++j) X(i, j) = 100 * rng.normal();
    for (int64_t v = 0; v < V; ++v) X(i, d + v) = Y(v, i) + 1.5 * rng.normal();
  }
  Settings settings;
  settings.scores.given = 1;
  settings.preprocess.scale = Scale::standardise;
  settings.train.method = Method::likelihood;
  ThreadPool pool(1);
  const FitInput input(settings, Features(X), Y, 1, pool, {});
  CHECK(input.preprocess().features() == d);
  CHECK(input.preprocess().given_scores(Features(X)) == X.rightCols(V));
  const Bases bases = input.bases({});
  REQUIRE(bases.weights.size() == 1);
  CHECK(bases.weights(0) > 0.1);  // half of log-odds that rise with the score
  CHECK(bases.offsets.size() == V);
}

TEST_CASE("a kernel matrix that does not fit is refused with what to do", "[bases]") {
  CHECK_NOTHROW(require_kernel_memory(1e9, 2e9, 10'000));
  CHECK_THROWS_WITH(require_kernel_memory(2e9, 2e9, 10'000), Catch::Matchers::Contains("preprocess.fourier"));
}

TEST_CASE("a calibration for each label lies between its own frequency and that of all", "[expected-f1]") {
  kit::Rng rng(11);
  const int64_t N = 500;
  Eigen::MatrixXd scores(2, N);
  LabelMatrix truth(2, N);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t v = 0; v < 2; ++v) {
      scores(v, i) = rng.normal();
      truth(v, i) = rng.uniform() < sigmoid(2 * scores(v, i) + (v == 0 ? -2 : 1)) ? 1 : -1;
    }
  const Eigen::VectorXd numbers = fit_label_calibration(scores, truth);
  REQUIRE(numbers.size() == 3);
  CHECK(numbers(1) < -1);
  CHECK(numbers(2) > 0.3);
  // Labels that are known do not count.
  Eigen::MatrixXd with_known(2, N + 1);
  with_known << scores, Eigen::Vector2d::Constant(kRankOfKnown);
  LabelMatrix more(2, N + 1);
  more << truth, LabelMatrix::Constant(2, 1, -1);
  CHECK(fit_label_calibration(with_known, more) == numbers);
}

TEST_CASE("expected F1 takes at least as many labels as it must", "[expected-f1]") {
  const Eigen::MatrixXd scores = Eigen::MatrixXd::Constant(3, 1, -9);
  Eigen::VectorXd calibration(4);
  calibration << 1, 0, 3,
      0;  // the second label is twenty times as likely as another: a second one does not pay
  using Least = Eigen::Array<int64_t, Eigen::Dynamic, 1>;
  CHECK((label_by_expected_f1(scores, calibration, Least::Zero(1)) < 0).all());
  const LabelMatrix one = label_by_expected_f1(scores, calibration, Least::Constant(1, 1));
  CHECK((one > 0).count() == 1);
  CHECK(one(1, 0) == 1);
}

}  // namespace concord::bases_test
