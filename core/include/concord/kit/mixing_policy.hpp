// SPDX-License-Identifier: MIT
#pragma once
// What the sweeps of the low-rank SDP solver (kit/mixing.hpp) hold besides unit columns: nothing (FreeSweeps), the
// cardinality (BalancedSweeps), or the level of the prior (LevelSweeps). The last two hold a vector at zero by its
// multiplier z and a penalty rho, the method of multipliers with a step of z after a single sweep. The numbers are found by
// experiment; none of them can make an answer wrong, since a certificate ends the solve.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <concord/kit/mixing_ascent.hpp>

namespace concord::kit::detail {

class MixingPolicy {
 public:
  virtual ~MixingPolicy() = default;

  /// The largest over-relaxation after that many sweeps.
  virtual double most_omega(int64_t sweeps) const = 0;
  /// The ascent starts from other columns.
  virtual void begin(const MixingAscent&) {}
  /// Sweep number `number`, from 1.
  virtual SweepReport sweep(MixingAscent& ascent, double omega, int64_t number) = 0;
  /// The multiplier's step after that sweep. Returns what the violation may be worth in the objective; what is worth no
  /// more than `negligible` is rounding.
  virtual double step(const MixingAscent&, const SweepReport&, int64_t, double) { return 0; }
  /// The noise that the columns need to move on; 0: they do.
  virtual double stuck(int64_t, double, double) const { return 0; }
};

class FreeSweeps final : public MixingPolicy {
 public:
  double most_omega(int64_t) const override { return 1.8; }
  SweepReport sweep(MixingAscent& ascent, double omega, int64_t) override { return ascent.sweep(omega); }
};

/// The penalty of a vector that a multiplier brings to zero.
class MixingPenalty {
 public:
  /// `rest` is the norm of the costs of n columns that the penalty competes with.
  MixingPenalty(double n, double rest, double most)
      : n_(n), most_(most), rho_(std::min(weight * rest / (n * std::sqrt(n)), most)) {}

  double rho() const { return rho_; }

  /// After the second sweep the sum of the |g_i| is known, and thereby the scale of the columns' own pull.
  void learn(double sum_of_g) {
    rho_ = std::min(std::max(rho_, weight * sum_of_g / (n_ * n_)), most_);
    most_ = std::min(range * rho_, most_);
  }

  /// Every eighth sweep. Too small a penalty lets the violation fall slowly; one too large holds the columns back.
  void adapt(double violation, double penalty, const SweepReport& report, bool worth, bool may_fall) {
    if (violation > last_ / fall && penalty > report.residual && worth) {
      rho_ = std::min(2 * rho_, most_);
    } else if (may_fall && penalty < idle * report.residual) {
      rho_ /= 2;
    }
    last_ = violation;
  }

  static constexpr int64_t period = 8;        ///< of `adapt`, in sweeps
  static constexpr int64_t first_sweeps = 2;  ///< before `learn`

 private:
  static constexpr double weight = 3;   ///< of the penalty, against the mean pull of the other terms
  static constexpr double range = 64;   ///< by which it may grow later
  static constexpr double fall = 4;     ///< of the violation in a period, if the penalty is large enough
  static constexpr double idle = 0.01;  ///< of the residual: a penalty below that does nothing but hold back

  double n_;
  double most_;
  double rho_;
  double last_ = std::numeric_limits<double>::infinity();  ///< violation
};

/// Holds Xa = 0, a = (1; -beta), or in row form only its first component; x_n = e_1 stays.
class BalancedSweeps final : public MixingPolicy {
 public:
  BalancedSweeps(Index labels, double beta, bool row, double rest, Vector& z)
      : beta_(beta),
        row_(row),
        n_(static_cast<double>(labels + 1)),
        ones_(Vector::Ones(labels)),
        z_(z),
        penalty_(n_, rest, std::numeric_limits<double>::infinity()) {}

  double most_omega(int64_t sweeps) const override { return sweeps < eager ? 1.6 : 1; }

  void begin(const MixingAscent& ascent) override {
    off_ = ascent.off_balance(beta_);
    if (row_) off_.tail(off_.size() - 1).setZero();
  }

  SweepReport sweep(MixingAscent& ascent, double omega, int64_t) override {
    const double rho = penalty_.rho();
    const Vector p = z_ + rho * off_;
    return row_ ? ascent.sweep_row(omega, p, rho) : ascent.sweep_pulled(omega, p, rho, rho, ones_);
  }

  double step(const MixingAscent& ascent, const SweepReport& report, int64_t number,
              double negligible) override {
    begin(ascent);
    const double rho = penalty_.rho();
    const double penalty = rho * off_.squaredNorm();
    const double missing = z_.norm() * off_.norm();
    // A step of the multiplier after every sweep is fastest, and now and then it cycles: in the long run a step waits until
    // the columns have settled.
    ++waited_;
    if (number <= eager || waited_ > longest_wait || report.residual <= settled * penalty) {
      z_ += rho * off_;
      waited_ = 0;
    }
    if (number == MixingPenalty::first_sweeps) penalty_.learn(report.value - n_ * rho);
    if (number % MixingPenalty::period == 0)
      penalty_.adapt(off_.norm(), penalty, report, missing > negligible, !row_);
    return missing;
  }

  /// Columns that have all become parallel do not settle.
  double stuck(int64_t number, double missing, double negligible) const override {
    return row_ && number % row_period == 0 && missing > negligible ? 1e-3 * std::min(1.0, off_.norm()) : 0;
  }

 private:
  static constexpr int64_t eager = 100;        ///< sweeps that are over-relaxed, with a step of z after each
  static constexpr int64_t longest_wait = 50;  ///< sweeps between two steps of z
  static constexpr double settled = 0.01;      ///< of the penalty: a residual that is small enough for a step
  static constexpr int64_t row_period = 200;   ///< sweeps after which a row should be met

  double beta_;
  bool row_;
  double n_;
  Vector ones_;
  Vector& z_;
  MixingPenalty penalty_;
  Vector off_;  ///< Xa; in row form all but its first component is zero
  int64_t waited_ = 0;
};

/// Holds s = sum_v w_v x_v at z/mu, for a prior with the level mu along w.
class LevelSweeps final : public MixingPolicy {
 public:
  LevelSweeps(Index labels, double mu, const Vector& w, double rest, Vector& z)
      : n_(static_cast<double>(labels + 1)), mu_(mu), w_(w), z_(z), penalty_(n_, rest, mu) {}

  double most_omega(int64_t) const override { return 1.8; }

  void begin(const MixingAscent& ascent) override { sum_ = ascent.weighted_sum(w_); }

  SweepReport sweep(MixingAscent& ascent, double omega, int64_t number) override {
    const bool in_line = number % turn >= turn - in_line_sweeps;
    rho_ = in_line || number > patient ? mu_ : penalty_.rho();
    const double w = in_line ? 1 : omega;
    ascent.sweep_pulled(w, z_ + rho_ * off(), rho_, mu_, w_);  // with mu, |g_i| is that of the problem
    return ascent.move_last(w);
  }

  double step(const MixingAscent& ascent, const SweepReport& report, int64_t number,
              double negligible) override {
    begin(ascent);
    const Vector violation = off();
    z_ += rho_ * violation;
    // To second order, since y is that of the whole level.
    const double missing = std::pow(n_ * mu_ * off().norm(), 2) / (2 * std::abs(report.value));
    if (number == MixingPenalty::first_sweeps) penalty_.learn(report.value - n_ * mu_);
    if (number % MixingPenalty::period == 0)
      penalty_.adapt(violation.norm(), rho_ * violation.squaredNorm(), report, missing > negligible, false);
    return missing;
  }

 private:
  /// Two sweeps of sixteen take all of the level and bring z in line; in the long run all do, so that each ascends.
  static constexpr int64_t turn = 16;
  static constexpr int64_t in_line_sweeps = 2;
  static constexpr int64_t patient = 1000;

  Vector off() const { return sum_ - z_ / mu_; }

  double n_;
  double mu_;
  const Vector& w_;
  Vector& z_;
  MixingPenalty penalty_;
  Vector sum_;      ///< s
  double rho_ = 0;  ///< of the last sweep
};

/// Over-relaxation pays when the sweeps contract slowly; where they are fast it would slow them down, as with omega no
/// residual contracts faster than (omega - 1)^2.
struct Relaxation {
  double omega = 1;

  void learn(double residual, double most) {
    const double floor = (omega - 1) * (omega - 1);
    if (residual / last_ > floor + margin) omega += approach * (most - omega);
    omega = std::min(omega, most);
    last_ = residual;
  }

 private:
  static constexpr double margin = 0.1;    ///< a contraction above the floor by that is slow
  static constexpr double approach = 0.4;  ///< of the way to the most that is allowed

  double last_ = std::numeric_limits<double>::infinity();
};

/// Has the residual come to rest? Rounding keeps that of many columns above the square of the precision (`noise`): there it
/// falls no more.
struct Rest {
  bool reached(double residual, double noise, int64_t sweep) {
    bool settled = residual <= noise;
    if (sweep % period == 0) {
      settled = settled || (residual <= many * noise && residual > 0.5 * earlier_);
      earlier_ = residual;
    }
    return settled;
  }

 private:
  static constexpr int64_t period = 50;  ///< sweeps in which a residual that falls is halved at least
  static constexpr double many = 64;     ///< times the noise: above that a slow fall is no rest

  double earlier_ = std::numeric_limits<double>::infinity();
};

}  // namespace concord::kit::detail
