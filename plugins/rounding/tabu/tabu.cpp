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
  using Options = kit::TabuOptions;
  static auto options() { return Options::list(1e7); }
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_RANDOMISED};
  }

  explicit Tabu(const Options& options) : options_(options) {}

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env& env) const {
    const auto stop = [&] { return env.interruption().has_value(); };
    labels = kit::searched_labels(
        problem, relaxed, start, [&](const auto& A, const auto& c, const Vector& u, kit::Move move) {
          if (!std::isfinite(kit::magnitude(A, c)))
            throw std::invalid_argument("the objective is not finite");
          return kit::tabu_search(A, c, u, move, options_.moves_for(c.size()), problem.request.seed(), stop)
              .u;
        });
  }

 private:
  Options options_;
};

}  // namespace

CONCORD_EXPORT_ROUNDING(Tabu, "tabu", "tabu search by flips, or by swaps under a cardinality")
