// SPDX-License-Identifier: MIT
// The symmetric eigenproblem in pieces: against its definition and Eigen's solver, and the same bits whoever runs the pieces.
#include <catch2/catch.hpp>
#include <thread>

#include <concord/kit/lapack.hpp>
#include <concord/kit/rng.hpp>

namespace concord::divided_eigen_test {

using namespace concord::kit;

namespace {

/// All signs; few entries; repeated eigenvalues; a diagonal one; halves that do not touch; zero; low rank.
Eigen::MatrixXd symmetric(Rng& rng, Index n, int kind) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double x = rng.normal();
      const bool kept = kind == 0 || (kind == 1 && rng.uniform() < 3.0 / static_cast<double>(n)) ||
                        (kind == 3 && i == j) || (kind == 4 && (i < n / 2) == (j < n / 2));
      if (kept) A(i, j) = A(j, i) = x;
    }
  if (kind == 2) A = Eigen::MatrixXd::Identity(n, n) + Eigen::MatrixXd::Constant(n, n, 0.1);
  if (kind == 6) {
    const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(n, -1, 1), w = v.array().square();
    A = v * v.transpose() - w * w.transpose();
  }
  return A;
}

void backwards(Index count, const std::function<void(Index)>& piece) {
  for (Index i = count; i > 0; --i) piece(i - 1);
}

void threads(Index count, const std::function<void(Index)>& piece) {
  std::vector<std::thread> all;
  for (Index i = 0; i < count; ++i) all.emplace_back([&piece, i] { piece(i); });
  for (auto& thread : all) thread.join();
}

}  // namespace

TEST_CASE("the eigenproblem in pieces is solved, with the same bits for any order of the pieces") {
  Rng rng(31);
  for (const Index n : {4, 5, 7, 33, 64, 65, 120, 131, 158})
    for (int kind = 0; kind <= 6; ++kind) {
      CAPTURE(n, kind);
      const Eigen::MatrixXd A = symmetric(rng, n, kind);
      Eigen::MatrixXd Q = A, peer = A;
      Eigen::VectorXd values, expected;
      divided_symmetric(Q, values, one_by_one);
      eigen_symmetric(peer, expected);
      const double size = 1e-14 * static_cast<double>(n) * (1 + A.norm());
      CHECK((A * Q - Q * values.asDiagonal()).norm() <= size);
      CHECK((Q.transpose() * Q - Eigen::MatrixXd::Identity(n, n)).norm() <= 1e-14 * static_cast<double>(n));
      CHECK((values - expected).norm() <= size);
      CHECK(std::is_sorted(values.begin(), values.end()));
      for (const InPieces& run : {InPieces(backwards), InPieces(threads)}) {
        Eigen::MatrixXd again = A;
        Eigen::VectorXd same;
        divided_symmetric(again, same, run);
        CHECK(again == Q);
        CHECK(same == values);
      }
    }
}

}  // namespace concord::divided_eigen_test
