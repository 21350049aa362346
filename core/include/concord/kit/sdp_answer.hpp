// SPDX-License-Identifier: MIT
#pragma once
// What an SDP solver returns, and the form of the problem that interior-point solvers take.
#include <string>

#include <concord/kit/sdp.hpp>

namespace concord::kit {

/// M or a factor of it, and the dual variables. Nothing in it is believed: see sdp_verify.hpp. A solve that was cut short
/// may have y alone, which proves a bound whatever it is.
struct SdpAnswer {
  Matrix M;       ///< n x n; may stay empty if X is set
  Matrix X;       ///< r x n with M = X'X; may stay empty if M is set
  Vector y;       ///< n multipliers of diag M = 1: Diag y - C >= 0 at the optimum, on a^perp if lifted
  double mu = 0;  ///< the multiplier of the row sum_v M_vn = beta
  double objective = std::numeric_limits<double>::quiet_NaN();  ///< the solver's own <C, M>, if it tells
  std::string remark;  ///< what the solver says about its end, if it is not plain success
  bool cut = false;  ///< by a limit of time or iterations: an M that breaks its constraints is no error then

  bool has_point() const { return M.size() > 0 || X.size() > 0; }
  bool empty() const { return !has_point() && y.size() == 0; }  ///< the solver was interrupted
};

/// The problem without its linear dependence, as interior-point solvers need it. With a lifted cardinality
/// Ma = 0, so no feasible M is positive definite. There M = BZB', the columns of B a basis of a^perp. The
/// vector of the last label is x_V = beta x_n - sum_{v<V} x_v, so every other row of B is a unit vector.
///   maximise <cost(), Z>  over  Z >= 0,  b_i'Z b_i = 1 (b_i' the rows of B),  and in row form <E, Z> = beta
/// Its multipliers are those of the problem itself. Without a lifted cardinality Z is M.
class SdpReduced {
 public:
  explicit SdpReduced(const SdpProblem& problem)
      : n_(problem.order()),
        cost_(problem.cost()),
        beta_(problem.is_row() ? problem.beta : 0),
        row_(problem.is_row()) {
    if (!problem.is_lifted()) return;
    const Index V = problem.labels(), m = n_ - 1;
    b_ = Vector::Constant(m, -1);
    b_[m - 1] = problem.beta;
    // B'CB: what is left of C, plus the removed row and column through b; C_vv = 0 adds nothing.
    Matrix kept(m, m);
    Vector removed(m);
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < m; ++i) kept(i, j) = cost_(row(i), row(j));
      removed[j] = cost_(row(j), V - 1);
    }
    kept += removed * b_.transpose() + b_ * removed.transpose();
    kept.triangularView<Eigen::StrictlyUpper>() = kept.transpose();  // CSDP takes no asymmetry of rounding
    cost_ = std::move(kept);
  }

  Index order() const { return cost_.rows(); }  ///< of Z: n, or n - 1 with a lifted cardinality
  const Matrix& cost() const { return cost_; }

  /// Row i of B if it is not a unit vector, else null.
  const Vector* dense_row(Index i) const { return b_.size() > 0 && i == n_ - 2 ? &b_ : nullptr; }
  /// The place of the 1 in row i of B, if it is a unit vector.
  Index unit_row(Index i) const { return b_.size() > 0 && i == n_ - 1 ? n_ - 2 : i; }

  /// The constraints as <constraint(i), Z> = right_side(i): the diagonal, and in row form E as the last.
  Index constraints() const { return row_ ? n_ + 1 : n_; }
  double right_side(Index i) const { return i < n_ ? 1 : beta_; }
  Matrix constraint(Index i) const {
    Matrix out = Matrix::Zero(order(), order());
    if (i == n_) {
      out.col(n_ - 1).head(n_ - 1).setConstant(0.5);
      out.row(n_ - 1).head(n_ - 1).setConstant(0.5);
    } else if (const Vector* b = dense_row(i)) {
      out = *b * b->transpose();
    } else {
      out(unit_row(i), unit_row(i)) = 1;
    }
    return out;
  }

  /// M = BZB'
  Matrix expand(const Matrix& Z) const {
    if (b_.size() == 0) return Z;
    const Index m = order();
    const Vector Zb = Z * b_;
    Matrix M(n_, n_);
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < m; ++i) M(row(i), row(j)) = Z(i, j);
      M(row(j), n_ - 2) = M(n_ - 2, row(j)) = Zb[j];
    }
    M(n_ - 2, n_ - 2) = b_.dot(Zb);
    return M;
  }

 private:
  /// Which row of M is row i of Z.
  Index row(Index i) const { return i == n_ - 2 ? n_ - 1 : i; }

  Index n_;
  Matrix cost_;
  Vector b_;  ///< the dense row; empty without a lifted cardinality
  double beta_;
  bool row_;
};

}  // namespace concord::kit
