// SPDX-License-Identifier: MIT
// The bits of W'x. Models, checkpoints and predictions of earlier versions came from sums in this order, and a sum in another
// order is equal to eye and tolerance only: thresholds then cut ties otherwise, and a resumed run ends elsewhere. The
// expected bits are computed here, by the same compiler for the same instruction set.
#include "model/linear.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <numeric>

#include <concord/kit/rng.hpp>

#include "predict/predictor.hpp"

namespace concord::linear_test {
namespace {

constexpr int64_t kInstances = 300, kFeatures = 103, kLabels = 14;  // several chunks of prediction

/// Numbers of many magnitudes, so that every other order of a sum has other bits.
RowMatrix random_matrix(kit::Rng& rng, int64_t rows, int64_t columns) {
  RowMatrix M(rows, columns);
  for (int64_t i = 0; i < M.size(); ++i) M.data()[i] = rng.normal() * std::exp(2 * rng.normal());
  return M;
}

struct Case {
  RowMatrix W;
  RowMatrix X;
  std::vector<int64_t> rows;  ///< some instances, in no order
};
Case random_case(uint64_t seed) {
  kit::Rng rng(seed);
  Case c{random_matrix(rng, kFeatures, kLabels), random_matrix(rng, kInstances, kFeatures), {}};
  for (int64_t i = 0; i < kInstances; i += 3) c.rows.push_back((7 * i) % kInstances);
  return c;
}

bool same_bits(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<size_t>(a.size())) == 0;
}

/// The columns of S that belong to the rows.
Eigen::MatrixXd columns(const Eigen::MatrixXd& S, const std::vector<int64_t>& rows) {
  Eigen::MatrixXd some(S.rows(), static_cast<int64_t>(rows.size()));
  for (size_t j = 0; j < rows.size(); ++j) some.col(static_cast<int64_t>(j)) = S.col(rows[j]);
  return some;
}

}  // namespace

TEST_CASE("W'x of sparse features is summed in the order of the columns") {
  const Case c = random_case(1);
  RowMatrix X = c.X;
  for (int64_t i = 0; i < X.size(); ++i)
    if (i % 3 != 0) X.data()[i] = 0;
  const Features features(SparseMatrix(X.sparseView()));
  REQUIRE(features.is_sparse());

  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(kLabels, kInstances);
  for (int64_t i = 0; i < kInstances; ++i)
    for (int64_t f = 0; f < kFeatures; ++f) {
      if (X(i, f) == 0) continue;
      for (int64_t v = 0; v < kLabels; ++v) {
        const volatile double product = X(i, f) * c.W(f, v);  // rounded by itself, also where there is FMA
        expected(v, i) += product;
      }
    }
  for (int64_t i = 0; i < kInstances; ++i) REQUIRE(same_bits(score(c.W, features, i), expected.col(i)));
  ThreadPool pool(3);
  CHECK(same_bits(scores(c.W, features, c.rows, pool), columns(expected, c.rows)));
  CHECK(same_bits(block_scores(c.W, features, 17, 100), expected.middleCols(17, 100)));
  CHECK(same_bits(label_scores(c.W, features), expected));
}

TEST_CASE("W'x of dense features is a product of Eigen for 64 rows, in training and in prediction") {
  const Case c = random_case(2);
  const Features features{RowMatrix(c.X)};

  for (int64_t i = 0; i < kInstances; ++i)
    REQUIRE(same_bits(score(c.W, features, i), (c.X.row(i) * c.W).transpose()));
  const auto count = static_cast<int64_t>(c.rows.size());
  Eigen::MatrixXd of_training(kLabels, count);
  for (int64_t begin = 0; begin < count; begin += 64) {
    RowMatrix chosen(std::min<int64_t>(64, count - begin), kFeatures);
    for (int64_t j = 0; j < chosen.rows(); ++j)
      chosen.row(j) = c.X.row(c.rows[static_cast<size_t>(begin + j)]);
    const RowMatrix products = chosen * c.W;
    of_training.middleCols(begin, chosen.rows()) = products.transpose();
  }
  ThreadPool pool(3);
  CHECK(same_bits(scores(c.W, features, c.rows, pool), of_training));

  Eigen::MatrixXd of_prediction(kLabels, kInstances);
  for (int64_t begin = 0; begin < kInstances; begin += Predictor::kChunk) {
    const int64_t n = std::min(Predictor::kChunk, kInstances - begin);
    const Eigen::MatrixXd block = c.W.transpose() * c.X.middleRows(begin, n).transpose();
    CHECK(same_bits(block_scores(c.W, features, begin, n), block));
    of_prediction.middleCols(begin, n) = block;
  }
  CHECK(same_bits(label_scores(c.W, features), of_prediction));
}

}  // namespace concord::linear_test
