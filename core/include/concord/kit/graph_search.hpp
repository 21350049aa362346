// SPDX-License-Identifier: MIT
#pragma once
// A good labelling of a sparse problem. Labels that their score decides, and those with few neighbours, are eliminated. On
// the rest a small pool of labellings is annealed, and pairs of them are combined: what two agree on is contracted, and what
// is left is annealed again. Pool after pool takes more sweeps, and every pool inherits the best labelling of those before.
#include <concord/kit/annealing.hpp>
#include <concord/kit/elimination.hpp>
#include <concord/kit/tabu.hpp>

namespace concord::kit {

namespace detail {

/// Temperatures in units of CouplingGraph::scale(): those at which pairs of labels freeze in most graphs.
struct Temperatures {
  static constexpr double hot = 0.42, warm = 0.32, tepid = 0.16, cold = 0.06;
};

class Pool {
 public:
  Pool(const CouplingGraph& graph, const Vector& c, Rng& rng, Visits& visits)
      : graph_(graph), c_(c), rng_(rng), visits_(visits), scale_(graph.scale()) {}

  struct Member {
    Vector u;
    double value;
  };

  /// Until the visits are used up. Never worse than where it begins.
  Vector search(const Vector& first) {
    Annealing start(graph_, c_, first);
    Member best{start.u(), start.value()};
    for (int64_t sweeps = 64; visits_.are_left(); sweeps = std::min<int64_t>(2 * sweeps, 8192)) {
      std::vector<Member> pool{best};
      while (pool.size() < members && visits_.are_left()) pool.push_back(annealed(sweeps));
      combine(pool, sweeps);
      for (Member& one : pool)
        if (one.value > best.value) best = std::move(one);
    }
    return best.u;
  }

 private:
  static constexpr size_t members = 8;

  Member finish(Annealing& walk, int64_t sweeps, double from) {
    walk.cool_by_flips(sweeps, from * scale_, Temperatures::cold * scale_, rng_, logs_, visits_);
    return {walk.u(), walk.value()};
  }
  Member annealed(int64_t sweeps) {
    Vector u(c_.size());
    for (double& x : u) x = (rng_.next() >> 63) != 0 ? 1 : -1;
    Annealing walk(graph_, c_, std::move(u));
    return finish(walk, sweeps, Temperatures::hot);
  }

  /// A child takes the place of the worse of its parents if it is as good. Ends when most pairs agree on everything.
  void combine(std::vector<Member>& pool, int64_t sweeps) {
    size_t alike = 0;
    for (size_t child = 0; child < 3 * members && alike < members && visits_.are_left(); ++child) {
      const size_t a = rng_.below(pool.size());
      const size_t b = (a + 1 + rng_.below(pool.size() - 1)) % pool.size();
      const Contraction groups(graph_, c_, pool[a].u, pool[b].u);
      if (groups.graph().size() < 3) {
        ++alike;
        continue;
      }
      Annealing choice(groups.graph(), groups.c(), Vector::Ones(groups.graph().size()));
      const double unit = groups.graph().scale();
      choice.cool_by_flips(sweeps, Temperatures::warm * unit, Temperatures::cold * unit, rng_, logs_,
                           visits_);
      Annealing walk(graph_, c_, groups.extend(choice.u()));
      Member before{walk.u(), walk.value()};
      Member after = finish(walk, sweeps / 4, Temperatures::tepid);
      Member& born = after.value >= before.value ? after : before;
      Member& parent = pool[a].value < pool[b].value ? pool[a] : pool[b];
      if (born.value >= parent.value) parent = std::move(born);
    }
  }

  const CouplingGraph& graph_;
  const Vector& c_;
  Rng& rng_;
  Visits& visits_;
  LogTable logs_;
  double scale_;
};

/// Under a cardinality: annealing by swaps from the best so far, hot and tepid in turn, each time for longer.
template <class M>
Vector search_by_swaps(const M& A, const CouplingGraph& graph, const Vector& c, const Vector& first, Rng& rng,
                       Visits& visits) {
  // A step of local_search sorts all labels, so that many labels leave room for few.
  const int64_t most_steps = std::min<int64_t>(16 * c.size(), 4'000'000 / (c.size() + 1));
  const double scale = graph.scale();
  LogTable logs;
  Vector best = first;
  double best_value = objective(A, c, first);
  const auto never = [] { return false; };
  if ((first.array() > 0).all() || (first.array() < 0).all()) return first;  // there is no other
  // With no couplings the ascent alone is exact.
  if (graph.coupling.empty()) return local_search(A, c, first, Move::swap, c.size(), never).u;
  for (int64_t round = 0; visits.are_left(); ++round) {
    const int64_t sweeps = std::min<int64_t>(int64_t{64} << std::min<int64_t>(round / 4, 16), 8192);
    const double from = round % 4 < 2 ? Temperatures::hot : Temperatures::tepid;
    Annealing walk(graph, c, best);
    walk.cool_by_swaps(sweeps, from * scale, Temperatures::cold * scale, rng, logs, visits);
    const LocalSearch found = local_search(A, c, walk.u(), Move::swap, most_steps, never);
    if (found.value <= best_value) continue;
    best = found.u;
    best_value = found.value;
  }
  return best;
}

}  // namespace detail

/// The visits of a search that is not told how many: 32,000 for each label, which is a pool or five, up to 2e8.
inline int64_t usual_visits(Index V) {
  return std::clamp<int64_t>(32'000 * V, 1, 200'000'000);
}

/// Looks for a better labelling than u; what it returns is never worse. Swaps keep 1'u. `graph` holds the couplings of A.
/// The moves of the answer are the visits.
template <class M>
TabuSearch graph_search(const M& A, const CouplingGraph& graph, const Vector& c, const Vector& u, Move move,
                        uint64_t seed, Visits& visits) {
  TabuSearch best{u, objective(A, c, u), 0};
  Rng rng(seed);
  Vector found;
  if (move == Move::swap) {
    found = detail::search_by_swaps(A, graph, c, u, rng, visits);
  } else {
    const Elimination rest(graph, c);
    found = rest.graph().size() == 0
                ? rest.extend({})
                : rest.extend(detail::Pool(rest.graph(), rest.c(), rng, visits).search(rest.restrict(u)));
  }
  best.moves = visits.made();
  const double value = objective(A, c, found);
  if (value <= best.value) return best;
  best.u = std::move(found);
  best.value = value;
  return best;
}

}  // namespace concord::kit
