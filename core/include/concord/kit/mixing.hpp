// SPDX-License-Identifier: MIT
#pragma once
// The semidefinite relaxation of kit/sdp.hpp solved on its low-rank factor, to a certified gap.
//
// Sweeps of coordinate ascent (kit/mixing_ascent.hpp) end only when one Cholesky factorisation proves the gap:
// with y_i = |g_i| (lifted: y_i = x_i'g_i) and R = sum y - value, a positive definite
//   Diag(y) + delta I - C,   delta = (allowed gap - R)/n,
// means lambda_max(C - Diag y) <= delta, so the bound sum y + n delta is the value plus the allowed gap. The
// attempt costs as much as a few sweeps and is made when the residual of a sweep is small enough. The sweeps
// run in single precision, which reaches a relative gap of about 1e-7, unless a smaller one is asked for; the
// factor, the value and the certificate are in double precision.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <concord/kit/mixing_ascent.hpp>
#include <concord/kit/mixing_certificate.hpp>
#include <concord/kit/rng.hpp>
#include <concord/kit/sdp.hpp>
#include <concord/kit/secular.hpp>
#include <concord/kit/workspaces.hpp>

namespace concord::kit {

struct MixingOptions {
  double tol = 1e-3;            ///< certified gap, relative to max(|value|, |C|_F)
  int64_t max_sweeps = 100000;  ///< then the bound is what it is
  /// Enough is proven also when the bound is at most this (branch and bound: the incumbent).
  double target = -std::numeric_limits<double>::infinity();
  Definite definite = eigen_definite;  ///< how certificates are factorised
};

struct MixingAnswer {
  Matrix X;  ///< rank x n, unit columns; obeys the cardinality
  double value = 0;
  double bound = 0;  ///< never below the optimum over labellings
  bool certified = false;
  int64_t sweeps = 0;
  int64_t certificates = 0;  ///< Cholesky factorisations tried
};

/// The prior as the solver needs it: scaled, in panels for the sweeps. Made once, shared by many problems.
class MixingPrior {
 public:
  /// One matrix of costs, its diagonal zero, divided by `unit`, a power of two.
  struct Cost {
    explicit Cost(Matrix matrix) : A(std::move(matrix)) {
      A.diagonal().setZero();
      unit = power_above(A.size() > 0 ? A.lpNorm<Eigen::Infinity>() : 0);
      if (unit > 0) A /= unit;
      squares = A.squaredNorm();
      single = std::make_unique<MixingPanels<float>>(A, 1);
    }
    template <class S>
    const MixingPanels<S>& panels() const {
      if constexpr (std::is_same_v<S, float>) {
        return *single;
      } else {
        std::call_once(once, [this] { fine = std::make_unique<MixingPanels<double>>(A, 1); });
        return *fine;
      }
    }
    Matrix A;
    double unit = 0;
    double squares = 0;
    std::unique_ptr<MixingPanels<float>> single;
    mutable std::once_flag once;
    mutable std::unique_ptr<MixingPanels<double>> fine;
  };

  /// requires a symmetric A, V >= 1; its diagonal is not read
  explicit MixingPrior(const Matrix& A) : plain_(A), A1_(plain_.A.rowwise().sum()) {
    Rng rng(0x5d9);
    start_ = Matrix::NullaryExpr(full_rank(), labels() + 1, [&] { return rng.normal(); });
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
  const Cost& plain() const { return plain_; }
  const Vector& A1() const { return A1_; }  ///< of plain().A

  /// On Ma = 0 the prior may be replaced by PAP, P = I - 11'/V: <A, U> = <PAP, U> + 2 beta/V u'A1 - (beta/V)^2
  /// 1'A1. What A does along 1, often its largest eigenvalue by far, no longer slows the ascent down.
  const Cost& centred() const {
    std::call_once(once_, [this] {
      const auto V = static_cast<double>(labels());
      Matrix M = plain_.A;
      M.rowwise() -= A1_.transpose() / V;
      M.colwise() -= A1_ / V;
      M.array() += A1_.sum() / (V * V);
      trace_ = M.trace();
      centred_ = std::make_unique<Cost>(std::move(M));
    });
    return *centred_;
  }
  double centred_trace() const { return trace_; }  ///< tr PAP in the units of plain(); after centred()

  Workspaces<Matrix>& squares() const { return squares_; }  ///< memory for certificates

 private:
  static double barvinok(Index labels) { return std::sqrt(2.0 * static_cast<double>(labels + 1)) + 1; }
  static Index rounded(double r) {
    constexpr Index w = packet_width<float>;
    return (static_cast<Index>(std::ceil(r)) + w - 1) / w * w;
  }

  Cost plain_;
  Vector A1_;
  Matrix start_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<Cost> centred_;
  mutable double trace_ = 0;
  mutable Workspaces<Matrix> squares_;
};

/// What a solve may start from, and leaves for the next one of the same V: empty at first.
struct MixingStart {
  Eigen::MatrixXf X;  ///< rank x n
  Eigen::VectorXf z;  ///< of a lifted cardinality
};

namespace detail {

template <class Stop>
class MixingSolver {
 public:
  MixingSolver(const MixingPrior& prior, const VectorRef& c, double beta, CardinalityForm form,
               const MixingOptions& options, MixingStart* start, Stop& stop)
      : prior_(prior),
        lifted_(!std::isnan(beta) && form == CardinalityForm::lifted),
        row_(!std::isnan(beta) && form == CardinalityForm::row),
        beta_(beta),
        options_(options),
        start_(start),
        stop_(stop),
        cost_(lifted_ ? prior.centred() : prior.plain()) {
    const double A_unit = prior.plain().unit;
    scale_ = std::max(A_unit, power_above(c.lpNorm<Eigen::Infinity>()));
    if (scale_ == 0) scale_ = 1;
    h_ = c / (2 * scale_);
    norm_ = std::sqrt(std::pow(A_unit / scale_, 2) * prior.plain().squares + 2 * h_.squaredNorm());
    if (lifted_) {
      // The linear term and the constants of the centred prior; a constant shift of c is a constant too.
      const auto V = static_cast<double>(prior.labels());
      const double a = beta / V;
      h_ -= (a * A_unit / scale_) * prior.A1();
      const double mean = h_.mean();
      h_.array() -= mean;
      constant_ = 2 * mean * beta + A_unit / scale_ * (a * a * prior.A1().sum() - prior.centred_trace());
    }
    alpha_ = cost_.unit * (lifted_ ? A_unit : 1) / scale_;
    frobenius_ = std::sqrt(alpha_ * alpha_ * cost_.squares + 2 * h_.squaredNorm());
    target_ = options.target / scale_ - constant_;
  }

  MixingAnswer solve() {
    if (frobenius_ == 0) {  // every feasible labelling is optimal
      take_labels();
      finish(0, 0, true);
    } else {
      begin();
      bool done = options_.tol >= 3e-7 && ascend<float>();
      if (!done && !out_of_time()) done = ascend<double>();
      if (!done) give_up();
    }
    answer_.value = scale_ * (answer_.value + constant_);
    answer_.bound = scale_ * (answer_.bound + constant_);
    return std::move(answer_);
  }

 private:
  /// The first attempt is made at sqrt(residual) <= this many gaps. A failed one costs about 6 sweeps at V = 53
  /// and 20 at V = 983, so it waits longer there (measured).
  double first_patience() const { return prior_.labels() < 300 ? 5 : prior_.labels() < 600 ? 2.5 : 1.0; }

  /// X of the labelling that is best for h alone.
  void take_labels() {
    const Index V = prior_.labels();
    X_ = Matrix::Zero(prior_.first_rank(), V + 1);
    X_.row(0).head(V) = std::isnan(beta_) ? sign(h_) : top_k(h_, k_of(V, beta_).value());
    X_(0, V) = 1;
  }

  void begin() {
    const Index n = prior_.labels() + 1;
    const auto noise = prior_.start().topRows(prior_.first_rank());
    if (start_ != nullptr && start_->X.rows() == prior_.first_rank() && start_->X.cols() == n) {
      X_ = start_->X.cast<double>() + 0.01 * noise;  // a solution of low rank would be left slowly
      z_ = start_->z.cast<double>();
    } else {
      X_ = noise;
    }
    if (z_.size() != X_.rows()) z_ = Vector::Zero(X_.rows());
    tidy();
  }

  /// Unit columns; x_n = e_1 where it is not free.
  void tidy() {
    X_.colwise().normalize();
    if (!lifted_ && !row_) return;
    const Index V = prior_.labels();
    if (X_(0, V) == 1) return;
    // A rotation of all columns, so that a start keeps its meaning.
    Vector w = X_.col(V);
    const double s = w[0] > 0 ? -1 : 1;
    w[0] -= s;
    const Eigen::RowVectorXd along = 2 / w.squaredNorm() * (w.transpose() * X_);
    X_.noalias() -= w * along;
    X_.row(0) *= s;
    X_.col(V) = Vector::Unit(X_.rows(), 0);
  }

  /// The whole rank, with noise that leaves any place where the columns were stuck.
  void shake(double noise) {
    const Matrix old = X_;
    X_ = noise * prior_.start();
    X_.topRows(old.rows()) += old;
    z_.conservativeResizeLike(Vector::Zero(X_.rows()));
    tidy();
  }

  double reference(double value) const { return std::max(std::abs(value + constant_), norm_); }
  double allowed(double value) const { return std::max(options_.tol * reference(value), target_ - value); }

  bool out_of_time() {
    if (answer_.sweeps >= options_.max_sweeps) return true;
    const bool due = prior_.labels() > 100 || answer_.sweeps % 16 == 15;
    return interrupted_ = interrupted_ || (due && stop_());
  }

  /// Over-relaxation pays when the sweeps contract slowly; where they are fast it would slow them down, as with
  /// omega no residual contracts faster than (omega - 1)^2.
  static double relaxed(double omega, double contraction, double cap) {
    const double floor = (omega - 1) * (omega - 1);
    return contraction > floor + 0.1 ? omega + 0.4 * (cap - omega) : omega;
  }

  /// False if it stalled in this precision, or is out of time; X is where it ended.
  template <class S>
  bool ascend() {
    std::optional<MixingAscent<S>> ascent;
    const auto restart = [&] {
      ascent.emplace(cost_.template panels<S>(), static_cast<S>(alpha_), h_, X_.rows());
      ascent->X() = X_.template cast<S>();
    };
    restart();
    constexpr double precision = 4 * static_cast<double>(std::numeric_limits<S>::epsilon());
    const double n = static_cast<double>(prior_.labels() + 1);
    const bool constrained = lifted_ || row_;
    double rho = 3 * frobenius_ / (n * std::sqrt(n));
    double most_rho = rho;
    double omega = 1;
    double cap = constrained ? 1.6 : 1.8;
    double last = std::numeric_limits<double>::infinity();
    double last_off = last;
    int waited = 0;
    int shakes = 0;
    double patience = first_patience();
    for (int64_t sweep = 1; !out_of_time(); ++sweep) {
      ++answer_.sweeps;
      const S w = static_cast<S>(omega);
      const SweepReport report = lifted_ ? ascent->sweep_lifted(w, z_, rho, beta_)
                                 : row_  ? ascent->sweep_row(w, z_[0], rho, beta_)
                                         : ascent->sweep(w);
      if (sweep > 1) omega = relaxed(omega, report.residual / last, cap);
      last = report.residual;
      double missing = 0;  // what the violation of the cardinality may be worth
      if (constrained) {
        Vector off = ascent->off_balance(beta_);
        if (row_) off.tail(off.size() - 1).setZero();
        missing = z_.norm() * off.norm();
        // A step of the multiplier after every sweep is fastest, and now and then it cycles: in the long run a
        // step waits until the columns have settled.
        ++waited;
        if (sweep <= 100 || waited > 50 || report.residual <= 0.01 * rho * off.squaredNorm()) {
          z_ += rho * off;
          waited = 0;
        }
        if (sweep == 100) omega = cap = 1;
        if (sweep == 2) {  // by now |g| is known; the sums contain n rho
          const double larger = std::max(rho, 3 * (report.value - n * rho) / (n * n));
          most_rho = 64 * larger;
          rho = larger;
        }
        if (sweep % 8 == 0) {
          // rho too small: Xa falls slowly; too large: it holds the columns back.
          const double penalty = rho * off.squaredNorm();
          if (off.norm() > last_off / 4 && penalty > report.residual &&
              missing > precision * reference(report.value))
            rho = std::min(2 * rho, most_rho);
          else if (lifted_ && penalty < 0.01 * report.residual)
            rho /= 2;
          last_off = off.norm();
        }
        if (row_ && sweep % 200 == 0 && missing > precision * reference(report.value)) {
          take(*ascent);  // columns that have all become parallel do not settle
          shake(1e-3 * std::min(1.0, off.norm()));
          restart();
        }
      }
      const double gap = allowed(report.value);
      const double size = reference(report.value);
      const bool small = report.residual <= patience * patience * gap * gap / size && missing <= 0.5 * gap;
      const bool stalled = report.residual <= precision * precision * size && missing <= precision * size;
      if (!small && !stalled) continue;
      take(*ascent);
      const Verdict verdict = attempt();
      if (verdict == Verdict::proven) return true;
      if (verdict == Verdict::infeasible && !stalled) continue;
      patience /= 2;
      const bool hopeless = patience < first_patience() / 64 && X_.rows() < prior_.full_rank();
      if (!stalled && !hopeless) continue;
      if (shakes++ == 3) break;
      shake(0.1);
      restart();
      patience = first_patience();
      omega = 1;
    }
    take(*ascent);
    return false;
  }

  template <class S>
  void take(MixingAscent<S>& ascent) {
    X_ = ascent.X().template cast<double>();
    X_.colwise().normalize();
  }

  enum class Verdict { proven, unproven, infeasible };

  /// The certificate for X, made feasible; the answer if it holds.
  Verdict attempt() {
    Matrix feasible = X_;
    if (!obey(feasible)) return Verdict::infeasible;
    const MixingCertificate certificate(terms(), feasible);
    ++answer_.certificates;
    const double gap = allowed(certificate.value() + row_constant());
    if (!certificate.proves(gap - rounding(), *prior_.squares().borrow(), options_.definite))
      return Verdict::unproven;
    if (start_ != nullptr && X_.rows() == prior_.first_rank()) {
      start_->X = X_.template cast<float>();
      start_->z = z_.template cast<float>();
    }
    X_ = std::move(feasible);
    finish(value_of(certificate), certificate.value() + gap + row_constant(), true);
    return Verdict::proven;
  }

  /// The cost as X sees it at the multiplier z: Ma = 0 enters the certificate, a row the linear term.
  MixingTerms terms() {
    if (lifted_) return {cost_.A, alpha_, h_, beta_, z_};
    if (row_) row_h_ = h_.array() - z_[0];
    return {cost_.A, alpha_, row_ ? row_h_ : h_};
  }
  /// What forming the centred cost may have changed in the objective.
  double rounding() const {
    return lifted_
               ? 16 * static_cast<double>(prior_.labels()) * std::numeric_limits<double>::epsilon() * norm_
               : 0;
  }
  double row_constant() const { return row_ ? 2 * z_[0] * beta_ : 0; }
  /// The objective at X_, which obeys a row to rounding only.
  double value_of(const MixingCertificate& certificate) const {
    const Index V = prior_.labels();
    return certificate.value() + (row_ ? 2 * z_[0] * (X_.leftCols(V).transpose() * X_.col(V)).sum() : 0);
  }

  bool obey(Matrix& X) const { return lifted_ ? balance(X, beta_) : !row_ || balance_row(X, beta_); }

  /// Not certified: the best that can be said of X. Its y proves a bound whether it is feasible or not.
  void give_up() {
    const double bound = interrupted_ ? std::numeric_limits<double>::quiet_NaN()
                                      : MixingCertificate(terms(), X_).bound() + row_constant() + rounding();
    if (!obey(X_)) take_labels();
    const double value = value_of(MixingCertificate(terms(), X_));
    finish(value, bound, bound - value <= allowed(value));
  }

  void finish(double value, double bound, bool certified) {
    answer_.X = X_;
    answer_.value = value;
    answer_.bound = bound;
    answer_.certified = certified;
  }

  const MixingPrior& prior_;
  bool lifted_;
  bool row_;
  double beta_;
  const MixingOptions& options_;
  MixingStart* start_;
  Stop& stop_;
  const MixingPrior::Cost& cost_;
  double scale_ = 1;  ///< everything below is divided by it
  double alpha_ = 0;
  Vector h_;
  double constant_ = 0;
  double norm_ = 0;       ///< Frobenius norm of C
  double frobenius_ = 0;  ///< the same of the centred C
  double target_ = 0;
  Matrix X_;
  Vector z_;
  Vector row_h_;
  bool interrupted_ = false;
  MixingAnswer answer_;
};

}  // namespace detail

/// Solves one problem, 1'u = beta (NaN: none). stop() is called every few sweeps; when it returns true the
/// answer is what there is, without a bound. `start`, if given, is read and rewritten.
/// requires |beta| < V and a labelling with that sum
template <class Stop>
MixingAnswer solve_mixing(const MixingPrior& prior, const VectorRef& c, double beta, CardinalityForm form,
                          const MixingOptions& options, MixingStart* start, Stop&& stop) {
  return detail::MixingSolver<std::remove_reference_t<Stop>>(prior, c, beta, form, options, start, stop)
      .solve();
}

}  // namespace concord::kit
