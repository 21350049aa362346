// SPDX-License-Identifier: MIT
#pragma once
// The maximum of u'c - u'Au for any A, with or without a cardinality, with a proof: reductions, tabu search for
// the labelling, and branch and bound with the triangle bound for the proof. Best bound first; every choice is
// fixed by the problem alone, so the same problem gives the same tree.
#include <bit>
#include <memory>
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
  bool proven = false;  ///< bound - value is within rounding
};

namespace detail {

template <class Stop>
class Tree {
 public:
  Tree(const Matrix& A, const Vector& c, std::optional<Index> k, int64_t node_limit, Stop& stop)
      : A_(A), c_(c), k_(k), limit_(node_limit), stop_(stop), tolerance_(2.5e-10 * magnitude(A, c)) {}

  void run() {
    const Index V = c_.size();
    incumbent_ = tabu_search(A_, c_, k_ ? top_k(c_, *k_) : sign(c_), k_ ? Move::swap : Move::flip,
                             usual_tabu_moves(V), 1, stop_);
    Node root;
    root.fixed.assign(static_cast<size_t>(V), 0);
    open_.push(std::move(root));
    while (!open_.empty() && nodes_ < limit_ && !stop_()) {
      const Node node = open_.top();
      if (node.bound <= level()) break;
      open_.pop();
      ++nodes_;
      process(node);
    }
  }

  double bound() const { return open_.empty() ? level() : std::max(level(), open_.top().bound); }
  const TabuSearch& incumbent() const { return incumbent_; }
  int64_t nodes() const { return nodes_; }

 private:
  struct Node {
    Fixings fixed;
    std::shared_ptr<const TriangleBound::State> parent;
    double bound = std::numeric_limits<double>::infinity();
    int64_t id = 0;
    bool operator<(const Node& other) const {  // the last in this order is the next
      return bound < other.bound || (bound == other.bound && id > other.id);
    }
  };

  /// What is not above this is as good as the incumbent.
  double level() const { return incumbent_.value + tolerance_; }

  void process(const Node& node) {
    Fixings fixed = node.fixed;
    const Subproblem p = reduce(A_, c_, k_, fixed);
    if (p.size() <= LEAF) {
      Vector u(0);
      if (p.size() > 0) u = enumerate(p.A, p.c, p.k, [] { return false; }).u;
      return offer(p, u, fixed);
    }
    TriangleBound bound(p, c_.size());
    if (node.parent) {
      bound.start(*node.parent, fixed);
    } else {
      bound.start();
    }
    const bool proven = bound.prove(level(), node.parent ? STEPS : 300, stop_);
    if (getenv("TRACE")) printf("node %ld depth-size %ld cuts %zu est %.4f level %.4f %s\n", (long)nodes_, (long)p.size(), bound.cuts(), bound.estimate(), level(), proven?"closed":"");
    if (proven) return;
    const Vector relaxed = bound.relaxed();
    offer(p, local_search(p.A, p.c, p.k ? top_k(relaxed, *p.k) : sign(relaxed), p.k ? Move::swap : Move::flip, 16 * p.size(), [] { return false; }).u, fixed);
    const double proven_bound = std::min(node.bound, bound.bound());
    if (proven_bound <= level()) return;
    Index v = 0;
    relaxed.cwiseAbs().minCoeff(&v);
    const auto state = std::make_shared<const TriangleBound::State>(bound.state());
    for (const int8_t label : {int8_t{-1}, int8_t{1}}) {
      if (p.k && label > 0 ? *p.k == 0 : p.k && *p.k == p.size()) continue;
      Node child{fixed, state, proven_bound, ++made_};
      child.fixed[static_cast<size_t>(p.free[static_cast<size_t>(v)])] = label;
      open_.push(std::move(child));
    }
  }

  void offer(const Subproblem& p, const Vector& labels, Fixings whole) {
    p.place(labels, whole);
    const Vector u = Eigen::Map<const Eigen::Array<int8_t, Eigen::Dynamic, 1>>(whole.data(), c_.size()).template cast<double>();
    const double value = objective(A_, c_, u);
    if (value > incumbent_.value) {
      incumbent_.u = u;
      incumbent_.value = value;
    }
  }

  const Matrix& A_;
  const Vector& c_;
  std::optional<Index> k_;
  int64_t limit_;
  Stop& stop_;
  double tolerance_;
  TabuSearch incumbent_;
  std::priority_queue<Node> open_;
  int64_t nodes_ = 0;
  int64_t made_ = 0;
};

}  // namespace detail
}  // namespace concord::kit
