// SPDX-License-Identifier: MIT
#pragma once
// The maximum of u'c - u'Au for any A, with or without a cardinality, and the proof of it: reductions, tabu
// search for the labelling, branch and bound with the triangle bound for the proof. The subproblem of largest
// bound is next. Every choice is fixed by the problem alone, so the same problem gives the same tree.
#include <bit>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/tabu.hpp>
#include <concord/kit/triangle_bound.hpp>

namespace concord::kit {

struct Exact {
  Vector u;
  double value = 0;
  double bound = 0;     ///< no labelling is above it
  int64_t nodes = 0;    ///< subproblems that were bounded or enumerated
  bool proven = false;  ///< no labelling is better than u by more than 1e-9 of the sum of |c| and |A|
  Index beyond = 0;     ///< labels in parts that are too large for branch and bound (kit/graph_exact.hpp)
};

/// Where a search stands.
struct Progress {
  Index labels;  ///< of the problem, or of the part of it that is searched
  int64_t nodes;
  double value;
  double bound;
};

/// How much is to be proven, and at what cost. A proof may end at the bound value + max(slack, share |value|).
struct Effort {
  int64_t node_limit;
  double slack = 0;
  double share = 0;
  std::function<void(const Progress&)> report = {};  ///< called when the nodes are a power of two

  /// Ends at (bound - value) / max(1, |bound|) <= gap: where bound = value + share |value|, |bound| is at least
  /// (1 - share) |value| = |value| / (1 + gap). The last digits of the gap are left to rounding.
  static Effort within(double gap, int64_t node_limit) {
    gap *= 1 - 1e-9;
    return {node_limit, gap, gap / (1 + gap)};
  }
  /// The same effort for A and c divided by 2^exponent. requires that this object outlives it
  Effort scaled(int exponent) const {
    Effort other{node_limit, std::ldexp(slack, -exponent), share};
    if (report)
      other.report = [this, exponent](const Progress& at) {
        report({at.labels, at.nodes, std::ldexp(at.value, exponent), std::ldexp(at.bound, exponent)});
      };
    return other;
  }
};

/// A number of which all differences between objectives are multiples (2 c_v and 4 A_vw are); 0 if none is
/// found, as for data that are not integers in some unit. requires |A|, |c| <= 1
inline double objective_step(const Matrix& A, const Vector& c) {
  constexpr int bits = 44;
  int64_t step = 0;
  const auto divides = [&](double x) {
    const double scaled = std::ldexp(x, bits);
    if (scaled != std::floor(scaled)) return false;
    step = std::gcd(step, static_cast<int64_t>(scaled));
    return true;
  };
  for (Index v = 0; v < c.size(); ++v) {
    if (!divides(2 * c[v])) return 0;
    for (Index w = 0; w < v; ++w)
      if (!divides(4 * A(w, v))) return 0;
  }
  return std::ldexp(static_cast<double>(step), -bits);
}

namespace detail {

template <class Stop>
class Tree {
 public:
  static constexpr Index enumerable = 14;  // labels; as fast as one bound

  /// requires |A|, |c| <= 1 and a zero diagonal
  Tree(const Matrix& A, const Vector& c, std::optional<Index> k, const Effort& effort, Stop& stop)
      : A_(A), c_(c), k_(k), effort_(effort), stop_(stop) {
    scale_ = magnitude(A, c);
    rounding_ = 64 * std::numeric_limits<double>::epsilon() * scale_;
    step_ = objective_step(A, c);
    best_.u = labels_of(c, k);
    best_.value = objective(A, c, best_.u);
    Node root{Fixings(static_cast<size_t>(c.size()), 0), nullptr, std::numeric_limits<double>::infinity(), 0};
    // u and -u are equally good without scores: one of them is enough.
    if (c.isZero(0) && (!k || 2 * *k == c.size())) root.fixed[0] = -1;
    open_.push(std::move(root));
  }

  Exact run() {
    while (!open_.empty() && open_.top().bound > level() && best_.nodes < effort_.node_limit && !stop_()) {
      const Node node = open_.top();
      open_.pop();
      ++best_.nodes;
      process(node);
      if (effort_.report && std::has_single_bit(static_cast<uint64_t>(best_.nodes)))
        effort_.report({c_.size(), best_.nodes, best_.value, bound()});
    }
    best_.proven = is_closed() && !is_loose();
    best_.bound = bound();
    return best_;
  }

 private:
  struct Node {
    Fixings fixed;
    std::shared_ptr<const TriangleBound::State> parent;
    double bound;
    int64_t id;
    bool operator<(const Node& other) const {  // the last in this order is the next
      return bound < other.bound || (bound == other.bound && id > other.id);
    }
  };

  /// By how much a bound may be above the best labelling and still prove it, and by how much the effort lets it be.
  double exact_slack() const { return std::max(tolerance_, step_ - tolerance_); }
  double loose_slack() const { return std::max(effort_.slack, effort_.share * std::abs(best_.value)); }
  /// A subproblem that is not above this has nothing better than the best labelling, or nothing that matters. The level
  /// never falls, as the value never does: what was discarded stays below it.
  double level() const { return best_.value + std::max(exact_slack(), loose_slack()); }

  bool is_closed() const { return open_.empty() || open_.top().bound <= level(); }
  /// Was anything discarded, or left open, that may be better than the best labelling?
  bool is_loose() const { return (pruned_ || !open_.empty()) && loose_slack() > exact_slack(); }
  double bound() const {
    const double rounded = pruned_ && step_ <= 2 * tolerance_ ? tolerance_ : 0;
    const double closed = is_loose() ? std::min(best_.value + loose_slack(), scale_) : best_.value + rounded;
    return is_closed() ? closed : std::max(closed, std::min(open_.top().bound, scale_));
  }

  void process(const Node& node) {
    Fixings fixed = node.fixed;
    const Subproblem p = reduce(A_, c_, k_, fixed);
    // One huge score that decides its own label must not make the rest negligible.
    if (node.id == 0) tolerance_ = std::max(rounding_, 2.5e-10 * magnitude(p.A, p.c));
    const Move move = p.k ? Move::swap : Move::flip;
    if (p.size() <= enumerable) {
      const bool any = p.size() > 0;
      return offer(p, any ? enumerate(p.A, p.c, p.k, [] { return false; }).u : Vector(), fixed);
    }
    TriangleBound bound(p, c_.size());
    if (node.parent) {
      bound.start(*node.parent, fixed);
    } else {
      offer(p, tabu_search(p.A, p.c, labels_of(p.c, p.k), move, usual_tabu_moves(p.size()), 1, stop_).u,
            fixed);
      bound.start();
    }
    pruned_ = true;
    if (bound.prove(level(), node.parent ? 100 : 300, stop_)) return;
    const Vector relaxed = bound.relaxed();
    offer(p, local_search(p.A, p.c, labels_of(relaxed, p.k), move, 16 * p.size(), [] { return false; }).u,
          fixed);
    branch(node, p, fixed, bound, relaxed);
  }

  /// On the label that the relaxation decides least.
  void branch(const Node& node, const Subproblem& p, const Fixings& fixed, const TriangleBound& bound,
              const Vector& relaxed) {
    const double above = std::min(node.bound, bound.bound());
    if (above <= level()) return;
    Index v = 0;
    relaxed.cwiseAbs().minCoeff(&v);
    const auto state = std::make_shared<const TriangleBound::State>(bound.state());
    for (const int8_t label : {int8_t{-1}, int8_t{1}}) {
      Node child{fixed, state, above, ++made_};
      child.fixed[static_cast<size_t>(p.free[static_cast<size_t>(v)])] = label;
      open_.push(std::move(child));
    }
  }

  void offer(const Subproblem& p, const Vector& labels, Fixings whole) {
    p.place(labels, whole);
    const Vector u = Eigen::Map<const Eigen::Array<int8_t, Eigen::Dynamic, 1>>(whole.data(), c_.size())
                         .template cast<double>();
    const double value = objective(A_, c_, u);
    if (value <= best_.value) return;
    best_.u = u;
    best_.value = value;
  }

  const Matrix& A_;
  const Vector& c_;
  std::optional<Index> k_;
  const Effort& effort_;
  Stop& stop_;
  double scale_ = 0;      ///< no labelling is above it
  double rounding_ = 0;   ///< of the objective
  double tolerance_ = 0;  ///< by how much a bound may be above the best labelling
  double step_ = 0;
  bool pruned_ = false;  ///< by a bound, with the tolerance
  int64_t made_ = 0;
  Exact best_;
  std::priority_queue<Node> open_;
};

}  // namespace detail

/// Maximises u'c - u'Au over all labellings, or over those with k positives. When the effort is spent, or when stop()
/// returns true, the best so far comes back with a bound. requires finite data, a zero diagonal and 0 <= k <= V
template <class Stop>
Exact branch_and_bound(const Matrix& A, const Vector& c, std::optional<Index> k, const Effort& effort,
                       Stop&& stop) {
  const double largest = std::max(A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0, c.cwiseAbs().maxCoeff());
  int exponent = 0;
  std::frexp(largest, &exponent);  // a power of two rounds nothing
  const auto scaled = [&](double x) { return std::ldexp(x, -exponent); };
  const Matrix A1 = A.unaryExpr(scaled);
  const Vector c1 = c.unaryExpr(scaled);
  const Effort effort1 = effort.scaled(exponent);
  Exact exact = detail::Tree(A1, c1, k, effort1, stop).run();
  const double above = std::ldexp(exact.bound - exact.value, exponent);
  exact.value = objective(A, c, exact.u);
  exact.bound = exact.value + above;
  return exact;
}

}  // namespace concord::kit
