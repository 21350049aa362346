// SPDX-License-Identifier: MIT
// Missing features: what fills them, against a computation column by column.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include <concord/kit/rng.hpp>

#include "data_support.hpp"
#include "model/model.hpp"

namespace concord::imputation_test {
using namespace concord::test;

double mode_of(const Eigen::VectorXd& column) {
  std::map<double, int> counts;
  for (const double x : column)
    if (!std::isnan(x)) ++counts[x];
  double best = 0;
  int most = 0;
  for (const auto& [value, count] : counts)
    if (count > most) {
      most = count;
      best = value;
    }
  return best;
}

double mean_of(const Eigen::VectorXd& column) {
  double sum = 0, count = 0;
  for (const double x : column)
    if (!std::isnan(x)) {
      sum += x;
      count += 1;
    }
  return count > 0 ? sum / count : 0;
}

TEST_CASE("Missing features are filled from the training rows, dense and sparse alike", "[model]") {
  kit::Rng rng(3);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<int64_t>(1 + rng.below(12)), d = static_cast<int64_t>(1 + rng.below(6));
    RowMatrix X(n, d);
    for (double& x : X.reshaped())
      x = rng.below(5) == 0 ? std::nan("") : static_cast<double>(rng.below(4)) - 1;
    const Features dense(X), sparse(SparseMatrix(X.sparseView(1, 0)));
    for (const Missing how : {Missing::mean, Missing::most_frequent, Missing::indicator}) {
      const Imputation fitted = Imputation::fit(how, dense), again = Imputation::fit(how, sparse);
      CHECK(fitted.fill.isApprox(again.fill, 1e-12));
      CHECK(fitted.indicators == again.indicators);
      const Eigen::MatrixXd filled = dense_of(fitted.apply(dense));
      CHECK(filled.isApprox(dense_of(fitted.apply(sparse)), 1e-12));
      for (int64_t j = 0; j < d; ++j) {
        const double value = how == Missing::most_frequent ? mode_of(X.col(j)) : mean_of(X.col(j));
        for (int64_t i = 0; i < n; ++i)
          CHECK(filled(i, j) == Approx(std::isnan(X(i, j)) ? value : X(i, j)).margin(1e-12));
      }
      CHECK((how == Missing::indicator || filled.cols() == d));
      for (int64_t k = 0; k < fitted.indicators.size(); ++k)
        for (int64_t i = 0; i < n; ++i)
          CHECK(filled(i, d + k) == (std::isnan(X(i, static_cast<int64_t>(fitted.indicators(k)))) ? 1 : 0));
    }
  }
}

TEST_CASE("Columns that are missing together share an indicator", "[model]") {
  RowMatrix X(3, 4);
  X << 1, NAN, NAN, NAN, 2, 1, 0, NAN, 3, 0, 1, 1;
  const Imputation fitted = Imputation::fit(Missing::indicator, Features(X));
  CHECK(fitted.indicators == Eigen::Vector2d(1, 3));
}

TEST_CASE("Filling comes before scaling", "[model]") {
  RowMatrix X(4, 2);
  X << 1, 10, NAN, 20, 3, NAN, 5, 30;
  PreprocessSettings settings;
  settings.missing = Missing::indicator;
  settings.scale = Scale::standardise;
  const Preprocessor fitted = Preprocessor::fit(settings, Features(X), 1);
  CHECK(fitted.filled() == 4);
  CHECK(fitted.outputs() == 5);
  const Eigen::MatrixXd out = dense_of(fitted.apply(Features(X)));
  CHECK(out.allFinite());
  for (int64_t j = 0; j < 4; ++j) {
    CHECK(out.col(j).mean() == Approx(0).margin(1e-12));
    CHECK(out.col(j).squaredNorm() == Approx(4));
  }
}

}  // namespace concord::imputation_test
