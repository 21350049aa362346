// SPDX-License-Identifier: MIT
#include <cmath>

#include <concord/kit/rng.hpp>

#include "model/model.hpp"

namespace concord {
namespace {

constexpr uint64_t kFourierStream = 21;  // of the run's seed; training has others

/// Calls visit(column, value) for every stored entry.
template <class Visit>
void for_entries(const Features& X, Visit&& visit) {
  for (int64_t i = 0; i < X.rows(); ++i) X.for_row(i, visit);
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

Preprocessor Preprocessor::fit(const PreprocessSettings& settings, const Features& train, uint64_t seed,
                               int64_t given) {
  Preprocessor fitted;
  fitted.settings = settings;
  fitted.inputs = train.columns();
  fitted.given = given;
  if (settings.missing) {
    fitted.imputation = Imputation::fit(*settings.missing, given > 0 ? fitted.own(train) : train);
    fitted.fit_scale(fitted.imputation.apply(given > 0 ? fitted.own(train) : train));
  } else {
    fitted.fit_scale(given > 0 ? fitted.own(train) : train);
  }
  if (settings.fourier && fitted.seen() > 0)
    fitted.waves = Waves::draw(fitted.filled(), *settings.fourier, settings.fourier_width.value_or(1),
                               kit::derive(seed, kFourierStream));
  return fitted;
}

void Preprocessor::fit_scale(const Features& train) {
  const auto N = static_cast<double>(train.rows());
  if (settings.scale == Scale::standardise) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(train.columns());
    for_entries(train, [&](int64_t j, double x) { mean(j) += x / N; });
    // Second pass: the squares of deviations, those of the entries that a sparse row omits included.
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(train.columns());
    Eigen::VectorXd seen = squares, largest = squares;
    for_entries(train, [&](int64_t j, double x) {
      squares(j) += (x - mean(j)) * (x - mean(j)) / N;
      seen(j) += 1;
      largest(j) = std::max(largest(j), std::abs(x));
    });
    squares.array() += (N - seen.array()) / N * mean.array().square();
    // Below that a column is constant but for the rounding of its mean.
    factor = squares.binaryExpr(
        largest, [](double s, double x) { return std::sqrt(s) > 1e-12 * x ? 1 / std::sqrt(s) : 1.0; });
    if (!train.is_sparse()) centre = mean;
  } else if (settings.scale == Scale::idf) {
    Eigen::VectorXd carriers = Eigen::VectorXd::Zero(train.columns());
    for_entries(train, [&](int64_t j, double x) { carriers(j) += x != 0 ? 1 : 0; });
    factor = 1 + ((1 + N) / (1 + carriers.array())).log();
  }
}

Features Preprocessor::own(const Features& X) const {
  return X.middle_columns(0, features());
}

RowMatrix Preprocessor::given_scores(const Features& X) const {
  const Features last = X.middle_columns(features(), given);
  return last.is_sparse() ? RowMatrix(last.sparse()) : last.dense();
}

Features Preprocessor::scaled(const Features& X) const {
  if (settings.missing) return scale(imputation.apply(given > 0 ? own(X) : X));
  return given > 0 ? scale(own(X)) : scale(X);
}

Features Preprocessor::apply(const Features& X, ThreadPool* pool) const {
  if (seen() == 0) return with_bias(Features(RowMatrix(X.rows(), 0)));
  Features own_scaled = scaled(X);
  return with_bias(settings.fourier ? Features(waves.of(own_scaled, pool)) : std::move(own_scaled));
}

Features Preprocessor::scale(const Features& X) const {
  const bool norm_1 = settings.scale == Scale::l2 || settings.scale == Scale::idf;
  if (!X.is_sparse()) {
    RowMatrix scaled = X.dense();
    if (centre.size() > 0) scaled.rowwise() -= centre.transpose();
    if (factor.size() > 0) scaled.array().rowwise() *= factor.transpose().array();
    if (norm_1) rows_to_norm_1(scaled);
    return Features(std::move(scaled));
  }
  if (centre.size() > 0) {  // the training data were dense, these happen to be sparse
    return scale(Features(RowMatrix(X.sparse())));
  }
  SparseMatrix scaled = X.sparse();
  if (factor.size() > 0)
    for (int64_t e = 0; e < scaled.nonZeros(); ++e) scaled.valuePtr()[e] *= factor(scaled.innerIndexPtr()[e]);
  if (norm_1) rows_to_norm_1(scaled);
  return Features(scaled);
}

Features Preprocessor::with_bias(Features features) const {
  if (settings.bias == 0) return features;
  const int64_t last = features.columns();
  if (!features.is_sparse()) {
    RowMatrix extended(features.rows(), last + 1);
    extended.leftCols(last) = features.dense();
    extended.col(last).setConstant(settings.bias);
    return Features(std::move(extended));
  }
  SparseMatrix extended(features.rows(), last + 1);
  extended.reserve(features.stored() + features.rows());
  for (int64_t i = 0; i < features.rows(); ++i) {
    extended.startVec(i);
    features.for_row(i, [&](int64_t j, double x) { extended.insertBack(i, j) = x; });
    extended.insertBack(i, last) = settings.bias;
  }
  extended.finalize();
  return Features(extended);
}

}  // namespace concord
