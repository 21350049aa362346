// SPDX-License-Identifier: MIT
#pragma once
// A moment with unit diagonal out of points on spheres. Points u_t with weights w_t have the moment U = sum
// w_t u_t u_t' = FF', F = [u, sqrt(w_t)(u_t - u), ...], with U - uu' >= 0 and tr U = V. The diagonal of U is
// only near 1. Scaling every row of F to norm 1 makes the diagonal 1 and keeps U - uu' >= 0: a feasible point
// of the semidefinite relaxation. With 1'u_t = beta the lifted constraints U1 = beta u hold before the
// scaling (F'1 = beta e_1). Scaling the rows and moving the columns back in turn restores both.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include <concord/kit/dense.hpp>

namespace concord::spectral_tight {

class Mixture {
 public:
  Mixture(Eigen::Index labels, Eigen::Index most) : points_(labels, most), weights_(most) {}

  Eigen::Index size() const { return count_; }

  /// Takes u in with the weight that brings the diagonal of the moment nearest to 1.
  void add(const Eigen::VectorXd& u) {
    const Eigen::VectorXd excess = u.array().square() - 1;
    double weight = 1;
    if (count_ > 0) {
      const Eigen::VectorXd change = excess - excess_;
      const double length = change.squaredNorm();
      weight = length > 0 ? std::clamp(-excess_.dot(change) / length, 0.0, 1.0) : 0;
    } else {
      excess_ = excess;
    }
    excess_ += weight * (excess - excess_);
    weights_.head(count_) *= 1 - weight;
    points_.col(count_) = u;
    weights_[count_++] = weight;
  }

  /// F = [u, G], at most V + 1 columns, with rows of norm 1. Unless beta is NaN, F'1 = beta e_1 holds to 1e-9
  /// V, or as nearly as 200 rounds come.
  Eigen::MatrixXd factor(double beta) const {
    const auto points = points_.leftCols(count_);
    const Eigen::VectorXd weights = weights_.head(count_);
    Eigen::MatrixXd F(points_.rows(), count_ + 1);
    F.col(0) = points * weights;
    F.rightCols(count_) = (points.colwise() - F.col(0)) * weights.cwiseSqrt().asDiagonal();
    scale_rows(F);
    for (int i = 0; i < 200 && residual(F, beta) > 1e-9; ++i) {
      Eigen::RowVectorXd shift = F.colwise().mean();
      shift[0] -= beta / static_cast<double>(F.rows());
      F.rowwise() -= shift;
      scale_rows(F);
    }
    return count_ > F.rows() ? compressed(F) : F;
  }

  /// ||F'1 - beta e_1|| / V, 0 without a beta.
  static double residual(const Eigen::MatrixXd& F, double beta) {
    if (std::isnan(beta)) return 0;
    Eigen::RowVectorXd sums = F.colwise().mean();
    sums[0] -= beta / static_cast<double>(F.rows());
    return sums.norm();
  }

 private:
  /// [u, R'] with G' = QR, so that GG' = R'R has no more columns than labels.
  static Eigen::MatrixXd compressed(const Eigen::MatrixXd& F) {
    const Eigen::Index V = F.rows();
    Eigen::MatrixXd out(V, V + 1);
    out.col(0) = F.col(0);
    out.rightCols(V) = kit::qr_triangle(F.rightCols(F.cols() - 1).transpose()).transpose();
    return out;
  }

  /// A row of zeros says nothing about its label; it becomes the label -1.
  static void scale_rows(Eigen::MatrixXd& F) {
    for (Eigen::Index v = 0; v < F.rows(); ++v) {
      const double norm = F.row(v).norm();
      if (norm > 1e-100) {
        F.row(v) /= norm;
      } else {
        F.row(v).setZero();
        F(v, 0) = -1;
      }
    }
  }

  Eigen::MatrixXd points_;
  Eigen::VectorXd weights_;
  Eigen::VectorXd excess_;  ///< diag U - 1
  Eigen::Index count_ = 0;
};

}  // namespace concord::spectral_tight
