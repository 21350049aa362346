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
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("moves", &Options::moves, 0)
            .range(0, 1e12)
            .help("flips or swaps to make, or with a sparse A labels to visit; 0: 32 for each label and at "
                  "least 6000, or 32000 for each label and at most 2e8")};
  }
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_RANDOMISED};
  }

  explicit Tabu(const Options& options) : options_(options) {}

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env& env) const {
    const Vector c = problem.request.c();
    const auto k = problem.request.k();
    const Vector u = kit::first_labels(start, relaxed.u(), k);
    const kit::Move move = k ? kit::Move::swap : kit::Move::flip;
    const auto budget = [&](int64_t usual) { return options_.moves > 0 ? options_.moves : usual; };
    const auto stop = [&] { return env.interruption().has_value(); };
    const kit::TabuSearch found = kit::with_matrix(problem.prior, [&](const auto& A) {
      if (!std::isfinite(kit::magnitude(A, c))) throw std::invalid_argument("the objective is not finite");
      if constexpr (kit::is_sparse_matrix<decltype(A)>) {
        kit::Visits visits(budget(kit::usual_visits(c.size())), stop);
        return kit::graph_search(A, kit::coupling_graph(A), c, u, move, problem.request.seed(), visits);
      } else {
        return kit::tabu_search(A, c, u, move, budget(kit::usual_tabu_moves(c.size())),
                                problem.request.seed(), stop);
      }
    });
    labels = found.u.array().cast<int8_t>();
  }

 private:
  Options options_;
};

}  // namespace

CONCORD_EXPORT_ROUNDING(Tabu, "tabu", "tabu search by flips, or by swaps under a cardinality")
