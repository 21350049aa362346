// SPDX-License-Identifier: MIT
#pragma once
// The maximum of u'c - u'Au for a sparse A, without a cardinality, and the proof of it, through the structure of A: labels
// are eliminated while that is exact, and what is left falls into parts that do not see each other. Each part is solved by
// branch and bound on a dense matrix of its own size. A part that is too large for that gets good labels and a bound.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <concord/kit/branch_and_bound.hpp>
#include <concord/kit/graph_search.hpp>
#include <concord/kit/sparse_mixing.hpp>

namespace concord::kit {

/// The largest problem that branch and bound gets of a sparse A: some 300 MB.
constexpr Index most_branched_labels = 2000;

/// The parts of a graph that no coupling joins, smallest first, then by their first label. Labels ascend in each.
inline std::vector<std::vector<Index>> connected_parts(const CouplingGraph& graph) {
  std::vector<std::vector<Index>> parts;
  std::vector<bool> is_seen(static_cast<size_t>(graph.size()));
  for (Index first = 0; first < graph.size(); ++first) {
    if (is_seen[static_cast<size_t>(first)]) continue;
    is_seen[static_cast<size_t>(first)] = true;
    std::vector<Index> part{first};
    for (size_t i = 0; i < part.size(); ++i)
      for (const Coupling& pair : graph.of(part[i])) {
        if (is_seen[static_cast<size_t>(pair.j)]) continue;
        is_seen[static_cast<size_t>(pair.j)] = true;
        part.push_back(pair.j);
      }
    std::sort(part.begin(), part.end());
    parts.push_back(std::move(part));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return parts;
}

/// Good labels by annealing, and a bound that holds: that of the semidefinite relaxation without the cardinality where a
/// factorisation is cheap, else the sum of |c| and |A|. `graph` holds the couplings of A, which has no diagonal.
template <class Stop>
Exact bounded_search(const SparseRows& A, const CouplingGraph& graph, const Vector& c, std::optional<Index> k,
                     Stop&& stop) {
  constexpr Index most_labels = 20'000;  // whose factorisation is below 200 MB in most graphs
  const std::function<bool()> until = [&] { return stop(); };
  Exact found;
  found.nodes = 1;
  found.beyond = c.size();
  found.bound = magnitude(A, c);
  Visits visits(usual_visits(c.size()), until);
  const Move move = k ? Move::swap : Move::flip;
  TabuSearch best = graph_search(A, graph, c, labels_of(c, k), move, 1, visits);
  found.u = std::move(best.u);
  found.value = best.value;
  if (c.size() > most_labels || stop()) return found;
  const MixingOptions options{};
  const double relaxed = SparseMixingSolver(A, graph, c, options, until).solve().bound;
  if (relaxed < found.bound) found.bound = std::max(relaxed, found.value);  // NaN: it was stopped
  return found;
}

namespace detail {

template <class Stop>
class GraphTree {
 public:
  /// requires |A|, |c| <= 1
  GraphTree(const CouplingGraph& graph, const Vector& c, const Effort& effort, Stop& stop)
      : rest_(graph, c), effort_(effort), stop_(stop), above_(rest_.rounding()) {
    z_ = Vector(rest_.graph().size());
    local_.resize(static_cast<size_t>(rest_.graph().size()));
    magnitude_ = rest_.c().cwiseAbs().sum();
    for (const Coupling& pair : rest_.graph().coupling) magnitude_ += std::abs(pair.a);
    if (effort.slack > 0) slack_ = std::max(effort.slack, effort.share * first_value(graph, c)) - above_;
  }

  /// The labels, how far the bound is above them (in `bound`), and the rest but for the value.
  Exact run() {
    Exact whole;
    whole.proven = true;
    for (const std::vector<Index>& part : connected_parts(rest_.graph())) {
      const Exact found = solve(part, effort_.node_limit - whole.nodes);
      for (size_t i = 0; i < part.size(); ++i) z_[part[i]] = found.u[static_cast<Index>(i)];
      above_ += found.bound - found.value;
      slack_ -= found.bound - found.value;
      whole.nodes += found.nodes;
      whole.proven = whole.proven && found.proven;
      whole.beyond += found.beyond;
    }
    whole.u = rest_.extend(z_);
    whole.bound = above_;
    return whole;
  }

 private:
  /// The value of labels that are found at once. The optimum is no smaller, and not negative.
  double first_value(const CouplingGraph& graph, const Vector& c) const {
    Annealing walk(rest_.graph(), rest_.c(), sign(rest_.c()));
    Rng rng(1);
    LogTable logs;
    Visits none(0, [] { return false; });
    walk.cool_by_flips(0, 0, 0, rng, logs, none);
    return std::max(0.0, Annealing(graph, c, rest_.extend(walk.u())).value());
  }

  /// The first subproblem of a part is always looked at: without it there would be no labels and no bound.
  Exact solve(const std::vector<Index>& part, int64_t nodes_left) {
    const auto m = static_cast<Index>(part.size());
    Vector c(m);
    CouplingGraph graph;
    for (Index i = 0; i < m; ++i) local_[static_cast<size_t>(part[static_cast<size_t>(i)])] = i;
    for (Index i = 0; i < m; ++i) {
      const Index v = part[static_cast<size_t>(i)];
      c[i] = rest_.c()[v];
      for (const Coupling& pair : rest_.graph().of(v))
        graph.coupling.push_back({static_cast<int32_t>(local_[static_cast<size_t>(pair.j)]), pair.a});
      graph.end_row();
    }
    const double weight = c.cwiseAbs().sum() + std::accumulate(graph.coupling.begin(), graph.coupling.end(),
                                                               0.0, [](double s, const Coupling& pair) {
                                                                 return s + std::abs(pair.a);
                                                               });
    const double slack = std::max(0.0, slack_) * std::min(1.0, weight / magnitude_);
    magnitude_ -= weight;
    const Effort effort{std::max<int64_t>(1, nodes_left), slack, 0, effort_.report};
    return m <= most_branched_labels ? branch_and_bound(dense(graph), c, std::nullopt, effort, stop_)
                                     : bounded_search(sparse(graph), graph, c, std::nullopt, stop_);
  }

  static Matrix dense(const CouplingGraph& graph) {
    Matrix A = Matrix::Zero(graph.size(), graph.size());
    for (Index v = 0; v < graph.size(); ++v)
      for (const Coupling& pair : graph.of(v)) A(v, pair.j) = pair.a;
    return A;
  }
  static SparseRows sparse(const CouplingGraph& graph) {
    std::vector<Eigen::Triplet<double, int64_t>> entries;
    entries.reserve(graph.coupling.size());
    for (Index v = 0; v < graph.size(); ++v)
      for (const Coupling& pair : graph.of(v)) entries.emplace_back(v, pair.j, pair.a);
    SparseRows A(graph.size(), graph.size());
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  }

  Elimination rest_;
  const Effort& effort_;
  Stop& stop_;
  double above_;          ///< by how much the bound is above the labels, so far
  double slack_ = 0;      ///< what the parts to come may add to it, together
  double magnitude_ = 0;  ///< of the parts to come
  Vector z_;
  std::vector<Index> local_;  ///< where a label stands in its part
};

}  // namespace detail

/// Maximises u'c - u'Au over all labellings. `graph` holds the couplings of A. The node limit is one for all parts, in the
/// order of connected_parts, but every part has one subproblem. requires finite data and a zero diagonal
template <class Stop>
Exact graph_exact(const SparseRows& A, const CouplingGraph& graph, const Vector& c, const Effort& effort,
                  Stop&& stop) {
  double largest = c.cwiseAbs().maxCoeff();
  for (const Coupling& pair : graph.coupling) largest = std::max(largest, std::abs(pair.a));
  int exponent = 0;
  std::frexp(largest, &exponent);
  CouplingGraph graph1 = graph;
  for (Coupling& pair : graph1.coupling) pair.a = std::ldexp(pair.a, -exponent);
  const Vector c1 = c.unaryExpr([&](double x) { return std::ldexp(x, -exponent); });
  const Effort effort1 = effort.scaled(exponent);
  Exact exact = detail::GraphTree(graph1, c1, effort1, stop).run();
  const double above = std::ldexp(exact.bound, exponent);
  exact.value = objective(A, c, exact.u);
  exact.bound = exact.value + above;
  exact.proven = exact.proven && above <= 1e-9 * magnitude(A, c);
  return exact;
}

}  // namespace concord::kit
