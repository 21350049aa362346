// SPDX-License-Identifier: MIT
#pragma once
// The decoder `spectral-qep`: the paper's own way to the sphere relaxation, as the reference that `spectral`
// is checked and timed against. One nonsymmetric eigenproblem of order 2V for every solve.
#include <cmath>
#include <memory>
#include <string>

#include <concord/plugin.hpp>

#include "qep.hpp"

namespace concord::spectral_qep {

class SpectralQep {
 public:
  struct Options {
    std::string cardinality;
  };
  static auto options() {
    return OptionList<Options>{
        opt("cardinality", &Options::cardinality, "elimination")
            .choices({"elimination", "bisection"})
            .help("1'u = 2k - V by elimination, or by bisection on its multiplier, which is only a bound")};
  }
  static Capabilities capabilities() {
    // By bisection it is not as tight as `spectral`.
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_SPHERE,
            .guarantee = CONCORD_BOUNDS,
            .flags = CONCORD_REENTRANT | CONCORD_USES_DIAGONAL | CONCORD_REFERENCE};
  }

  explicit SpectralQep(const Options& options) : bisection_(options.cardinality == "bisection") {}

  int64_t max_rank(int64_t) const { return bisection_ ? 2 : 1; }

  void prepare(const Prior& prior) {
    A_ = prior.dense();
    A1_ = A_.rowwise().sum();
    factors_ = std::make_unique<kit::SpectralFactors>(A_, kit::lapack_algebra());
  }

  void solve(const Request& request, const Result& result) const {
    const int64_t V = request.labels();
    if (request.row_count() == 0) {
      const Point point = on_sphere(request.c());
      result.u() = point.u;
      result.finish(CONCORD_RELAXED, point.value, point.bound);
      return;
    }
    const double beta = request.row(0).beta;
    if (std::abs(beta) == static_cast<double>(V)) {
      const double a = beta > 0 ? 1 : -1;
      result.u().setConstant(a);
      const double value = a * request.c().sum() - A1_.sum();
      result.finish(CONCORD_RELAXED, value, value);
    } else if (bisection_) {
      bisect(request.c(), beta, result);
    } else {
      const Point point = eliminated(request.c(), beta);
      result.u() = point.u;
      result.finish(CONCORD_RELAXED, point.value, point.bound);
    }
  }

 private:
  struct Point {
    Vector u;
    double value;
    double bound;
  };

  static Vector expand(const kit::Eigenbasis& basis, const Vector& w) {
    return basis.E.leftCols(w.size()) * w;
  }
  static Vector rotate(const kit::Eigenbasis& basis, const Vector& c) {
    return basis.E.leftCols(basis.spectrum.size).transpose() * c;
  }

  Point on_sphere(const Vector& c) const {
    const kit::Eigenbasis& basis = factors_->whole();
    const double R = std::sqrt(static_cast<double>(c.size()));
    const QepSolution found = solve_qep(A_, basis.spectrum, c, rotate(basis, c), kit::safe_norm(c), R);
    return {expand(basis, found.w), found.value, found.bound};
  }

  /// u = a 1 + Pw leaves a sphere problem in V - 1 dimensions (kit/spectral.hpp).
  Point eliminated(const Vector& c, double beta) const {
    const auto V = static_cast<double>(c.size());
    const kit::OnesComplement P(c.size());
    const kit::Eigenbasis& basis = factors_->restricted();
    const double a = beta / V;
    const Vector linear = c - 2 * a * A1_;
    const double magnitude = kit::safe_norm(c) + 2 * std::abs(a) * kit::safe_norm(A1_);
    const QepSolution found = solve_qep(P.restrict(A_), basis.spectrum, P.project(linear),
                                        rotate(basis, linear), magnitude, std::sqrt(V - beta * beta / V));
    const double constant = a * c.sum() - a * a * A1_.sum();
    return {a + expand(basis, found.w).array(), constant + found.value, constant + found.bound};
  }

  /// min over nu of max { u'(c + nu 1) - u'Au : u'u = V } - nu beta. 1'u(nu) rises with nu. Where 1'u(nu)
  /// jumps over beta, the mixture of the two ends is the optimum of the dual: F = [u, sqrt(theta (1 - theta))
  /// (u_2 - u_1)].
  void bisect(const Vector& c, double beta, const Result& result) const {
    double bound = std::numeric_limits<double>::infinity();
    double step = 1e-3 * (kit::safe_norm(c) + kit::safe_norm(A1_));
    if (step == 0) step = 1;
    const auto at = [&](double nu) {
      Point point = on_sphere(c.array() + nu);
      bound = std::min(bound, point.bound - nu * beta);
      return point;
    };
    double low = 0;
    double high = 0;
    Point first = at(0);
    Point second = first;
    for (; first.u.sum() > beta; step *= 2) first = at(low -= step);
    for (; second.u.sum() < beta; step *= 2) second = at(high += step);
    for (int i = 0; i < 100 && high - low > 1e-13 * (std::abs(low) + std::abs(high)); ++i) {
      const double middle = 0.5 * (low + high);
      Point point = at(middle);
      const bool below = point.u.sum() <= beta;
      (below ? low : high) = middle;
      (below ? first : second) = std::move(point);
    }
    const double gap = second.u.sum() - first.u.sum();
    const double theta = gap > 0 ? (beta - first.u.sum()) / gap : 0;
    auto F = result.factor(2);
    F.col(0) = (1 - theta) * first.u + theta * second.u;
    F.col(1) = std::sqrt(std::max(0.0, theta * (1 - theta))) * (second.u - first.u);
    const double value = F.col(0).dot(c) - (A_ * F).cwiseProduct(F).sum();
    result.finish(CONCORD_RELAXED, value, std::max(bound, value));
  }

  bool bisection_;
  Matrix A_;
  Vector A1_;
  std::unique_ptr<kit::SpectralFactors> factors_;
};

}  // namespace concord::spectral_qep
