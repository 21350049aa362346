// SPDX-License-Identifier: MIT
#pragma once
// The prior as the low-rank SDP solver (kit/mixing.hpp) needs it: scaled, in panels for the sweeps. Made once, shared by
// many problems.
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include <concord/kit/mixing_ascent.hpp>
#include <concord/kit/mixing_certificate.hpp>
#include <concord/kit/rng.hpp>
#include <concord/kit/secular.hpp>
#include <concord/kit/workspaces.hpp>

namespace concord::kit {

/// One matrix of costs, its diagonal zero, divided by `unit`, a power of two.
class MixingCost {
 public:
  explicit MixingCost(Matrix matrix) : A(std::move(matrix)) {
    A.diagonal().setZero();
    unit = power_above(A.size() > 0 ? A.lpNorm<Eigen::Infinity>() : 0);
    if (unit > 0) A /= unit;
    squares = A.squaredNorm();
    rest_squares = squares;
    magnitude = A.lpNorm<1>();
  }

  /// Looks for one direction along which the prior repels far more than along all others: w, |w|^2 = V, with
  /// A about level ww'. The ascent must treat that by itself (kit/mixing.hpp).
  void find_level() {
    const auto V = static_cast<double>(A.rows());
    Vector Aw = A.rowwise().sum();
    Vector w;
    double eigenvalue = 0;
    double rest = 0;
    for (int step = 0;; ++step) {  // the power method converges fast, or there is none
      if (step == 8 || Aw.norm() == 0) return;
      w = std::sqrt(V) * Aw.normalized();
      Aw.noalias() = A * w;
      eigenvalue = w.dot(Aw) / V;
      rest = std::sqrt(std::max(0.0, squares - eigenvalue * eigenvalue));
      if (eigenvalue * std::sqrt(V) < 2 * rest) return;
      if ((Aw - eigenvalue * w).norm() <= 0.01 * Aw.norm()) break;
    }
    if (eigenvalue * std::sqrt(V) < 8 * rest) return;
    // Another direction that is nearly as stiff would gain nothing and lose its balance with this one.
    Rng rng(0x1e7);
    Vector v = Vector::NullaryExpr(A.rows(), [&] { return rng.normal(); });
    for (int step = 0; step < 5; ++step) {
      v -= (w.dot(v) / V) * w;
      if (!(v.norm() > 0)) break;
      v = A * v.normalized();
    }
    if (3 * v.norm() > eigenvalue) return;
    level = eigenvalue / V;
    direction = w;
    rest_squares = rest * rest;
  }

  /// A - level ww' off the diagonal, or A itself.
  template <class S>
  const MixingPanels<S>& panels(bool levelled) const {
    Lazy<S>& lazy = std::get<Lazy<S>>(levelled ? levelled_ : whole_);
    std::call_once(lazy.once, [&] {
      lazy.made = std::make_unique<MixingPanels<S>>(A, levelled ? level : 0, direction);
    });
    return *lazy.made;
  }

  Matrix A;
  double unit = 0;
  double squares = 0;    ///< |A|^2
  double magnitude = 0;  ///< sum_ij |A_ij|
  double level = 0;      ///< 0 if there is none
  Vector direction;
  double rest_squares = 0;  ///< |A - level ww'|^2

 private:
  template <class S>
  struct Lazy {
    std::once_flag once;
    std::unique_ptr<MixingPanels<S>> made;
  };
  mutable std::tuple<Lazy<float>, Lazy<double>> whole_, levelled_;
};

class MixingPrior {
 public:
  /// requires a symmetric A, V >= 1; its diagonal is not read
  explicit MixingPrior(const Matrix& A) : plain_(A), A1_(plain_.A.rowwise().sum()) {
    plain_.find_level();
    Rng rng(0x5d9);
    start_ = Matrix::NullaryExpr(full_rank(), labels() + 1, [&] { return rng.normal(); });
    plain_.panels<float>(plain_.level > 0);
  }

  /// From this rank on no local maximum misleads: the bound sqrt(2n), rounded up to whole registers.
  static Index full_rank(Index labels) { return rounded(barvinok(labels)); }
  /// What a solve begins with. Solutions have a far smaller rank than that bound; the certificate tells when the
  /// smaller factor is stuck, and then the full rank is tried.
  static Index first_rank(Index labels) { return rounded(0.35 * barvinok(labels)); }

  Index labels() const { return plain_.A.rows(); }
  Index first_rank() const { return first_rank(labels()); }
  Index full_rank() const { return full_rank(labels()); }
  const Matrix& start() const { return start_; }  ///< normal numbers, always the same
  const MixingCost& plain() const { return plain_; }
  const Vector& A1() const { return A1_; }  ///< of plain().A

  /// On Ma = 0 the prior may be replaced by PAP, P = I - 11'/V: <A, U> = <PAP, U> + 2 beta/V u'A1 - (beta/V)^2
  /// 1'A1. What A does along 1, often its largest eigenvalue by far, no longer slows the ascent down.
  const MixingCost& centred() const {
    std::call_once(once_, [this] {
      const auto V = static_cast<double>(labels());
      Matrix M = plain_.A;
      M.rowwise() -= A1_.transpose() / V;
      M.colwise() -= A1_ / V;
      M.array() += A1_.sum() / (V * V);
      trace_ = M.trace();
      centred_ = std::make_unique<MixingCost>(std::move(M));
    });
    return *centred_;
  }
  double centred_trace() const { return trace_; }  ///< tr PAP in the units of plain(); after centred()

  Workspaces<MixingSpace>& spaces() const { return spaces_; }

 private:
  static double barvinok(Index labels) { return std::sqrt(2.0 * static_cast<double>(labels + 1)) + 1; }
  static Index rounded(double r) {
    constexpr Index w = packet_width<float>;
    return (static_cast<Index>(std::ceil(r)) + w - 1) / w * w;
  }

  MixingCost plain_;
  Vector A1_;
  Matrix start_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<MixingCost> centred_;
  mutable double trace_ = 0;
  mutable Workspaces<MixingSpace> spaces_;
};

}  // namespace concord::kit
