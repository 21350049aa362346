// SPDX-License-Identifier: MIT
#pragma once
// Families of subproblems, their equality rows, and the spectral bound of every member, by which the host leaves most out.
#include <Eigen/Core>
#include <cmath>
#include <mutex>
#include <optional>
#include <span>

#include <concord/abi.h>
#include <concord/kit/spectral.hpp>

#include "problem/problem.hpp"

namespace concord {

/// The equality rows E'u = beta of one problem.
struct EqualityRows {
  Eigen::MatrixXd E;     ///< V x q
  Eigen::VectorXd beta;  ///< q
};

/// max over s of constants(s) + max_u { u'(c + D t(s)) - u'Au : rows(r)'u = beta(r, s) unless NaN }
struct FamilyData {
  Eigen::MatrixXd D;          ///< V x m
  Eigen::VectorXd constants;  ///< n
  Eigen::MatrixXd t;          ///< m x n
  Eigen::MatrixXd rows;       ///< V x q
  Eigen::MatrixXd beta;       ///< q x n

  int64_t labels() const { return D.rows(); }
  int64_t size() const { return constants.size(); }
  /// Whether row r is the cardinality.
  bool is_cardinality(int64_t r) const { return (rows.col(r).array() == 1).all(); }
  /// Row r of subproblem s as it crosses the border; valid as long as view().
  concord_row row(int64_t r, int64_t s) const {
    return {sizeof(concord_row), 0, is_cardinality(r) ? nullptr : rows.col(r).data(), beta(r, s)};
  }
  /// The rows that are imposed on subproblem s.
  EqualityRows rows_of(int64_t s) const {
    EqualityRows imposed{rows, beta.col(s)};
    int64_t q = 0;
    for (int64_t r = 0; r < rows.cols(); ++r) {
      if (std::isnan(beta(r, s))) continue;
      imposed.E.col(q) = rows.col(r);
      imposed.beta(q++) = beta(r, s);
    }
    imposed.E.conservativeResize(Eigen::NoChange, q);
    imposed.beta.conservativeResize(q);
    return imposed;
  }

  /// The view that crosses the border; valid while *this is neither changed nor destroyed.
  concord_family view() const {
    const auto raw = [](const auto& m) { return const_cast<double*>(m.data()); };  // decoders only read it
    return {sizeof(concord_family), 0,      labels(),  size(),   D.cols(), rows.cols(), raw(D),
            raw(constants),         raw(t), raw(rows), raw(beta)};
  }
};

class FamilyBounds {
 public:
  /// A is decomposed when a bound is first asked for. A sparse A becomes dense only then.
  explicit FamilyBounds(const PriorMatrix& A);

  /// Several subproblems, each with a cardinality or without.
  static bool apply_to(const FamilyData& family);

  /// bound(s) >= constant_s + u'(c + D t_s) - u'Au for every labelling u of subproblem s; the spectral values, to
  /// rounding. requires apply_to(family)
  Eigen::VectorXd of(const Eigen::VectorXd& c, const FamilyData& family) const;

 private:
  const kit::SpectralFactors& factors() const;

  SparseMatrix sparse_;
  mutable std::once_flag once_;
  mutable std::optional<kit::SpectralFactors> factors_;  ///< of a dense A from the beginning
};

/// The narrowest class that holds these rows of V coefficients (null: all ones).
int32_t class_of_rows(std::span<const concord_row> rows, int64_t labels);
int32_t class_of_rows(const FamilyData& family);

/// Does a plugin that declares `can` take every problem of class `needed`?
bool covers(int32_t can, int32_t needed);

/// "an equality row of zeros and ones", of a class of problems.
const char* rows_of_class(int32_t constraints);
/// "takes only a cardinality", of a plugin that declares the class.
const char* takes_of_class(int32_t constraints);

}  // namespace concord
