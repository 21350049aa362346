// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "model/model.hpp"

namespace concord {
namespace {

/// Calls visit(row, column, value) for every stored entry.
template <class Visit>
void for_cells(const Features& X, Visit&& visit) {
  for (int64_t i = 0; i < X.rows(); ++i) X.for_row(i, [&](int64_t j, double x) { visit(i, j, x); });
}

/// The rows that lack each column.
std::vector<std::vector<int64_t>> missing_rows(const Features& X) {
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(X.columns()));
  for_cells(X, [&](int64_t i, int64_t j, double x) {
    if (std::isnan(x)) rows[static_cast<size_t>(j)].push_back(i);
  });
  return rows;
}

Eigen::VectorXd means(const Features& X) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(X.columns());
  Eigen::VectorXd count = Eigen::VectorXd::Constant(X.columns(), static_cast<double>(X.rows()));
  for_cells(X, [&](int64_t, int64_t j, double x) { std::isnan(x) ? count(j) -= 1 : sum(j) += x; });
  return (count.array() > 0).select(sum.array() / count.array().max(1), 0);
}

/// Entries that a sparse row omits are 0, and count.
Eigen::VectorXd most_frequent(const Features& X) {
  std::vector<std::vector<double>> values(static_cast<size_t>(X.columns()));
  std::vector<int64_t> omitted(values.size(), X.rows());
  for_cells(X, [&](int64_t, int64_t j, double x) {
    --omitted[static_cast<size_t>(j)];
    if (!std::isnan(x)) values[static_cast<size_t>(j)].push_back(x);
  });
  Eigen::VectorXd modes = Eigen::VectorXd::Zero(X.columns());
  for (size_t j = 0; j < values.size(); ++j) {
    std::sort(values[j].begin(), values[j].end());
    int64_t most = 0;
    const auto meet = [&](double value, int64_t count) {
      if (count > most || (count == most && value < modes(static_cast<int64_t>(j)))) {
        most = count;
        modes(static_cast<int64_t>(j)) = value;
      }
    };
    int64_t zeros = omitted[j];
    for (auto begin = values[j].begin(); begin != values[j].end();) {
      const auto end = std::upper_bound(begin, values[j].end(), *begin);
      if (*begin == 0)
        zeros += end - begin;
      else
        meet(*begin, end - begin);
      begin = end;
    }
    if (zeros > 0) meet(0, zeros);
  }
  return modes;
}

}  // namespace

Imputation Imputation::fit(Missing missing, const Features& train) {
  Imputation fitted;
  fitted.fill = missing == Missing::most_frequent ? most_frequent(train) : means(train);
  if (missing != Missing::indicator) return fitted;
  std::map<std::vector<int64_t>, int64_t> seen;
  std::vector<double> columns;
  auto rows = missing_rows(train);
  for (size_t j = 0; j < rows.size(); ++j)
    if (!rows[j].empty() && seen.emplace(std::move(rows[j]), 0).second)
      columns.push_back(static_cast<double>(j));
  fitted.indicators = Eigen::Map<Eigen::VectorXd>(columns.data(), static_cast<int64_t>(columns.size()));
  return fitted;
}

Features Imputation::apply(const Features& X) const {
  const int64_t d = X.columns(), extra = indicators.size();
  if (!X.is_sparse()) {
    RowMatrix filled = RowMatrix::Zero(X.rows(), d + extra);
    filled.leftCols(d) = X.dense();
    for (int64_t i = 0; i < X.rows(); ++i) {
      for (int64_t k = 0; k < extra; ++k)
        filled(i, d + k) = std::isnan(filled(i, static_cast<int64_t>(indicators(k)))) ? 1 : 0;
      for (int64_t j = 0; j < d; ++j)
        if (std::isnan(filled(i, j))) filled(i, j) = fill(j);
    }
    return Features(std::move(filled));
  }
  SparseMatrix filled(X.rows(), d + extra);
  filled.reserve(X.stored() + X.rows());
  for (int64_t i = 0; i < X.rows(); ++i) {
    filled.startVec(i);
    std::vector<int64_t> on;  // indicators; both lists of columns rise
    int64_t k = 0;
    X.for_row(i, [&](int64_t j, double x) {
      if (!std::isnan(x)) {
        filled.insertBack(i, j) = x;
        return;
      }
      if (fill(j) != 0) filled.insertBack(i, j) = fill(j);
      while (k < extra && indicators(k) < static_cast<double>(j)) ++k;
      if (k < extra && indicators(k) == static_cast<double>(j)) on.push_back(k);
    });
    for (const int64_t one : on) filled.insertBack(i, d + one) = 1;
  }
  filled.finalize();
  return Features(filled);
}

std::string Imputation::fault(std::optional<Missing> missing, int64_t columns) const {
  if (fill.size() != (missing ? columns : 0) || (indicators.size() > 0 && missing != Missing::indicator))
    return fmt::format("it fills {} columns with {} indicators, which does not fit {} features", fill.size(),
                       indicators.size(), columns);
  if (!fill.allFinite()) return "what it fills missing features with is not finite";
  for (int64_t k = 0; k < indicators.size(); ++k)
    if (!(indicators(k) >= 0 && indicators(k) < static_cast<double>(columns)) ||
        indicators(k) != std::floor(indicators(k)) || (k > 0 && indicators(k) <= indicators(k - 1)))
      return fmt::format("{} is no column for an indicator of missing features", indicators(k));
  return "";
}

MissingColumn first_missing(const Features& X) {
  const auto rows = missing_rows(X);
  MissingColumn found;
  for (size_t j = 0; j < rows.size(); ++j) {
    if (rows[j].empty()) continue;
    if (found.columns++ == 0) {
      found.column = static_cast<int64_t>(j);
      found.count = static_cast<int64_t>(rows[j].size());
    }
  }
  return found;
}

}  // namespace concord
