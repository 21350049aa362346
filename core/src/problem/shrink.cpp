// SPDX-License-Identifier: MIT
#include <cmath>

#include "problem/random.hpp"

namespace concord {
namespace {

class Shrinker {
 public:
  Shrinker(CanonicalProblem problem, const std::function<bool(const CanonicalProblem&)>& fails, int attempts)
      : best_(std::move(problem)), fails_(fails), left_(attempts) {}

  CanonicalProblem run() {
    while (take_labels_out() && left_ > 0) {
    }
    drop_cardinality();
    while (simplify_numbers([](double) { return 0.0; }) && left_ > 0) {
    }
    simplify_numbers([](double x) { return std::copysign(1.0, x); });
    simplify_numbers([](double x) { return std::round(x); });
    simplify_numbers([](double x) { return std::round(x * 10) / 10; });
    simplify_numbers([](double x) { return std::round(x * 1000) / 1000; });
    return std::move(best_);
  }

 private:
  bool accept(CanonicalProblem candidate) {
    if (left_ <= 0) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool take_labels_out() {
    bool any = false;
    for (int64_t v = best_.labels() - 1; v >= 0 && best_.labels() > 1; --v) {
      CanonicalProblem smaller = without(v);
      if (!best_.k) {
        any = accept(std::move(smaller)) || any;
        continue;
      }
      // The label that goes was -1 or +1.
      for (const int64_t k : {*best_.k, *best_.k - 1}) {
        if (k < 0 || k > smaller.labels()) continue;
        smaller.k = k;
        if (!accept(smaller)) continue;
        any = true;
        break;
      }
    }
    return any;
  }

  CanonicalProblem without(int64_t gone) const {
    const Eigen::MatrixXd A = best_.A.to_dense();
    const int64_t V = A.rows();
    CanonicalProblem smaller = best_;
    Eigen::MatrixXd B(V - 1, V - 1);
    Eigen::VectorXd c(V - 1);
    const auto old = [&](int64_t i) { return i < gone ? i : i + 1; };
    for (int64_t i = 0; i + 1 < V; ++i) {
      c[i] = best_.c[old(i)];
      for (int64_t j = 0; j + 1 < V; ++j) B(i, j) = A(old(i), old(j));
    }
    smaller.A = PriorMatrix(std::move(B));
    smaller.c = std::move(c);
    return smaller;
  }

  void drop_cardinality() {
    if (!best_.k) return;
    CanonicalProblem free = best_;
    free.k.reset();
    accept(std::move(free));
  }

  /// One number at a time; `simpler` keeps the sign or gives 0.
  template <class Simpler>
  bool simplify_numbers(Simpler&& simpler) {
    bool any = false;
    for (int64_t i = 0; i < best_.labels(); ++i) {
      CanonicalProblem candidate = best_;
      if (best_.c[i] != 0) candidate.c[i] = simpler(best_.c[i]);
      if (candidate.c[i] != best_.c[i]) any = accept(std::move(candidate)) || any;
      for (int64_t j = 0; j <= i; ++j) {
        Eigen::MatrixXd A = best_.A.to_dense();
        const double now = A(i, j), then = now == 0 ? 0 : simpler(now);
        if (then == now) continue;
        A(i, j) = A(j, i) = then;
        candidate = best_;
        candidate.A = PriorMatrix(std::move(A));
        any = accept(std::move(candidate)) || any;
      }
    }
    return any;
  }

  CanonicalProblem best_;
  const std::function<bool(const CanonicalProblem&)>& fails_;
  int left_;
};

}  // namespace

CanonicalProblem shrink(CanonicalProblem problem, const std::function<bool(const CanonicalProblem&)>& fails,
                        int attempts) {
  return Shrinker(std::move(problem), fails, attempts).run();
}

}  // namespace concord
