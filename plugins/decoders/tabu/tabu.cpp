// SPDX-License-Identifier: MIT
// Any prior, from the labels that the scores alone would choose and without a proof. A dense A by tabu search: the best
// known value in a millisecond or so. A sparse A by annealing a pool of labellings, in time by the number of couplings.
#include <chrono>
#include <cmath>
#include <limits>
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
    double time_limit;
  };
  static auto options() {
    return concord::OptionList<Options>{
        kit::moves_option(&Options::moves),
        concord::opt("time_limit", &Options::time_limit, 0)
            .range(0, 1e9)
            .help("seconds for each problem in the place of `moves`, which is not reproducible; 0: none")};
  }
  static concord::Capabilities capabilities() {
    // No labelling is above a relaxation, so families may be pruned by the spectral one.
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_HEURISTIC,
            .flags =
                CONCORD_SPARSE_PRIOR | CONCORD_REENTRANT | CONCORD_RANDOMISED | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  explicit Tabu(const Options& options) : options_(options) {}

  void prepare(const concord::Prior& prior) {
    is_sparse_ = prior.is_sparse();
    if (is_sparse_) {
      sparse_ = prior.sparse();
      graph_ = kit::coupling_graph(sparse_);
    } else {
      dense_ = prior.dense();
    }
  }

  void solve(const concord::Request& request, const concord::Result& result, const concord::Env& env) const {
    const Vector c = request.c();
    const auto k = request.k();
    if (k && (*k < 0 || *k > c.size()))
      return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
    const double scale = is_sparse_ ? kit::magnitude(sparse_, c) : kit::magnitude(dense_, c);
    if (!std::isfinite(scale)) throw std::invalid_argument("the objective is not finite");
    const auto begin = std::chrono::steady_clock::now();
    std::optional<int32_t> cut;
    const auto stop = [&] {
      cut = env.interruption();
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      if (!cut && options_.time_limit > 0 && spent.count() >= options_.time_limit) cut = CONCORD_LIMIT;
      return cut.has_value();
    };
    const Vector u = kit::labels_of(c, k);
    const kit::Move move = k ? kit::Move::swap : kit::Move::flip;
    if (is_sparse_) {
      kit::Visits visits(budget(kit::usual_visits(c.size())), stop);
      finish(result, kit::graph_search(sparse_, graph_, c, u, move, request.seed(), visits), cut);
    } else {
      const int64_t moves = budget(kit::usual_tabu_moves(c.size()));
      finish(result, kit::tabu_search(dense_, c, u, move, moves, request.seed(), stop), cut);
    }
  }

 private:
  int64_t budget(int64_t usual) const {
    if (options_.time_limit > 0) return std::numeric_limits<int64_t>::max();
    return options_.moves > 0 ? options_.moves : usual;
  }

  static void finish(const concord::Result& result, const kit::TabuSearch& found,
                     const std::optional<int32_t>& cut) {
    result.u() = found.u;
    result.counters(1, 0, found.moves);
    result.finish(cut.value_or(CONCORD_FEASIBLE), found.value, std::numeric_limits<double>::quiet_NaN());
  }

  Options options_;
  bool is_sparse_ = false;
  concord::Matrix dense_;
  concord::SparseMatrix sparse_;
  kit::CouplingGraph graph_;  ///< of a sparse A
};

}  // namespace

CONCORD_EXPORT_DECODER(Tabu, "tabu", "any prior, by tabu search: no proof, and seldom beaten")
