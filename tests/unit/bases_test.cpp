// SPDX-License-Identifier: MIT
#include "train/bases.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>

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

TEST_CASE("direct regression equals that of the targets 2 z_v / (|z| + k) themselves, left out and refitted",
          "[bases][direct]") {
  kit::Rng rng(13);
  const int64_t N = 19, V = 4;
  const double width = 1.1, lambda = 0.3;
  const RowMatrix X = random_rows(rng, N, 3);
  const Features features(X);
  LabelMatrix Y = random_truth(rng, V, N);
  Y.col(2).setConstant(-1);
  const auto targets = direct_targets(Y);
  CHECK(std::is_sorted(targets.begin(), targets.end()));
  CHECK(targets.front() == SizedLabel{});
  Eigen::MatrixXd G = KernelRows(features).squared_distances(features, 0, N), scores, estimates;
  const RowMatrix alpha = kernel_ridge(Kernel::rbf, width, lambda, G, Y, scores);
  const Eigen::MatrixXd direct = direct_ridge(G, Y, targets, estimates);

  const Eigen::MatrixXd Z = (Y.transpose() > 0).cast<double>();
  const Eigen::MatrixXd K = kernel_matrix(Kernel::rbf, width, X, X).array() + 1;
  const auto gains = [&](const Eigen::MatrixXd& of_targets, int64_t k) {  // sum_s 2/(s + k) of the estimates
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(of_targets.rows(), V);
    for (size_t t = 0; t < targets.size(); ++t)
      if (targets[t].label >= 0)
        sum.col(targets[t].label) +=
            2.0 / static_cast<double>(targets[t].size + k) * of_targets.col(static_cast<int64_t>(t));
    return sum;
  };
  for (int64_t k = 1; k <= V; ++k) {
    Eigen::MatrixXd wanted = Z;  // the targets of this k
    for (int64_t i = 0; i < N; ++i) wanted.row(i) *= 2.0 / (Z.row(i).sum() + static_cast<double>(k));
    const Eigen::MatrixXd regularised = K + lambda * Eigen::MatrixXd::Identity(N, N);
    CHECK((regularised * gains(direct, k) - wanted).norm() < 1e-10);
    const Eigen::MatrixXd left_out = gains(estimates, k);
    for (int64_t i = 0; i < N; ++i) {
      std::vector<int64_t> others;
      for (int64_t j = 0; j < N; ++j)
        if (j != i) others.push_back(j);
      const Eigen::MatrixXd fitted = Eigen::MatrixXd(regularised(others, others))
                                         .llt()
                                         .solve(Eigen::MatrixXd(wanted(others, Eigen::all)));
      CHECK((Eigen::RowVectorXd(K.row(i)(others)) * fitted - left_out.row(i)).norm() < 1e-10);
    }
  }
  // Summed over the numbers of labels, the targets are the labels.
  Eigen::MatrixXd summed = Eigen::MatrixXd::Zero(N, V);
  for (size_t t = 1; t < targets.size(); ++t)
    summed.col(targets[t].label) += direct.col(static_cast<int64_t>(t));
  CHECK((summed - alpha).norm() < 1e-10);
}

TEST_CASE("two kernels share the direct regression by least squares on what was left out",
          "[bases][direct]") {
  kit::Rng rng(17);
  const int64_t N = 60, V = 3;
  const RowMatrix X = random_rows(rng, N, 4);
  LabelMatrix Y(V, N);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t v = 0; v < V; ++v) Y(v, i) = X(i, v) + 0.3 * rng.normal() > 0 ? 1 : -1;
  Settings settings;
  settings.scores.rbf_width = 0.5;
  settings.scores.laplace_width = 0.7;
  settings.train.method = Method::likelihood;
  settings.train.prior = PriorSign::none;
  settings.predict.threshold = ThresholdKind::direct_f1;
  ThreadPool one(1), several(3);
  const FitInput input(settings, Features(X), Y, 1, one, {});
  const Bases bases = input.bases({});
  REQUIRE(bases.kernels.size() == 2);
  std::vector<Eigen::MatrixXd> left_out(2), alone(2);
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(N, static_cast<int64_t>(bases.targets.size()));
  for (int64_t i = 0; i < N; ++i)
    for (size_t t = 0; t < bases.targets.size(); ++t) {
      const auto [v, s] = bases.targets[t];
      T(i, static_cast<int64_t>(t)) = (Y.col(i) > 0).count() == s && (v < 0 || Y(v, i) > 0);
    }
  for (size_t m = 0; m < 2; ++m) {
    const KernelRidge& base = bases.kernels[m];
    Eigen::MatrixXd G = KernelRows(bases.rows).squared_distances(bases.rows, 0, N), scores;
    kernel_ridge(base.kernel, base.width, 1, G, Y, scores);
    alone[m] = direct_ridge(G, Y, bases.targets, left_out[m]);
  }
  Eigen::MatrixXd stacked_columns(T.size(), 2);
  for (int64_t m = 0; m < 2; ++m) stacked_columns.col(m) = left_out[static_cast<size_t>(m)].reshaped();
  const Eigen::VectorXd weights = stacked_columns.colPivHouseholderQr().solve(Eigen::VectorXd(T.reshaped()));
  for (size_t m = 0; m < 2; ++m)
    CHECK((bases.kernels[m].direct - weights(static_cast<int64_t>(m)) * alone[m]).norm() <
          1e-8 * alone[m].norm());
  const Features fresh(random_rows(rng, 130, 4));
  const auto estimates = [&](ThreadPool& pool) { return input.rows(fresh, pool).direct; };
  CHECK(estimates(one) == estimates(several));
  CHECK(estimates(one).rows() == T.cols());
}

TEST_CASE("direct expected F1 finds the best set of all, of as many labels as it must", "[direct]") {
  kit::Rng rng(19);
  for (int round = 0; round < 400; ++round) {
    const auto V = static_cast<int64_t>(1 + rng.below(6));
    std::vector<SizedLabel> targets;
    if (rng.uniform() < 0.5) targets.push_back({});
    for (int64_t v = 0; v < V; ++v)
      for (int64_t s = 1; s <= V; ++s)
        if (rng.uniform() < 0.6) targets.push_back({v, s});
    Eigen::MatrixXd estimates(static_cast<int64_t>(targets.size()), 1);
    for (double& x : estimates.reshaped()) x = rng.uniform() - 0.3;  // a regression may fall below 0
    const auto least = static_cast<int64_t>(rng.below(3));
    const auto value = [&](uint64_t set) {
      const auto k = std::popcount(set);
      double sum = 0;
      for (size_t t = 0; t < targets.size(); ++t) {
        const auto [v, s] = targets[t];
        const double p = estimates(static_cast<int64_t>(t), 0);
        if (v < 0 ? set == 0 : (set >> v & 1) != 0) sum += v < 0 ? p : 2 * p / static_cast<double>(s + k);
      }
      return sum;
    };
    double best = -std::numeric_limits<double>::infinity();
    for (uint64_t set = 0; set < uint64_t{1} << V; ++set)
      if (std::popcount(set) >= std::min(least, V)) best = std::max(best, value(set));
    const LabelMatrix found = label_by_direct_f1(targets, estimates, V, least);
    uint64_t set = 0;
    for (int64_t v = 0; v < V; ++v)
      if (found(v, 0) > 0) set |= uint64_t{1} << v;
    CHECK(std::popcount(set) >= std::min(least, V));
    CHECK(value(set) == Approx(best).margin(1e-12));
  }
}

TEST_CASE("a kernel matrix that does not fit is refused with what to do", "[bases]") {
  CHECK_NOTHROW(require_kernel_memory(1e9, 2e9, 10'000));
  CHECK_THROWS_WITH(require_kernel_memory(2e9, 2e9, 10'000),
                    Catch::Matchers::Contains("scores.rbf_features = 2000"));
  // Before any work, also where a split of the rows would fit.
  Settings settings;
  settings.scores.laplace_width = 2;
  settings.train.method = Method::likelihood;
  CHECK_THROWS_WITH(require_kernel_memory(settings, 40'001), Catch::Matchers::Contains("40001 x 40001"));
  settings.scores.laplace_width.reset();
  CHECK_NOTHROW(require_kernel_memory(settings, 40'001));
  settings.scores.rbf_width = 1;
  CHECK_THROWS_WITH(require_kernel_memory(settings, 40'001), Catch::Matchers::Contains("40001 x 40001"));
  settings.scores.rbf_features = 10;
  CHECK_NOTHROW(require_kernel_memory(settings, 40'001));
}

TEST_CASE("leave-one-out scores of ridge on waves equal those of refits", "[bases][waves]") {
  kit::Rng rng(29);
  const int64_t V = 3;
  for (const int64_t N : {1, 2, 30}) {
    for (const int64_t n : {1, 8, 50}) {  // fewer waves than rows, and more
      const double lambda = 0.3;
      const Features X(random_rows(rng, N, 4));
      const LabelMatrix Y = random_truth(rng, V, N);
      const Waves waves = Waves::draw(4, n, 1.5, 7);
      ThreadPool pool(1);
      Eigen::MatrixXd scores;
      const RowMatrix beta = wave_ridge(waves, lambda, X, Y, scores, pool);
      Eigen::MatrixXd phi(N, n + 1);
      phi << waves.of(X, nullptr), Eigen::VectorXd::Ones(N);
      const Eigen::MatrixXd Z = (Y.transpose() > 0).cast<double>();
      const auto fitted = [&](const std::vector<int64_t>& rows) -> Eigen::MatrixXd {
        const Eigen::MatrixXd own = phi(rows, Eigen::all);
        return (own.transpose() * own + lambda * Eigen::MatrixXd::Identity(n + 1, n + 1))
            .llt()
            .solve(own.transpose() * Eigen::MatrixXd(Z(rows, Eigen::all)));
      };
      std::vector<int64_t> all(static_cast<size_t>(N));
      std::iota(all.begin(), all.end(), 0);
      CHECK((fitted(all) - beta).norm() < 1e-10);
      for (int64_t i = 0; i < N; ++i) {
        std::vector<int64_t> others = all;
        others.erase(others.begin() + i);
        CHECK((phi.row(i) * fitted(others) - scores.col(i).transpose()).norm() < 1e-10);
      }
    }
  }
}

TEST_CASE("waves approach kernel ridge, with the same bits for any threads and as dense and sparse rows",
          "[bases][waves]") {
  kit::Rng rng(31);
  const int64_t N = 1100, V = 2;  // more rows than one piece of waves has
  RowMatrix X = random_rows(rng, N, 5);
  for (double& x : X.reshaped())
    if (rng.uniform() < 0.5) x = 0;
  LabelMatrix Y(V, N);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t v = 0; v < V; ++v) Y(v, i) = X(i, v) * X(i, v + 1) + 0.2 * rng.normal() > 0.1 ? 1 : -1;
  const Features rows(X), sparse(SparseMatrix(X.sparseView())), fresh(random_rows(rng, 130, 5));
  ThreadPool one(1), several(3);
  const auto terms = [&](const Features& train, ThreadPool& pool, std::optional<int64_t> waves) {
    Settings settings;
    settings.scores.rbf_width = 0.6;
    settings.scores.rbf_features = waves;
    settings.scores.ovr_lambda = 0.01;
    settings.train.method = Method::likelihood;
    const FitInput input(settings, train, Y, 1, pool, {});
    Parameters none{RowMatrix::Zero(input.preprocess().outputs(), V), Eigen::MatrixXd::Zero(V, V)};
    return input.linear_terms(none, input.rows(fresh, pool));
  };
  const Eigen::MatrixXd exact = terms(rows, one, std::nullopt), found = terms(rows, one, 1000);
  CHECK(terms(rows, several, 1000) == found);
  CHECK(terms(sparse, several, 1000) == terms(sparse, one, 1000));
  CHECK((terms(sparse, one, 1000) - found).norm() < 1e-6 * found.norm());
  CHECK((found - exact).norm() < 0.25 * exact.norm());
  CHECK((terms(rows, one, 60) - exact).norm() > 2 * (found - exact).norm());  // as 1/sqrt(n): 4 times
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
