// SPDX-License-Identifier: MIT
#pragma once
// The solver behind kit/mixing.hpp: sweeps by a policy (kit/mixing_policy.hpp), in single and then in double precision,
// until a certificate (kit/mixing_certificate.hpp) holds.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include <concord/kit/mixing.hpp>
#include <concord/kit/mixing_certificate.hpp>
#include <concord/kit/mixing_policy.hpp>

namespace concord::kit {

namespace detail {

class MixingSolver {
 public:
  MixingSolver(const MixingPrior& prior, const VectorRef& c, double beta, CardinalityForm form,
               const MixingOptions& options, MixingStart* start, const std::function<bool()>& stop)
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
  }

  MixingAnswer solve() {
    if (frobenius_ == 0) {  // every feasible labelling is optimal
      take_labels();
      answer_.take(X_, 0, 0, true);
    } else {
      begin();
      bool done = options_.tol >= least_single_tol && ascend(Precision::single_);
      if (!done && !out_of_time()) done = ascend(Precision::double_);
      if (!done) give_up();
    }
    answer_.value = scale_ * (answer_.value + constant_);
    answer_.bound = scale_ * (answer_.bound + constant_);
    return std::move(answer_);
  }

 private:
  enum class Precision { single_, double_ };

  static constexpr double least_single_tol = 3e-7;     ///< what single precision reaches
  static constexpr double start_noise = 0.01;          ///< of a start, against unit columns
  static constexpr double shake_noise = 0.1;           ///< when a factor of this rank is stuck
  static constexpr int most_shakes = 3;                ///< before it is left to double precision
  static constexpr double affordable_violation = 0.5;  ///< of the gap, when an attempt is made
  static constexpr double most_impatience = 4096;      ///< of failed attempts, before the whole rank is tried
  static constexpr Index many_labels = 100;            ///< a sweep is long enough to ask stop() after each

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
      X_ = start_->X.cast<double>() + start_noise * noise;  // a solution of low rank would be left slowly
      z_ = start_->z.cast<double>();
    } else {
      X_ = noise;
    }
    if (z_.size() != X_.rows() || levelled_) z_ = Vector::Zero(X_.rows());
    if (row_) z_.tail(z_.size() - 1).setZero();
    tidy();
    if (levelled_ && start_ != nullptr && start_->X.size() > 0)
      z_ = mu_ * (X_.leftCols(prior_.labels()) * cost_.direction);
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
    const bool due = prior_.labels() > many_labels || answer_.sweeps % 16 == 15;
    return interrupted_ = interrupted_ || (due && stop_());
  }

  std::unique_ptr<MixingAscent> ascent_from_X(Precision precision) const {
    if (precision == Precision::single_)
      return std::make_unique<MixingAscentIn<float>>(cost_.panels<float>(levelled_), alpha_, h_, X_);
    return std::make_unique<MixingAscentIn<double>>(cost_.panels<double>(levelled_), alpha_, h_, X_);
  }

  std::unique_ptr<MixingPolicy> policy() {
    const Index V = prior_.labels();
    if (lifted_ || row_) return std::make_unique<BalancedSweeps>(V, beta_, row_, rest_, z_);
    if (levelled_) return std::make_unique<LevelSweeps>(V, mu_, cost_.direction, rest_, z_);
    return std::make_unique<FreeSweeps>();
  }

  /// False if it stalled in this precision, or is out of time; X is where it ended.
  bool ascend(Precision precision) {
    const std::unique_ptr<MixingPolicy> policy = this->policy();
    std::unique_ptr<MixingAscent> ascent;
    const auto restart = [&] {
      ascent = ascent_from_X(precision);
      policy->begin(*ascent);
    };
    restart();
    Relaxation relaxation;
    Rest rest;
    int shakes = 0;
    double patience = first_patience();
    for (int64_t sweep = 1; !out_of_time(); ++sweep) {
      ++answer_.sweeps;
      const SweepReport report = policy->sweep(*ascent, relaxation.omega, sweep);
      relaxation.learn(report.residual, policy->most_omega(sweep));
      const double size = reference(report.value);
      const double negligible = ascent->precision() * size;
      const double missing = policy->step(*ascent, report, sweep, negligible);
      if (const double noise = policy->stuck(sweep, missing, negligible); noise > 0) {
        take(*ascent);
        shake(noise);
        restart();
      }
      const double gap = allowed(report.value);
      const bool small =
          report.residual <= patience * promising(gap, size) && missing <= affordable_violation * gap;
      const bool stalled =
          rest.reached(report.residual, ascent->precision() * ascent->precision() * size, sweep) &&
          missing <= negligible;
      if (!small && !stalled) continue;
      take(*ascent);
      const Verdict verdict = attempt();
      if (verdict == Verdict::proven) return true;
      if (verdict == Verdict::infeasible && !stalled) continue;
      patience /= 4;
      const bool hopeless = patience < first_patience() / most_impatience && X_.rows() < prior_.full_rank();
      if (!stalled && !hopeless) continue;
      if (shakes++ == most_shakes) break;
      shake(shake_noise);
      restart();
      patience = first_patience();
      relaxation.omega = 1;
    }
    take(*ascent);
    return false;
  }

  void take(const MixingAscent& ascent) {
    X_ = ascent.X();
    X_.colwise().normalize();
  }

  enum class Verdict { proven, unproven, infeasible };

  /// The certificate for X, made feasible; the answer if it holds.
  Verdict attempt() {
    Matrix feasible = X_;
    if (!obey(feasible)) return Verdict::infeasible;
    MixingCertificate<> certificate(terms(), feasible);
    certificate.settle(feasible);
    ++answer_.certificates;
    const double gap = allowed(certificate.value() + row_constant());
    if (!certificate.proves(gap - rounding(), *prior_.spaces().borrow(), options_.definite))
      return Verdict::unproven;
    if (start_ != nullptr && X_.rows() == prior_.first_rank()) {
      start_->X = X_.cast<float>();
      start_->z = z_.cast<float>();
    }
    X_ = std::move(feasible);
    answer_.take(X_, value_of(certificate), certificate.value() + gap + row_constant(), true);
    return Verdict::proven;
  }

  /// The cost as X sees it at the multiplier z: Ma = 0 enters the certificate, a row the linear term.
  MixingTerms<> terms() {
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
  double value_of(const MixingCertificate<>& certificate) const {
    const Index V = prior_.labels();
    return certificate.value() + (row_ ? 2 * z_[0] * (X_.leftCols(V).transpose() * X_.col(V)).sum() : 0);
  }

  bool obey(Matrix& X) const { return lifted_ ? balance(X, beta_) : !row_ || balance_row(X, beta_); }

  /// Not certified: the best that can be said of X. Its y proves a bound whether it is feasible or not.
  void give_up() {
    const double bound = interrupted_
                             ? std::numeric_limits<double>::quiet_NaN()
                             : MixingCertificate<>(terms(), X_).bound() + row_constant() + rounding();
    if (!obey(X_)) take_labels();
    const double value = value_of(MixingCertificate<>(terms(), X_));
    answer_.take(X_, value, bound, bound - value <= allowed(value));
  }

  const MixingPrior& prior_;
  bool lifted_;
  bool row_;
  double beta_;
  const MixingOptions& options_;
  MixingStart* start_;
  const std::function<bool()>& stop_;
  const MixingCost& cost_;
  bool levelled_;     ///< the level of the prior is treated by itself
  double mu_ = 0;     ///< the level
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

inline MixingAnswer solve_mixing(const MixingPrior& prior, const VectorRef& c, double beta,
                                 CardinalityForm form, const MixingOptions& options, MixingStart* start,
                                 const std::function<bool()>& stop) {
  return detail::MixingSolver(prior, c, beta, form, options, start, stop).solve();
}

}  // namespace concord::kit
