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
//
// Labels that mostly repel each other add a term -mu |s|^2, s = sum_v w_v x_v, which for many labels is far stiffer than
// all the rest: a sweep would do little more than to carry its error from one label to the next. Since
//   -mu |s|^2 = min_z |z|^2/mu - 2 z's,
// it is treated like a constraint s = z/mu, by the multiplier z and a penalty rho < mu that suits the other terms.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <concord/kit/mixing_ascent.hpp>
#include <concord/kit/mixing_certificate.hpp>
#include <concord/kit/mixing_prior.hpp>
#include <concord/kit/sdp.hpp>

namespace concord::kit {

struct MixingOptions {
  double tol = 1e-3;                   ///< certified gap, relative to max(|value|, |C|_F)
  int64_t max_sweeps = 100000;         ///< then the bound is what it is
  Definite definite = eigen_definite;  ///< how certificates are factorised
};

struct MixingAnswer {
  Matrix X;  ///< rank x n, unit columns; obeys the cardinality
  double value = 0;
  double bound = 0;  ///< never below the optimum over labellings
  bool certified = false;
  int64_t sweeps = 0;
  int64_t certificates = 0;  ///< tried
};

/// What a solve may start from, and leaves for the next one of the same V: empty at first.
struct MixingStart {
  Eigen::MatrixXf X;  ///< rank x n
  Eigen::VectorXf z;  ///< the multiplier of a cardinality
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
        cost_(lifted_ ? prior.centred() : prior.plain()),
        levelled_(!lifted_ && !row_ && cost_.level > 0) {
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
    rest_ = std::sqrt(alpha_ * alpha_ * cost_.rest_squares + 2 * h_.squaredNorm());
    mu_ = alpha_ * cost_.level;
    if (levelled_) weights_ = cost_.direction;
    if (lifted_) weights_ = Vector::Ones(prior.labels());
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
  /// The first attempt is made when the residual is this many squared gaps, at a gap of 1e-3. A failed one costs about 6
  /// sweeps at V = 53 and 25 at V = 983, so it waits longer there (measured).
  double first_patience() const { return prior_.labels() < 600 ? 40 : 7; }
  /// Small gaps leave a residual that falls faster than they do (measured).
  static double promising(double gap, double size) { return 1e-6 * size * std::pow(1e3 * gap / size, 1.6); }

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
    if (z_.size() != X_.rows() || levelled_) z_ = Vector::Zero(X_.rows());
    if (row_) z_.tail(z_.size() - 1).setZero();
    tidy();
    if (levelled_ && start_ != nullptr && start_->X.size() > 0)
      z_ = mu_ * (X_.leftCols(prior_.labels()) * weights_);
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
  double allowed(double value) const { return options_.tol * reference(value); }

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
    Vector sum;
    const auto restart = [&] {
      ascent.emplace(cost_.template panels<S>(levelled_), static_cast<S>(alpha_), h_, X_.rows());
      ascent->X() = X_.template cast<S>();
      sum = sum_of_columns(*ascent);
    };
    restart();
    constexpr double precision = 4 * static_cast<double>(std::numeric_limits<S>::epsilon());
    const double n = static_cast<double>(prior_.labels() + 1);
    const bool constrained = lifted_ || row_;
    double most_rho = levelled_ ? mu_ : std::numeric_limits<double>::infinity();
    double rho = std::min(3 * rest_ / (n * std::sqrt(n)), most_rho);
    double omega = 1;
    double cap = constrained ? 1.6 : 1.8;
    double last = std::numeric_limits<double>::infinity();
    double last_off = last;
    double earlier = last;
    int waited = 0;
    int shakes = 0;
    double patience = first_patience();
    for (int64_t sweep = 1; !out_of_time(); ++sweep) {
      ++answer_.sweeps;
      // Two sweeps of sixteen take all of the level and bring z in line; in the long run all do, so that each ascends.
      const bool in_line = levelled_ && sweep % 16 >= 14;
      const double pull = in_line || (levelled_ && sweep > 1000) ? mu_ : rho;
      const S w = static_cast<S>(in_line ? 1 : omega);
      const SweepReport report = swept(*ascent, w, sum, pull);
      if (sweep > 1) omega = relaxed(omega, report.residual / last, cap);
      last = report.residual;
      double missing = 0;  // what the violation of the constraint may be worth
      if (constrained || levelled_) {
        sum = sum_of_columns(*ascent);
        const Vector violation = off(sum);
        const double penalty = pull * violation.squaredNorm();
        missing = z_.norm() * violation.norm();
        // A step of the multiplier after every sweep is fastest, and now and then it cycles: in the long run a
        // step waits until the columns have settled.
        ++waited;
        if (levelled_ || sweep <= 100 || waited > 50 || report.residual <= 0.01 * penalty) {
          z_ += pull * violation;
          waited = 0;
        }
        // To second order, since y is that of the whole level.
        if (levelled_) missing = std::pow(n * mu_ * off(sum).norm(), 2) / (2 * std::abs(report.value));
        if (constrained && sweep == 100) omega = cap = 1;
        if (sweep == 2) {  // by now |g| is known; the sums contain n rho
          rho = std::min(std::max(rho, 3 * (report.value - n * (levelled_ ? mu_ : rho)) / (n * n)), most_rho);
          most_rho = std::min(64 * rho, most_rho);
        }
        if (sweep % 8 == 0) {
          // rho too small: Xa falls slowly; too large: it holds the columns back.
          if (violation.norm() > last_off / 4 && penalty > report.residual &&
              missing > precision * reference(report.value))
            rho = std::min(2 * rho, most_rho);
          else if (lifted_ && penalty < 0.01 * report.residual)
            rho /= 2;
          last_off = violation.norm();
        }
        if (row_ && sweep % 200 == 0 && missing > precision * reference(report.value)) {
          take(*ascent);  // columns that have all become parallel do not settle
          shake(1e-3 * std::min(1.0, violation.norm()));
          restart();
        }
      }
      const double gap = allowed(report.value);
      const double size = reference(report.value);
      const bool small = report.residual <= patience * promising(gap, size) && missing <= 0.5 * gap;
      // Rounding keeps the residual of many columns above the square of the precision: there it falls no more.
      const double noise = precision * precision * size;
      bool settled = report.residual <= noise;
      if (sweep % 50 == 0) {
        settled = settled || (report.residual <= 64 * noise && report.residual > 0.5 * earlier);
        earlier = report.residual;
      }
      const bool stalled = settled && missing <= precision * size;
      if (!small && !stalled) continue;
      take(*ascent);
      const Verdict verdict = attempt();
      if (verdict == Verdict::proven) return true;
      if (verdict == Verdict::infeasible && !stalled) continue;
      patience /= 4;
      const bool hopeless = patience < first_patience() / 4096 && X_.rows() < prior_.full_rank();
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
  SweepReport swept(MixingAscent<S>& ascent, S omega, const Vector& sum, double rho) const {
    if (!lifted_ && !row_ && !levelled_) return ascent.sweep(omega);
    const Vector p = z_ + rho * off(sum);
    if (row_) return ascent.sweep_row(omega, p, rho);
    if (lifted_) return ascent.sweep_pulled(omega, p, rho, rho, weights_);
    ascent.sweep_pulled(omega, p, rho, mu_, weights_);  // with mu, |g_i| is that of the problem
    return ascent.move_last(omega);
  }

  /// Xa; of a row only its first component, of a level s.
  template <class S>
  Vector sum_of_columns(MixingAscent<S>& ascent) const {
    if (!lifted_ && !row_ && !levelled_) return {};
    if (levelled_) return ascent.X().leftCols(prior_.labels()).template cast<double>() * weights_;
    Vector sum = ascent.off_balance(beta_);
    if (row_) sum.tail(sum.size() - 1).setZero();
    return sum;
  }
  /// What the multiplier z is there to bring to zero.
  Vector off(const Vector& sum) const { return levelled_ ? Vector(sum - z_ / mu_) : sum; }

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
    MixingCertificate certificate(terms(), feasible);
    certificate.settle(feasible);
    ++answer_.certificates;
    const double gap = allowed(certificate.value() + row_constant());
    if (!certificate.proves(gap - rounding(), *prior_.spaces().borrow(), options_.definite))
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
    if (lifted_) return {cost_.A, alpha_, h_, cost_.magnitude, beta_, z_};
    if (row_) row_h_ = h_.array() - z_[0];
    return {cost_.A, alpha_, row_ ? row_h_ : h_, cost_.magnitude};
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
  const MixingCost& cost_;
  bool levelled_;     ///< the level of the prior is treated by itself
  double mu_ = 0;     ///< the level
  Vector weights_;    ///< of the columns in what the multiplier holds
  double scale_ = 1;  ///< everything below is divided by it
  double alpha_ = 0;
  Vector h_;
  double constant_ = 0;
  double norm_ = 0;       ///< Frobenius norm of C
  double frobenius_ = 0;  ///< the same of the centred C
  double rest_ = 0;       ///< the same without the level
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
