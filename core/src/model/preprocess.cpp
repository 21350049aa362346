// SPDX-License-Identifier: MIT
#include "model/preprocess.hpp"

#include <cmath>

namespace concord {
namespace {

/// Calls visit(row, column, value) for every stored entry.
template <class Visit>
void for_entries(const Features& X, Visit&& visit) {
  for (int64_t i = 0; i < X.rows(); ++i) {
    if (X.is_sparse())
      for (SparseMatrix::InnerIterator it(X.sparse(), i); it; ++it) visit(i, it.col(), it.value());
    else
      for (int64_t j = 0; j < X.columns(); ++j) visit(i, j, X.dense()(i, j));
  }
}

/// Of a copy, whose place in memory is always aligned: Eigen sums in another order where it is not, and the
/// bits of an instance must not depend on those before it.
double norm_of(const Eigen::VectorXd& copy) {
  return copy.stableNorm();
}

void rows_to_norm_1(RowMatrix& X) {
  for (int64_t i = 0; i < X.rows(); ++i)
    if (const double norm = norm_of(X.row(i)); norm > 0) X.row(i) /= norm;
}

void rows_to_norm_1(SparseMatrix& X) {
  for (int64_t i = 0; i < X.rows(); ++i) {
    const int64_t from = X.outerIndexPtr()[i];
    Eigen::Map<Eigen::VectorXd> row(X.valuePtr() + from, X.outerIndexPtr()[i + 1] - from);
    if (const double norm = norm_of(row); norm > 0) row /= norm;
  }
}

}  // namespace

Preprocessor Preprocessor::fit(const PreprocessSettings& settings, const Features& train) {
  Preprocessor fitted{settings, train.columns(), {}, {}};
  const auto N = static_cast<double>(train.rows());
  if (settings.scale == Scale::standardise) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(train.columns());
    for_entries(train, [&](int64_t, int64_t j, double x) { mean(j) += x / N; });
    // Second pass: the squares of deviations, those of the entries that a sparse row omits included.
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(train.columns());
    Eigen::VectorXd seen = squares, largest = squares;
    for_entries(train, [&](int64_t, int64_t j, double x) {
      squares(j) += (x - mean(j)) * (x - mean(j)) / N;
      seen(j) += 1;
      largest(j) = std::max(largest(j), std::abs(x));
    });
    squares.array() += (N - seen.array()) / N * mean.array().square();
    // Below that a column is constant but for the rounding of its mean.
    fitted.factor = squares.binaryExpr(
        largest, [](double s, double x) { return std::sqrt(s) > 1e-12 * x ? 1 / std::sqrt(s) : 1.0; });
    if (!train.is_sparse()) fitted.centre = mean;
  } else if (settings.scale == Scale::idf) {
    Eigen::VectorXd carriers = Eigen::VectorXd::Zero(train.columns());
    for_entries(train, [&](int64_t, int64_t j, double x) { carriers(j) += x != 0 ? 1 : 0; });
    fitted.factor = 1 + ((1 + N) / (1 + carriers.array())).log();
  }
  return fitted;
}

Features Preprocessor::apply(const Features& X) const {
  const bool norm_1 = settings.scale == Scale::l2 || settings.scale == Scale::idf;
  const bool with_bias = settings.bias != 0;
  if (!X.is_sparse()) {
    RowMatrix scaled = X.dense();
    if (centre.size() > 0) scaled.rowwise() -= centre.transpose();
    if (factor.size() > 0) scaled.array().rowwise() *= factor.transpose().array();
    if (norm_1) rows_to_norm_1(scaled);
    scaled.conservativeResize(Eigen::NoChange, outputs());
    if (with_bias) scaled.col(inputs).setConstant(settings.bias);
    return Features(std::move(scaled));
  }
  if (centre.size() > 0) {  // the training data were dense, these happen to be sparse
    return apply(Features(RowMatrix(X.sparse())));
  }
  SparseMatrix scaled = X.sparse();
  if (factor.size() > 0)
    for (int64_t e = 0; e < scaled.nonZeros(); ++e) scaled.valuePtr()[e] *= factor(scaled.innerIndexPtr()[e]);
  if (norm_1) rows_to_norm_1(scaled);
  if (!with_bias) return Features(std::move(scaled));
  SparseMatrix extended(X.rows(), outputs());
  extended.reserve(scaled.nonZeros() + X.rows());
  for (int64_t i = 0; i < X.rows(); ++i) {
    extended.startVec(i);
    for (SparseMatrix::InnerIterator it(scaled, i); it; ++it) extended.insertBack(i, it.col()) = it.value();
    extended.insertBack(i, inputs) = settings.bias;
  }
  extended.finalize();
  return Features(std::move(extended));
}

}  // namespace concord
