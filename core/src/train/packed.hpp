// SPDX-License-Identifier: MIT
#pragma once
// Symmetric V x V matrices as training keeps them: the strict lower triangle by columns, then the diagonal where
// it is learned. A sum over such a matrix counts what is off the diagonal twice.
#include <Eigen/Core>
#include <cstdint>
#include <limits>

#include "model/settings.hpp"

namespace concord {

/// The shape, and what can be done with arrays of size().
class PackedShape {
 public:
  PackedShape(int64_t V, bool with_diagonal)
      : V_(V), pairs_(V * (V - 1) / 2), with_diagonal_(with_diagonal) {}

  int64_t labels() const { return V_; }
  int64_t pairs() const { return pairs_; }
  int64_t size() const { return pairs_ + (with_diagonal_ ? V_ : 0); }
  Eigen::ArrayXd zero() const { return Eigen::ArrayXd::Zero(size()); }

  template <class A, class B>
  double dot(const A& a, const B& b) const {
    return 2 * (a.head(pairs_) * b.head(pairs_)).sum() +
           (a.tail(size() - pairs_) * b.tail(size() - pairs_)).sum();
  }

  /// FF'
  template <class Factor>
  void moment(const Factor& F, Eigen::ArrayXd& packed) const {
    double* column = packed.data();
    for (int64_t j = 0; j + 1 < V_; ++j) {
      Eigen::Map<Eigen::VectorXd> segment(column, V_ - 1 - j);
      if (F.cols() == 1)
        segment = F(j, 0) * F.col(0).tail(V_ - 1 - j);
      else
        segment.noalias() = F.bottomRows(V_ - 1 - j) * F.row(j).transpose();
      column += V_ - 1 - j;
    }
    if (with_diagonal_) packed.tail(V_) = F.rowwise().squaredNorm().array();
  }

  Eigen::MatrixXd unpacked(const Eigen::ArrayXd& packed) const {
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(V_, V_);
    const double* column = packed.data();
    for (int64_t j = 0; j + 1 < V_; ++j) {
      full.col(j).tail(V_ - 1 - j) = Eigen::Map<const Eigen::VectorXd>(column, V_ - 1 - j);
      full.row(j).tail(V_ - 1 - j) = full.col(j).tail(V_ - 1 - j).transpose();
      column += V_ - 1 - j;
    }
    if (with_diagonal_) full.diagonal() = packed.tail(V_).matrix();
    return full;
  }

 private:
  int64_t V_, pairs_;
  bool with_diagonal_;
};

/// The closed cone of allowed priors: a sign off the diagonal. The diagonal is free where it is learned.
class PriorCone {
 public:
  explicit PriorCone(PriorSign sign)
      : lowest_(sign == PriorSign::repulsive || sign == PriorSign::none ? 0 : -infinity),
        highest_(sign == PriorSign::attractive || sign == PriorSign::none ? 0 : infinity) {}

  bool is_whole_space() const { return lowest_ != 0 && highest_ != 0; }
  /// The nearest allowed value of an entry off the diagonal.
  double project(double a) const { return a < lowest_ ? 0 : a > highest_ ? 0 : a; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double lowest_, highest_;
};

}  // namespace concord
