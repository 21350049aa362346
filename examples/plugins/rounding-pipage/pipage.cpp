// SPDX-License-Identifier: MIT
// Pipage rounding. Read x in [-1,1]^V as independent labels of mean x; their expected objective is the
// multilinear f(x) = x'c - x'Ax (A without its diagonal). Moving one coordinate, or with a cardinality two of
// them in opposite directions, to the better end makes at least one integral, until all are.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <concord/kit/objective.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;
using concord::Vector;
using Eigen::Index;

/// x with f's slope g_v = c_v - 2 sum_{j != v} A_vj x_j, kept current.
template <class M>
class Point {
 public:
  Point(const M& A, const Vector& c, Vector x) : A_(A), x_(std::move(x)), g_(c - 2 * (A * x_)) {
    for (Index v = 0; v < x_.size(); ++v) g_[v] += 2 * A_.coeff(v, v) * x_[v];
  }
  const Vector& x() const { return x_; }
  double slope(Index v) const { return g_[v]; }

  void set(Index v, double to) {
    const double own = g_[v];
    if constexpr (std::is_base_of_v<Eigen::SparseMatrixBase<M>, M>) {
      for (typename M::InnerIterator it(A_, v); it; ++it) g_[it.index()] -= 2 * (to - x_[v]) * it.value();
    } else {
      g_ -= 2 * (to - x_[v]) * A_.col(v);
    }
    g_[v] = own;  // f is linear in x_v
    x_[v] = to;
  }

 private:
  const M& A_;
  Vector x_;
  Vector g_;
};

/// The nearest point of the box, and of 1'x = beta if there is a cardinality: x_v = clip(u_v + shift), with the
/// shift found by bisection.
Vector to_box(const Vector& u, std::optional<int64_t> k) {
  const auto clipped = [&](double shift) { return Vector((u.array() + shift).cwiseMax(-1).cwiseMin(1)); };
  if (!k) return clipped(0);
  const double beta = kit::beta_of(u.size(), *k);
  double high = 1 + u.cwiseAbs().maxCoeff(), low = -high;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (clipped(middle).sum() < beta ? low : high) = middle;
  }
  return clipped(high);
}

/// Without a cardinality: each label goes to the end that its slope points to, those first whose step gains most.
/// f never falls: the method of conditional expectations.
template <class M>
void round_freely(Point<M>& point) {
  std::vector<Index> left(static_cast<size_t>(point.x().size()));
  for (size_t v = 0; v < left.size(); ++v) left[v] = static_cast<Index>(v);
  const auto end = [&](Index v) { return point.slope(v) > 0 ? 1.0 : -1.0; };  // sign(0) = -1
  const auto gain = [&](Index v) { return (end(v) - point.x()[v]) * point.slope(v); };
  while (!left.empty()) {
    const auto best =
        std::max_element(left.begin(), left.end(), [&](Index i, Index j) { return gain(i) < gain(j); });
    point.set(*best, end(*best));
    left.erase(best);
  }
}

/// With one: of the labels that are not integral, i with the largest slope and j with the smallest move by
/// (h, -h); f changes by h (g_i - g_j) + 2 A_ij h^2. The better of the two ends of h makes one of them integral.
/// For A_ij >= 0 that is convex in h, and f does not fall.
template <class M>
void round_pairs(Point<M>& point, const M& A) {
  constexpr double kIntegral = 1e-9;
  const auto is_open = [&](Index v) { return std::abs(point.x()[v]) < 1 - kIntegral; };
  for (;;) {
    Index i = -1, j = -1;
    for (Index v = 0; v < point.x().size(); ++v) {
      if (!is_open(v)) continue;
      if (i < 0 || point.slope(v) > point.slope(i)) i = v;
      if (j < 0 || point.slope(v) <= point.slope(j)) j = v;  // another than i, where all slopes are equal
    }
    if (i < 0 || i == j) break;  // the sum is an integer, so a single open label is integral but for rounding
    const double xi = point.x()[i], xj = point.x()[j];
    const double up = std::min(1 - xi, 1 + xj), down = -std::min(1 + xi, 1 - xj);
    const auto change = [&](double h) {
      return h * (point.slope(i) - point.slope(j)) + 2 * A.coeff(i, j) * h * h;
    };
    const double h = change(down) > change(up) ? down : up;
    point.set(i, xi + h);
    point.set(j, xj - h);
  }
}

class Pipage {
 public:
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY, .flags = CONCORD_SPARSE_PRIOR};
  }

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env&) const {
    const Vector c = problem.request.c();
    const auto k = problem.request.k();
    const Vector u = kit::with_matrix(problem.prior, [&]<class M>(const M& A) {
      Point<M> point(A, c, to_box(relaxed.u(), k));
      if (k)
        round_pairs(point, A);
      else
        round_freely(point);
      return kit::better_of(A, c, kit::sign(point.x()), start);
    });
    labels = u.array().cast<int8_t>();
  }
};

}  // namespace

CONCORD_EXPORT_ROUNDING(Pipage, "pipage",
                        "pipage rounding: not below the expected value of independent labels")
