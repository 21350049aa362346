// SPDX-License-Identifier: MIT
// Any prior, with or without a cardinality: the best labelling and the proof that it is, by branch and bound. A sparse A
// without a cardinality is solved through its structure (kit/graph_exact.hpp).
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>

#include <concord/kit/branch_and_bound.hpp>
#include <concord/kit/graph_exact.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;

class Exact {
 public:
  struct Options {
    int64_t node_limit;
    double time_limit;
    double gap;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("node_limit", &Options::node_limit, 10'000)
            .range(1, 1e9)
            .help("subproblems after which the best so far is returned, with its bound"),
        opt("time_limit", &Options::time_limit, 0)
            .range(0, 1e8)
            .help("the same in seconds, 0: none; what it cuts is not reproducible"),
        opt("gap", &Options::gap, 0)
            .range(0, 1)
            .help(
                "a proof of (bound - value)/max(1, |bound|) <= gap is enough, with status relaxed; 0: of the "
                "optimum")};
  }
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_REENTRANT | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  explicit Exact(const Options& options) : options_(options) {}

  void prepare(const concord::Prior& prior) {
    is_sparse_ = prior.is_sparse();
    once_ = std::make_unique<std::once_flag>();
    dense_.resize(0, 0);
    if (is_sparse_) {
      sparse_ = prior.sparse();
      graph_ = kit::coupling_graph(sparse_);
    } else {
      dense_ = prior.dense();
      dense_.diagonal().setZero();
    }
  }

  void solve(const concord::Request& request, const concord::Result& result, const concord::Env& env) const {
    const concord::Vector c = request.c();
    const auto k = request.k();
    if (k && (*k < 0 || *k > c.size()))
      return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
    const double scale = is_sparse_ ? kit::magnitude(sparse_, c) : kit::magnitude(dense_, c);
    if (!std::isfinite(scale)) throw std::invalid_argument("the objective is not finite");
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::optional<int32_t> cut;
    bool late = false;
    const auto stop = [&] {
      if (!cut) cut = env.interruption();
      late = options_.time_limit > 0 &&
             std::chrono::duration<double>(Clock::now() - start).count() > options_.time_limit;
      return cut.has_value() || late;
    };
    kit::Effort effort = kit::Effort::within(options_.gap, options_.node_limit);
    effort.report = [&](const kit::Progress& at) { env.log(CONCORD_LOG_INFO, text_of(at)); };
    const kit::Exact found = search(c, k, effort, stop);
    result.u() = found.u;
    result.counters(1, 0, found.nodes);
    if (found.proven) return result.finish(CONCORD_OPTIMAL, found.value, found.bound);
    if (gap_of(found.value, found.bound) <= options_.gap) {
      result.message("proven to the gap that was asked for, not to be optimal");
      return result.finish(CONCORD_RELAXED, found.value, found.bound);
    }
    result.finish(cut.value_or(CONCORD_LIMIT), found.value, found.bound);
    if (cut) return;
    if (late) return result.message("cut by time_limit, so not reproducible");
    result.message(found.beyond == 0 ? "cut by node_limit" : too_large(found.beyond, k.has_value()));
  }

 private:
  template <class Stop>
  kit::Exact search(const concord::Vector& c, std::optional<kit::Index> k, const kit::Effort& effort,
                    Stop& stop) const {
    if (!is_sparse_) return kit::branch_and_bound(dense_, c, k, effort, stop);
    if (!k) return kit::graph_exact(sparse_, graph_, c, effort, stop);
    if (c.size() > kit::most_branched_labels) return kit::bounded_search(sparse_, graph_, c, k, stop);
    // A cardinality couples all labels with each other: for it A becomes dense, when it is first asked for.
    std::call_once(*once_, [&] { dense_ = concord::Matrix(sparse_); });
    return kit::branch_and_bound(dense_, c, k, effort, stop);
  }

  static double gap_of(double value, double bound) {
    return (bound - value) / std::max(1.0, std::abs(bound));
  }

  static std::string text_of(const kit::Progress& at) {
    char text[160];
    std::snprintf(text, sizeof text, "%lld labels: %lld nodes, best %.10g, bound %.10g, gap %.3g %%",
                  static_cast<long long>(at.labels), static_cast<long long>(at.nodes), at.value, at.bound,
                  100 * gap_of(at.value, at.bound));
    return text;
  }

  static std::string too_large(int64_t labels, bool with_cardinality) {
    return std::to_string(labels) + " labels " +
           (with_cardinality ? "with a cardinality" : "that depend on each other") +
           " are too many for branch and bound (at most " + std::to_string(kit::most_branched_labels) +
           "): their labels are good, their bound is not the best";
  }

  Options options_;
  bool is_sparse_ = false;
  std::unique_ptr<std::once_flag> once_;  ///< of dense_, if A is sparse
  mutable concord::Matrix dense_;
  concord::SparseMatrix sparse_;
  kit::CouplingGraph graph_;  ///< of sparse_
};

}  // namespace

CONCORD_EXPORT_DECODER(Exact, "exact", "any prior, exact: branch and bound with semidefinite bounds")
