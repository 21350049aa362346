// SPDX-License-Identifier: MIT
#pragma once
// The reference engine: LEMON's Preflow on the integers of kit/min_cut.hpp, without any preprocessing. As in
// kit/max_flow.hpp the flow runs from the labels with g < 0 to those with g > 0. The first phase finds a maximum
// preflow. LEMON's own minCut() is any minimum cut. So the minimal set {z = 1}, the labels from which the
// sink can be reached, is searched for here. All capacities of the terminals add up to less than 2^61, so
// that no excess overflows.
#include <cstdint>
#include <lemon/preflow.h>
#include <lemon/static_graph.h>
#include <utility>
#include <vector>

#include <concord/kit/min_cut.hpp>

namespace concord::min_cut {

class LemonCut {
 public:
  /// Arcs v -> j and j -> v for every coupled pair, source -> v and v -> sink for every label.
  explicit LemonCut(const kit::CutGraph& weights) : V_(weights.labels()) {
    std::vector<std::pair<int, int>> arcs;
    for (size_t v = 0; v < V_; ++v) {
      for (size_t j = 0; j < V_; ++j) {
        if (weights.row(v)[j] == 0) continue;
        arcs.emplace_back(v, j);
        capacities_.push_back(weights.row(v)[j]);
      }
      to_sink_.push_back(capacities_.size());
      arcs.emplace_back(v, V_ + 1);
      capacities_.push_back(0);
    }
    from_source_ = capacities_.size();
    for (size_t v = 0; v < V_; ++v) arcs.emplace_back(V_, v);
    capacities_.resize(arcs.size());
    graph_.build(static_cast<int>(V_) + 2, arcs.begin(), arcs.end());
  }

  /// The minimal minimiser of sum_{i<j} w_ij |z_i - z_j| - g'z.
  void solve(const std::vector<int64_t>& g, std::vector<uint8_t>& z) const {
    Capacities capacities(graph_);
    for (size_t a = 0; a < capacities_.size(); ++a) capacities[arc(a)] = capacities_[a];
    for (size_t v = 0; v < V_; ++v) {
      if (g[v] > 0) capacities[arc(to_sink_[v])] = g[v];
      if (g[v] < 0) capacities[arc(from_source_ + v)] = -g[v];
    }
    lemon::Preflow<Graph, Capacities> flow(graph_, capacities, node(V_), node(V_ + 1));
    flow.runMinCut();
    z.assign(V_ + 2, 0);
    z[V_ + 1] = 1;
    std::vector<Graph::Node> found{node(V_ + 1)};
    const auto reach = [&](Graph::Node v) {
      if (std::exchange(z[static_cast<size_t>(Graph::id(v))], 1) == 0) found.push_back(v);
    };
    while (!found.empty()) {
      const Graph::Node v = found.back();
      found.pop_back();
      for (Graph::InArcIt a(graph_, v); a != lemon::INVALID; ++a)
        if (flow.flow(a) < capacities[a]) reach(graph_.source(a));
      for (Graph::OutArcIt a(graph_, v); a != lemon::INVALID; ++a)
        if (flow.flow(a) > 0) reach(graph_.target(a));
    }
    z.resize(V_);
  }

 private:
  using Graph = lemon::StaticDigraph;
  using Capacities = Graph::ArcMap<int64_t>;
  static Graph::Node node(size_t v) { return Graph::node(static_cast<int>(v)); }
  static Graph::Arc arc(size_t a) { return Graph::arc(static_cast<int>(a)); }

  size_t V_;
  Graph graph_;
  std::vector<int64_t> capacities_;  ///< in the order of the arcs; those of the terminals are set for each c
  std::vector<size_t> to_sink_;
  size_t from_source_ = 0;
};

}  // namespace concord::min_cut
