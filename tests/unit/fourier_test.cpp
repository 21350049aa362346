// SPDX-License-Identifier: MIT
// Random Fourier features: their kernel, their bits, and their place between scale and bias.
#include <catch2/catch.hpp>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "model/model.hpp"

namespace concord::fourier_test {

namespace {

RowMatrix random_rows(kit::Rng& rng, int64_t rows, int64_t columns, double zeros) {
  RowMatrix X(rows, columns);
  for (double& x : X.reshaped()) x = rng.uniform() < zeros ? 0 : rng.normal();
  return X;
}

PreprocessSettings waves(int64_t count, double width, double bias = 0) {
  PreprocessSettings settings;
  settings.bias = bias;
  settings.fourier = count;
  settings.fourier_width = width;
  return settings;
}

}  // namespace

TEST_CASE("inner products of Fourier features approach the Gaussian kernel", "[fourier]") {
  kit::Rng rng(51);
  for (const double width : {0.5, 1.0, 3.0}) {
    const RowMatrix X = random_rows(rng, 12, 4, 0.2);
    const Features features{RowMatrix(X)};
    constexpr int64_t count = 20000;
    const RowMatrix Z = Preprocessor::fit(waves(count, width), features, 7).apply(features).dense();
    for (int64_t i = 0; i < X.rows(); ++i)
      for (int64_t j = 0; j <= i; ++j) {
        const double kernel = std::exp(-(X.row(i) - X.row(j)).squaredNorm() / (2 * width * width));
        // The mean of `count` products between -2 and 2, of deviation 1 at most: six standard errors.
        CHECK(Z.row(i).dot(Z.row(j)) == Approx(kernel).margin(6 / std::sqrt(static_cast<double>(count))));
      }
  }
}

TEST_CASE("Fourier features of an instance have the same bits in any company, dense or sparse", "[fourier]") {
  kit::Rng rng(52);
  const RowMatrix X = random_rows(rng, 9, 7, 0.5);
  const Features dense{RowMatrix(X)}, sparse{SparseMatrix(X.sparseView())};
  for (const int64_t count : {1, 5, 64}) {
    const Preprocessor fitted = Preprocessor::fit(waves(count, 1.5, 2), dense, 3);
    const RowMatrix all = fitted.apply(dense).dense();
    CHECK(fitted.outputs() == count + 1);
    CHECK(all.cols() == count + 1);
    CHECK((all.col(count).array() == 2).all());
    CHECK(fitted.apply(sparse).dense() == all);
    for (int64_t i = 0; i < X.rows(); ++i)
      CHECK(fitted.apply(dense.select(std::vector<int64_t>{i})).dense() == all.row(i));
  }
}

TEST_CASE("the seed alone draws the frequencies, whatever the data", "[fourier]") {
  kit::Rng rng(53);
  const Features one{random_rows(rng, 5, 6, 0)}, other{random_rows(rng, 8, 6, 0)};
  const Preprocessor a = Preprocessor::fit(waves(10, 2), one, 1),
                     b = Preprocessor::fit(waves(10, 2), other, 1);
  CHECK(a.waves.frequencies == b.waves.frequencies);
  CHECK(a.waves.phases == b.waves.phases);
  CHECK(Preprocessor::fit(waves(10, 2), one, 2).waves.frequencies != a.waves.frequencies);
  // A width only stretches them.
  CHECK(Preprocessor::fit(waves(10, 1), one, 1).waves.frequencies.isApprox(2 * a.waves.frequencies, 1e-15));
}

TEST_CASE("Fourier features see the scaled features", "[fourier]") {
  kit::Rng rng(54);
  const RowMatrix X = random_rows(rng, 6, 4, 0);
  PreprocessSettings settings = waves(8, 1);
  settings.scale = Scale::l2;
  const Features given{RowMatrix(X)}, normed{RowMatrix(X.rowwise().normalized())};
  const RowMatrix scaled_here = Preprocessor::fit(settings, given, 1).apply(given).dense();
  const RowMatrix scaled_before = Preprocessor::fit(waves(8, 1), normed, 1).apply(normed).dense();
  CHECK(scaled_here.isApprox(scaled_before, 1e-12));
}

}  // namespace concord::fourier_test
