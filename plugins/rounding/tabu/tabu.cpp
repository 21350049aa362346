// SPDX-License-Identifier: MIT
// Tabu search on the true objective by flips, or by swaps under a cardinality. Never worse than its start.
#include <cmath>
#include <stdexcept>

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
            .range(0, 1e7)
            .help("flips or swaps to make; 0: 32 for each label, and at least 6000")};
  }
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_RANDOMISED};
  }

  explicit Tabu(const Options& options) : options_(options) {}

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env& env) const {
    const auto c = problem.request.c();
    const auto k = problem.request.k();
    const Vector u = kit::first_labels(start, relaxed.u(), k);
    const int64_t moves = options_.moves > 0 ? options_.moves : kit::usual_tabu_moves(c.size());
    const auto stop = [&] { return env.interruption().has_value(); };
    const kit::TabuSearch found = kit::with_matrix(problem.prior, [&](const auto& A) {
      if (!std::isfinite(kit::magnitude(A, c))) throw std::invalid_argument("the objective is not finite");
      return kit::tabu_search(A, c, u, k ? kit::Move::swap : kit::Move::flip, moves, problem.request.seed(),
                              stop);
    });
    labels = found.u.array().cast<int8_t>();
  }

 private:
  Options options_;
};

}  // namespace

CONCORD_EXPORT_ROUNDING(Tabu, "tabu", "tabu search by flips, or by swaps under a cardinality")
