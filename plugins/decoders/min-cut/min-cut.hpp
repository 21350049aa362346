// SPDX-License-Identifier: MIT
#pragma once
// The decoder `min-cut`: attractive priors without a cardinality, exactly. The integer graph is made once per
// prior (kit/min_cut.hpp, of a sparse prior kit/sparse_cut.hpp); a problem only sets the terminals.
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/kit/sparse_cut.hpp>
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
            .help("our push-relabel, on a dense matrix or for a sparse A on lists, or LEMON's Preflow: equal "
                  "answers")};
  }
  static Capabilities capabilities() {
    return {.prior = CONCORD_PRIOR_ATTRACTIVE,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_REENTRANT | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  explicit MinCut(const Options& options) : options_(options) {}

  void prepare(const Prior& prior) {
    objective_.reset();
    graph_.reset();
    sparse_graph_.reset();
    lemon_.reset();
    if (prior.is_sparse() && options_.engine != "lemon") {
      sparse_ = prior.sparse();
      sparse_graph_.emplace(sparse_);
      return;
    }
    objective_.emplace(prior.is_sparse() ? Matrix(prior.sparse()) : Matrix(prior.dense()));
    graph_.emplace(objective_->A());
    if (options_.engine == "lemon") lemon_ = std::make_unique<LemonCut>(*graph_);
  }

  void solve(const Request& request, const Result& result, const Env& env) const {
    const auto scratch = scratch_.borrow();
    Interruption stop(env);
    if (sparse_graph_) {
      scratch->sparse_cut.solve(*sparse_graph_, request.c(), scratch->z, stop);
    } else if (lemon_ != nullptr) {
      graph_->terminals(request.c(), scratch->g);
      lemon_->solve(scratch->g, scratch->z);
    } else {
      scratch->cut.solve(*graph_, request.c(), scratch->z, stop);
    }
    if (stop.status()) {  // half a flow says nothing yet: the labels of c alone are the best so far
      result.u() = kit::sign(request.c());
      return result.finish(*stop.status(), value_of(request.c(), result.u()),
                           std::numeric_limits<double>::quiet_NaN());
    }
    for (int64_t v = 0; v < request.labels(); ++v)
      result.u()[v] = scratch->z[static_cast<size_t>(v)] != 0 ? 1 : -1;
    const double value = value_of(request.c(), result.u());
    result.finish(CONCORD_OPTIMAL, value, value);
  }

 private:
  double value_of(const kit::VectorRef& c, const kit::VectorRef& u) const {
    if (objective_) return (*objective_)(c, u);
    const double value = kit::objective(sparse_, c, u);
    if (!std::isfinite(value)) throw std::invalid_argument("the objective is not finite");
    return value;
  }

  struct Scratch {
    kit::MinCut cut;
    kit::SparseCut sparse_cut;
    std::vector<int64_t> g;
    std::vector<uint8_t> z;
  };
  Options options_;
  std::optional<kit::CutObjective> objective_;
  std::optional<kit::CutGraph> graph_;
  std::unique_ptr<LemonCut> lemon_;
  SparseMatrix sparse_;
  std::optional<kit::SparseCutGraph> sparse_graph_;  ///< in the place of the dense ones
  mutable kit::Workspaces<Scratch> scratch_;
};

}  // namespace concord::min_cut
