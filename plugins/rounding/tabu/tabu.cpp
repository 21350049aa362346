// SPDX-License-Identifier: MIT
// Search on the true objective by flips, or by swaps under a cardinality: tabu search for a dense A, annealing for a sparse
// one. Never worse than its start.
#include <cmath>
#include <stdexcept>

#include <concord/kit/graph_search.hpp>
#include <concord/kit/tabu.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;
using concord::Vector;

class Tabu {
 public:
  struct Options {
    int64_t moves;
  };
  static auto options() { return concord::OptionList<Options>{kit::moves_option(&Options::moves)}; }
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_RANDOMISED};
  }

  explicit Tabu(const Options& options) : options_(options) {}

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env& env) const {
    const auto budget = [&](int64_t usual) { return options_.moves > 0 ? options_.moves : usual; };
    const auto stop = [&] { return env.interruption().has_value(); };
    const uint64_t seed = problem.request.seed();
    labels = kit::searched_labels(
        problem, relaxed, start, [&](const auto& A, const auto& c, const Vector& u, kit::Move move) {
          if (!std::isfinite(kit::magnitude(A, c)))
            throw std::invalid_argument("the objective is not finite");
          if constexpr (kit::is_sparse_matrix<decltype(A)>) {
            kit::Visits visits(budget(kit::usual_visits(c.size())), stop);
            return kit::graph_search(A, kit::coupling_graph(A), c, u, move, seed, visits).u;
          } else {
            return kit::tabu_search(A, c, u, move, budget(kit::usual_tabu_moves(c.size())), seed, stop).u;
          }
        });
  }

 private:
  Options options_;
};

}  // namespace

CONCORD_EXPORT_ROUNDING(Tabu, "tabu", "tabu search by flips, or by swaps under a cardinality")
