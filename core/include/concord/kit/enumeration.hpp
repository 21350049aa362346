// SPDX-License-Identifier: MIT
#pragma once
// The maximum of u'c - u'Au by visiting every labelling, O(V) each: all 2^V in the order of a Gray code, or
// the C(V,k) with k positives in revolving-door order. Practical to about 24 labels.
//
// The answer is the labelling of largest `objective(A, c, u)`, as computed from scratch. Among equal
// labellings the smallest code sum 2^v [u_v = +1] wins, that is -1 at the highest index where two of them
// differ. For A = 0 this order agrees with the conventions sign(0) = -1 and top-k to the lower index.
#include <bit>
#include <cstdint>
#include <limits>

#include <concord/kit/objective.hpp>

namespace concord::kit {

struct Enumeration {
  Vector u;              ///< the best labelling visited; empty if none was feasible
  double value = 0;      ///< its objective, or -infinity
  int64_t visited = 0;   ///< labellings visited
  bool complete = true;  ///< false: stopped before the end
};

/// Walks through the k-subsets of {0, ..., n-1} from {0, ..., k-1} to {0, ..., k-2, n-1}, or back. Between
/// neighbours exchange(out, in) is called, until it returns false. R(n,k) is R(n-1,k) followed by R(n-1,k-1)
/// backwards with n-1 added (Payne, Ives 1979). The two ends that meet differ by one exchange.
template <class Exchange>
bool revolving_door(Index n, Index k, bool forward, Exchange& exchange) {
  if (k == 0 || k == n) return true;
  const Index hinge = k > 1 ? k - 2 : n - 2;
  if (forward)
    return revolving_door(n - 1, k, true, exchange) && exchange(hinge, n - 1) &&
           revolving_door(n - 1, k - 1, false, exchange);
  return revolving_door(n - 1, k - 1, true, exchange) && exchange(n - 1, hinge) &&
         revolving_door(n - 1, k, false, exchange);
}

/// Every labelling is feasible.
struct Unconstrained {
  bool operator()(const Vector&) const { return true; }
};

namespace detail {

/// The current labelling and the best so far. The running objective is resynchronised every 64 visits, so it
/// is off by less than 4 * 64^2 * epsilon * magnitude; what comes that near to the best is computed from
/// scratch.
template <class Stop, class Feasible>
class Sweep {
 public:
  Sweep(const Eigen::Ref<const Matrix>& A, const VectorRef& c, Index k, Stop& stop, Feasible& feasible)
      : A_(A),
        c_(c),
        state_(A, c, top_k(Vector::Zero(c.size()), k)),
        code_((uint64_t{1} << k) - 1),
        stop_(stop),
        feasible_(feasible) {
    slack_ = 4 * 64 * 64 * std::numeric_limits<double>::epsilon() * magnitude(A, c);
    best_.value = -std::numeric_limits<double>::infinity();
  }

  void flip(Index v) {
    state_.flip(v);
    code_ ^= uint64_t{1} << v;
  }

  /// False: it is time to stop.
  bool visit() {
    ++best_.visited;
    if (best_.visited % 64 == 0) state_.resync();
    if (state_.value() >= best_.value - slack_) compare();
    best_.complete = best_.visited % 4096 != 0 || best_.u.size() == 0 || !stop_();
    return best_.complete;
  }

  Enumeration& best() { return best_; }

 private:
  void compare() {
    if (!feasible_(state_.u())) return;
    const double value = objective(A_, c_, state_.u());
    if (value < best_.value || (value == best_.value && code_ > best_code_)) return;
    best_.value = value;
    best_.u = state_.u();
    best_code_ = code_;
  }

  const Eigen::Ref<const Matrix>& A_;
  const VectorRef& c_;
  Labelling<Eigen::Ref<const Matrix>> state_;
  uint64_t code_;
  uint64_t best_code_ = 0;
  double slack_ = 0;
  Stop& stop_;
  Feasible& feasible_;
  Enumeration best_;
};

}  // namespace detail

/// Maximises u'c - u'Au over all labellings, or over those with k positives, for which feasible(u) is true.
/// stop() is called every 4096 labellings once a feasible one is found; when it returns true the best so far is
/// returned.
/// requires V <= 62 and 0 <= k <= V
template <class Stop, class Feasible = Unconstrained>
Enumeration enumerate(const Eigen::Ref<const Matrix>& A, const VectorRef& c, std::optional<Index> k,
                      Stop&& stop, Feasible feasible = {}) {
  const Index V = c.size();
  if (V > 62) throw std::invalid_argument("enumerate: more than 62 labels");
  detail::Sweep sweep(A, c, k.value_or(0), stop, feasible);
  bool running = sweep.visit();
  if (k) {
    auto exchange = [&](Index out, Index in) {
      sweep.flip(out);
      sweep.flip(in);
      return sweep.visit();
    };
    if (running) revolving_door(V, *k, true, exchange);
  } else {
    // Step i of the Gray code flips the label whose number is the count of trailing zeros of i.
    for (uint64_t i = 1; running && i < uint64_t{1} << V; ++i) {
      sweep.flip(std::countr_zero(i));
      running = sweep.visit();
    }
  }
  return std::move(sweep.best());
}

/// The best labelling where there are four at most, so that there is nothing to relax: up to two labels, or none or all
/// of any number of labels positive. requires 0 <= k <= V
inline std::optional<Enumeration> optimum_at_once(const Eigen::Ref<const Matrix>& A, const VectorRef& c,
                                                  std::optional<Index> k) {
  const Index V = c.size();
  if (V <= 2) return enumerate(A, c, k, [] { return false; });
  if (!k || (*k != 0 && *k != V)) return std::nullopt;
  Enumeration only;
  only.u = Vector::Constant(V, *k == 0 ? -1 : 1);
  only.value = objective(A, c, only.u);
  only.visited = 1;
  return only;
}

}  // namespace concord::kit
