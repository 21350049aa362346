// SPDX-License-Identifier: MIT
#pragma once
// An upper bound of max u'c - u'Au over labellings: the semidefinite relaxation with triangle inequalities,
//   maximise <C, M>,  diag M = 1,  M >= 0,  1 + p M_ij + q M_ik + pq M_jk >= 0  for i < j < k, p and q = +-1,
// n = V + 1, C = [[-A, c/2], [c'/2, 0]].
//
// A cardinality 1'u = beta enters as the penalty -s (1'u - beta)^2, which is zero for every feasible
// labelling. For large s the penalty gives the lifted relaxation. The multipliers g >= 0 of the inequalities
// go into the cost too: C_g is C with g p/2 added at ij and ji, and so on. For *any* g >= 0 and y
//   bound = sum g + sum y + n lambda_max(C_g - Diag y)
// holds, so nothing here has to converge to be right.
//
// M = X'X with unit columns and few rows. X follows C_g by coordinate ascent. g follows X by projected
// subgradient steps of Polyak's length, towards the level that is to be proven. The averages of g are better
// multipliers than g itself, so the proof uses the averages.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <concord/kit/dense.hpp>
#include <concord/kit/rng.hpp>
#include <concord/kit/subproblem.hpp>

namespace concord::kit {

/// 1 + p M_ij + q M_ik + pq M_jk >= 0, i < j < k, with its multiplier.
struct Triangle {
  int32_t i, j, k;
  double p, q;
  double g = 0;
  double average = 0;  ///< of g over the last steps
  double slack = 0;    ///< for the current M

  uint64_t key() const {
    const auto at = [](int32_t index, int shift) { return static_cast<uint64_t>(index) << shift; };
    return at(i, 42) | at(j, 22) | at(k, 2) | (p > 0 ? 1u : 0u) | (q > 0 ? 2u : 0u);
  }
  /// Adds `weight` times the inequality to a symmetric cost.
  void add_to(Matrix& C, double weight) const {
    add(C, i, j, p * weight / 2);
    add(C, i, k, q * weight / 2);
    add(C, j, k, p * q * weight / 2);
  }

 private:
  static void add(Matrix& C, Index v, Index w, double x) {
    C(v, w) += x;
    C(w, v) += x;
  }
};

class TriangleBound {
 public:
  /// Enough for n = 112 by the theory of low-rank solutions, and by experience for far more.
  static constexpr int rows = 16;
  /// A multiplier that is as good as none, for A and c of order 1.
  static constexpr double negligible = 1e-6;

  /// A triangle and its multiplier, small.
  struct Kept {
    int32_t i, j, k;
    int8_t p, q;
    float g;
  };
  /// What the children of a node start from, in the numbers of the whole problem: label V stands for the +1
  /// that the scores couple with.
  struct State {
    Eigen::Matrix<float, rows, Eigen::Dynamic> X;  ///< a column for each free label, and one for V
    std::vector<Index> free;
    std::vector<Kept> cuts;
  };

  /// requires A and c of order 1
  TriangleBound(const Subproblem& problem, Index V)
      : free_(problem.free), V_(V), constant_(problem.constant) {
    const Index m = problem.size();
    n_ = m + 1;
    C_ = Matrix::Zero(n_, n_);
    C_.topLeftCorner(m, m) = -problem.A;
    C_.col(m).head(m) = problem.c / 2;
    C_.row(m).head(m) = problem.c.transpose() / 2;
    if (!problem.k) return;
    Vector a = Vector::Ones(n_);
    a[m] = -beta_of(m, *problem.k);
    // On 1'u = beta + t this takes s t^2, far above what C can give: its norm is about 2 |C|_F / sqrt(n).
    const double n = static_cast<double>(n_);
    const double s = 50 * C_.norm() / (n * std::sqrt(n));
    C_ -= s * a * a.transpose();
    C_.diagonal().setZero();
    constant_ -= s * a.squaredNorm();
  }

  /// From nothing.
  void start() {
    X_.resize(rows, n_);
    Rng rng(1);
    for (double& x : X_.reshaped()) x = rng.normal();
    X_.colwise().normalize();
    cost_ = C_;
    ascend(cost_, 40);
  }

  /// From the parent. A label that is fixed now stands for +1 or -1 in its triangles.
  void start(const State& parent, const Fixings& fixed) {
    std::vector<int32_t> place(static_cast<size_t>(V_) + 1, -1);
    for (size_t i = 0; i < free_.size(); ++i) place[static_cast<size_t>(free_[i])] = static_cast<int32_t>(i);
    const auto last = static_cast<int32_t>(n_ - 1);
    place[static_cast<size_t>(V_)] = last;
    X_.resize(rows, n_);
    for (size_t i = 0; i < parent.free.size(); ++i) {
      const int32_t to = place[static_cast<size_t>(parent.free[i])];
      if (to >= 0) X_.col(to) = parent.X.col(static_cast<Index>(i)).cast<double>();
    }
    X_.col(last) = parent.X.col(parent.X.cols() - 1).cast<double>();
    X_.colwise().normalize();
    for (const Kept& t : parent.cuts) inherit(t, place, fixed);
    merge_equals();
  }

  /// Tries to prove that no labelling is above the level. False: it did not succeed, and at the pace of the last
  /// steps it would take too long.
  template <class Stop>
  bool prove(double level, int64_t most_steps, Stop&& stop) {
    constexpr int64_t round = 10;
    constexpr double patience = 3;  // rounds
    double last = std::numeric_limits<double>::infinity();
    for (int64_t step = 1; step <= most_steps && !stop(); ++step) {
      if (step % round == 1) separate();
      follow(level);
      if (step % round != 0) continue;
      if (certify(level)) return true;
      if (estimate_ - level > patience * (last - estimate_)) return false;
      last = estimate_;
    }
    return false;
  }

  /// The bound that the last attempt at a proof gave; infinite if there was none.
  double bound() const {
    if (y_.size() == 0) return std::numeric_limits<double>::infinity();
    Matrix S = proof_;
    S.diagonal() -= y_;
    Vector values;
    if (!symmetric_eigen(S, values)) return std::numeric_limits<double>::infinity();
    const double largest = values[n_ - 1] + rounding(S);
    return constant_ + weights_ + y_.sum() + static_cast<double>(n_) * largest;
  }

  /// M_vh, the relaxed labels.
  Vector relaxed() const { return X_.leftCols(n_ - 1).transpose() * X_.col(n_ - 1); }

  State state() const {
    State s;
    s.X = X_.cast<float>();
    s.free = free_;
    for (const Triangle& t : cuts_)
      if (t.average > negligible)
        s.cuts.push_back({number(t.i), number(t.j), number(t.k), static_cast<int8_t>(t.p),
                          static_cast<int8_t>(t.q), static_cast<float>(t.average)});
    return s;
  }

 private:
  using Factor = Eigen::Matrix<double, rows, Eigen::Dynamic>;
  using Column = Eigen::Matrix<double, rows, 1>;

  int32_t number(int32_t local) const {
    return static_cast<int32_t>(local == n_ - 1 ? V_ : free_[static_cast<size_t>(local)]);
  }
  /// How far a matrix may be from the one whose Cholesky factor was found, or whose eigenvalues: for the
  /// factor (n + 1) epsilon times the trace, for eigenvalues a small multiple of n epsilon times the norm. The
  /// rest is for the rounding of the entries themselves.
  double rounding(const Matrix& S) const {
    const double size = std::max(S.diagonal().cwiseAbs().sum(), S.norm());
    return 4 * static_cast<double>(n_ + 2) * std::numeric_limits<double>::epsilon() * size;
  }

  void inherit(const Kept& kept, const std::vector<int32_t>& place, const Fixings& fixed) {
    const int32_t old[3] = {kept.i, kept.j, kept.k};
    Triangle t{0, 0, 0, static_cast<double>(kept.p), static_cast<double>(kept.q), kept.g, kept.g};
    int gone = -1;
    for (int x = 0; x < 3; ++x) {
      if (place[static_cast<size_t>(old[x])] >= 0) continue;
      if (gone >= 0) return;  // two labels fixed: what is left of it always holds
      gone = x;
    }
    const auto at = [&](int x) { return place[static_cast<size_t>(old[x])]; };
    if (gone < 0) {
      t.i = at(0), t.j = at(1), t.k = at(2);
    } else {
      if (old[2] == V_) return;  // the same
      const double s = fixed[static_cast<size_t>(old[gone])];
      const double r = t.p * t.q;
      const double to_last[3][2] = {{r, t.p * s}, {t.q, t.p * s}, {t.p, t.q * s}};
      t.i = at(gone == 0 ? 1 : 0);
      t.j = at(gone == 2 ? 1 : 2);
      t.k = static_cast<int32_t>(n_ - 1);
      t.p = to_last[gone][0];
      t.q = to_last[gone][1];
    }
    cuts_.push_back(t);
  }

  void merge_equals() {
    std::sort(cuts_.begin(), cuts_.end(),
              [](const Triangle& a, const Triangle& b) { return a.key() < b.key(); });
    size_t kept = 0;
    for (size_t i = 0; i < cuts_.size(); ++i) {
      if (kept > 0 && cuts_[kept - 1].key() == cuts_[i].key()) {
        cuts_[kept - 1].g += cuts_[i].g;
        cuts_[kept - 1].average += cuts_[i].average;
      } else {
        cuts_[kept++] = cuts_[i];
      }
    }
    cuts_.resize(kept);
    rebuild(cost_, [](const Triangle& t) { return t.g; });
  }

  /// The cost with the given multipliers; returns their sum.
  template <class Weight>
  double rebuild(Matrix& cost, Weight&& weight) const {
    cost = C_;
    double sum = 0;
    for (const Triangle& t : cuts_) {
      const double w = weight(t);
      if (w <= 0) continue;
      t.add_to(cost, w);
      sum += w;
    }
    return sum;
  }

  /// Sweeps of x_i <- g_i/|g_i|, over-relaxed.
  void ascend(const Matrix& cost, int sweeps) {
    constexpr double omega = 1.6;
    for (int s = 0; s < sweeps; ++s) {
      for (Index i = 0; i < n_; ++i) {
        const Column g = product(cost, i);
        const double length = g.norm();
        if (!(length > 0)) continue;
        const Column x = X_.col(i) + omega * (g / length - X_.col(i));
        X_.col(i) = x / x.norm();
      }
    }
  }

  /// X times column i of a symmetric matrix, by two chains of sums.
  Column product(const Matrix& cost, Index i) const {
    const double* c = cost.col(i).data();
    Column even = Column::Zero();
    Column odd = Column::Zero();
    Index j = 0;
    for (; j + 1 < n_; j += 2) {
      even += c[j] * X_.col(j);
      odd += c[j + 1] * X_.col(j + 1);
    }
    if (j < n_) even += c[j] * X_.col(j);
    return even + odd;
  }

  /// One step of the multipliers, and X after them.
  void follow(double target) {
    M_.noalias() = X_.transpose() * X_;
    double length = 0;
    double sum = 0;
    for (Triangle& t : cuts_) {
      t.slack = 1 + t.p * M_(t.j, t.i) + t.q * M_(t.k, t.i) + t.p * t.q * M_(t.k, t.j);
      if (t.g > 0 || t.slack < 0) length += t.slack * t.slack;
      sum += t.g;
    }
    const double value = constant_ + sum + cost_.cwiseProduct(M_).sum();
    const double step = length > 0 ? std::max(0.0, value - target) / length : 0;
    for (Triangle& t : cuts_) {
      t.g = std::max(0.0, t.g - step * t.slack);
      t.average += 0.1 * (t.g - t.average);
    }
    rebuild(cost_, [](const Triangle& t) { return t.g; });
    ascend(cost_, 3);
  }

  /// Is the bound of the averaged multipliers at most the level? One Cholesky factorisation tells.
  bool certify(double level) {
    weights_ = rebuild(proof_, [](const Triangle& t) { return t.average; });
    ascend(proof_, 10);
    y_.resize(n_);
    double inner = 0;
    for (Index i = 0; i < n_; ++i) {
      const Column g = product(proof_, i);
      inner += g.dot(X_.col(i));
      y_[i] = g.norm();
    }
    estimate_ = constant_ + weights_ + inner;  // the bound is no smaller
    if (!(estimate_ < level)) return false;
    Matrix S = -proof_;
    S.diagonal() += y_;
    S.diagonal().array() += (level - constant_ - weights_ - y_.sum()) / static_cast<double>(n_) - rounding(S);
    return eigen_definite(S);
  }

  /// Drops the triangles that have become idle. Takes in, for every pair, the most violated triangle, if any
  /// is.
  void separate() {
    M_.noalias() = X_.transpose() * X_;
    const auto idle = [](const Triangle& t) { return t.average <= negligible && t.slack > 0.02; };
    cuts_.erase(std::remove_if(cuts_.begin(), cuts_.end(), idle), cuts_.end());
    std::vector<uint64_t> known;
    for (const Triangle& t : cuts_) known.push_back(t.key());
    std::sort(known.begin(), known.end());
    std::vector<Triangle> found;
    Eigen::ArrayXd slack(n_);
    for (Index i = 0; i < n_; ++i) {
      for (Index j = i + 1; j + 1 < n_; ++j) {
        // The smallest of the four inequalities of a triangle is 1 + min(M_ij - |M_ik + M_jk|, -M_ij - |M_ik - M_jk|).
        const Index rest = n_ - 1 - j;
        const auto b = M_.col(i).tail(rest).array();
        const auto d = M_.col(j).tail(rest).array();
        slack.head(rest) = (M_(j, i) - (b + d).abs()).min(-M_(j, i) - (b - d).abs());
        if (slack.head(rest).minCoeff() >= -1.02) continue;
        Index at = 0;
        const double least = 1 + slack.head(rest).minCoeff(&at);
        Triangle t{};
        t.i = static_cast<int32_t>(i);
        t.j = static_cast<int32_t>(j);
        t.k = static_cast<int32_t>(j + 1 + at);
        t.p = M_(j, i) - std::abs(b[at] + d[at]) <= -M_(j, i) - std::abs(b[at] - d[at]) ? 1 : -1;
        t.q = b[at] + t.p * d[at] > 0 ? -1 : 1;
        t.slack = least;
        if (!std::binary_search(known.begin(), known.end(), t.key())) found.push_back(t);
      }
    }
    const size_t most = std::min(found.size(), static_cast<size_t>(5 * n_));
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                      [](const Triangle& a, const Triangle& b) {
                        return a.slack < b.slack || (a.slack == b.slack && a.key() < b.key());
                      });
    cuts_.insert(cuts_.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most));
  }

  std::vector<Index> free_;
  Index V_;
  Index n_ = 0;
  double constant_;
  Matrix C_;
  Matrix cost_;  ///< C_g
  Factor X_;
  Matrix M_;
  std::vector<Triangle> cuts_;
  Matrix proof_;  ///< C_g of the averaged multipliers
  double weights_ = 0;
  Vector y_;
  double estimate_ = 0;
};

}  // namespace concord::kit
