// SPDX-License-Identifier: MIT
// Any prior, with or without a cardinality: the best labelling and the proof that it is, by branch and bound.
#include <chrono>
#include <cmath>
#include <stdexcept>

#include <concord/kit/branch_and_bound.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;

class Exact {
 public:
  struct Options {
    int64_t node_limit;
    double time_limit;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("node_limit", &Options::node_limit, 10'000)
            .range(1, 1e9)
            .help("subproblems after which the best so far is returned, with its bound"),
        opt("time_limit", &Options::time_limit, 0)
            .range(0, 1e8)
            .help("the same in seconds, 0: none; what it cuts is not reproducible")};
  }
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_REENTRANT | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  explicit Exact(const Options& options) : options_(options) {}

  void prepare(const concord::Prior& prior) {
    A_ = prior.dense();
    A_.diagonal().setZero();
  }

  void solve(const concord::Request& request, const concord::Result& result, const concord::Env& env) const {
    const concord::Vector c = request.c();
    const auto k = request.k();
    if (k && (*k < 0 || *k > c.size()))
      return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
    if (!std::isfinite(kit::magnitude(A_, c))) throw std::invalid_argument("the objective is not finite");
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::optional<int32_t> cut;
    bool late = false;
    const kit::Exact found = kit::branch_and_bound(A_, c, k, options_.node_limit, [&] {
      if (!cut) cut = env.interruption();
      late = options_.time_limit > 0 &&
             std::chrono::duration<double>(Clock::now() - start).count() > options_.time_limit;
      return cut.has_value() || late;
    });
    result.u() = found.u;
    result.counters(1, 0, found.nodes);
    if (found.proven) return result.finish(CONCORD_OPTIMAL, found.value, found.bound);
    result.finish(cut.value_or(CONCORD_LIMIT), found.value, found.bound);
    if (!cut) result.message(late ? "cut by time_limit, so not reproducible" : "cut by node_limit");
  }

 private:
  Options options_;
  concord::Matrix A_;
};

}  // namespace

CONCORD_EXPORT_DECODER(Exact, "exact", "any prior, exact: branch and bound with semidefinite bounds")
