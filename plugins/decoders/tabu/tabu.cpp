// SPDX-License-Identifier: MIT
// Any prior, by tabu search from the labels that the scores alone would choose: the best known value in a
// millisecond or so, without a proof.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <concord/kit/tabu.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;

class Tabu {
 public:
  using Options = kit::TabuOptions;
  static auto options() { return Options::list(1e12); }
  static concord::Capabilities capabilities() {
    // No labelling is above a relaxation, so families may be pruned by the spectral one.
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_HEURISTIC,
            .flags = CONCORD_REENTRANT | CONCORD_RANDOMISED | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  explicit Tabu(const Options& options) : options_(options) {}

  void prepare(const concord::Prior& prior) { A_ = prior.dense(); }

  void solve(const concord::Request& request, const concord::Result& result, const concord::Env& env) const {
    const auto c = request.c();
    const auto k = request.k();
    if (k && (*k < 0 || *k > c.size()))
      return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
    if (!std::isfinite(kit::magnitude(A_, c))) throw std::invalid_argument("the objective is not finite");
    std::optional<int32_t> cut;
    const auto stop = [&] {
      cut = env.interruption();
      return cut.has_value();
    };
    const kit::TabuSearch found =
        kit::tabu_search(A_, c, kit::labels_of(c, k), k ? kit::Move::swap : kit::Move::flip,
                         options_.moves_for(c.size()), request.seed(), stop);
    result.u() = found.u;
    result.counters(1, 0, found.moves);
    result.finish(cut.value_or(CONCORD_FEASIBLE), found.value, std::numeric_limits<double>::quiet_NaN());
  }

 private:
  Options options_;
  concord::Matrix A_;
};

}  // namespace

CONCORD_EXPORT_DECODER(Tabu, "tabu", "any prior, by tabu search: no proof, and seldom beaten")
