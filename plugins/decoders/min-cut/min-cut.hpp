// SPDX-License-Identifier: MIT
#pragma once
// The decoder `min-cut`: attractive priors without a cardinality, exactly. The integer graph is made once per
// prior (kit/min_cut.hpp); a problem only sets the terminals.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <concord/kit/workspaces.hpp>
#include <concord/plugin.hpp>

#include "lemon_cut.hpp"

namespace concord::min_cut {

class MinCut {
 public:
  static constexpr const char* licence = "MIT AND BSL-1.0";  // LEMON's is the latter
  struct Options {
    std::string engine = "dense";
  };
  static auto options() {
    return OptionList<Options>{
        opt("engine", &Options::engine, "dense")
            .choices({"dense", "lemon"})
            .help("our push-relabel on a dense matrix, or LEMON's Preflow: equal answers")};
  }
  static Capabilities capabilities() {
    return {.prior = CONCORD_PRIOR_ATTRACTIVE,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_REENTRANT | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  explicit MinCut(const Options& options) : options_(options) {}

  void prepare(const Prior& prior) {
    objective_.emplace(prior.dense());
    graph_.emplace(objective_->A());
    lemon_.reset();
    if (options_.engine == "lemon") lemon_ = std::make_unique<LemonCut>(*graph_);
  }

  void solve(const Request& request, const Result& result, const Env& env) const {
    const auto scratch = scratch_.borrow();
    std::optional<int32_t> cut_short;
    if (lemon_ != nullptr) {
      graph_->terminals(request.c(), scratch->g);
      lemon_->solve(scratch->g, scratch->z);
    } else {
      scratch->cut.solve(*graph_, request.c(), scratch->z, [&] {
        cut_short = env.interruption();
        return cut_short.has_value();
      });
    }
    if (cut_short) {  // half a flow says nothing yet: the labels of c alone are the best so far
      result.u() = kit::sign(request.c());
      return result.finish(*cut_short, (*objective_)(request.c(), result.u()),
                           std::numeric_limits<double>::quiet_NaN());
    }
    for (int64_t v = 0; v < request.labels(); ++v)
      result.u()[v] = scratch->z[static_cast<size_t>(v)] != 0 ? 1 : -1;
    const double value = (*objective_)(request.c(), result.u());
    result.finish(CONCORD_OPTIMAL, value, value);
  }

 private:
  struct Scratch {
    kit::MinCut cut;
    std::vector<int64_t> g;
    std::vector<uint8_t> z;
  };
  Options options_;
  std::optional<kit::CutObjective> objective_;
  std::optional<kit::CutGraph> graph_;
  std::unique_ptr<LemonCut> lemon_;
  mutable kit::Workspaces<Scratch> scratch_;
};

}  // namespace concord::min_cut
