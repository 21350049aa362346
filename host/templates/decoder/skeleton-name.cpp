// SPDX-License-Identifier: MIT
// Coordinate ascent from several starting points: first the signs of c, then random labels. A label is flipped as
// long as that helps; under a cardinality two labels are swapped, which keeps the number of positives. The best end
// point is the answer. Nothing is proven: the bound is NaN, and the guarantee "heuristic".
#include <limits>
#include <optional>

#include <concord/kit/local_search.hpp>
#include <concord/kit/rng.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;
using concord::Vector;

class SkeletonName {
 public:
  /// The options of a user: `concord describe` shows them, `--set decoder.starts=16` sets one.
  struct Options {
    int64_t starts;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("starts", &Options::starts, 8).range(1, 1e6).help("starting points; the best end point is kept")};
  }

  /// What problems it takes and what it promises of its answers; `concord check` holds it to that.
  static concord::Capabilities capabilities() {
    return {.prior = CONCORD_PRIOR_ANY,
            .constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_HEURISTIC,
            .flags = CONCORD_REENTRANT | CONCORD_RANDOMISED};
  }

  explicit SkeletonName(const Options& options) : options_(options) {}

  /// Called once for a prior, before many solves: the place for all work that does not depend on c.
  void prepare(const concord::Prior& prior) { A_ = prior.dense(); }

  /// maximise u'c - u'Au over u in {-1, +1}^V. It is const because threads solve at once (CONCORD_REENTRANT).
  void solve(const concord::Request& request, const concord::Result& result, const concord::Env& env) const {
    const auto c = request.c();
    const std::optional<int64_t> k = request.k();  // how many labels must be +1, if that is fixed
    std::optional<int32_t> cut;                    // why to return the best so far: stopped, or the deadline
    const auto stop = [&] { return (cut = env.interruption()).has_value(); };

    kit::Rng rng(request.seed());  // all randomness comes from the seed of the request
    Vector scores = c;
    double best = -std::numeric_limits<double>::infinity();
    for (int64_t start = 0; start < options_.starts; ++start) {
      if (start > 0) {
        if (cut || stop()) break;
        for (double& x : scores) x = rng.normal();
      }
      const Vector u = kit::labels_of(scores, k);
      const kit::LocalSearch end = kit::local_search(A_, c, u, k ? kit::Move::swap : kit::Move::flip,
                                                     std::numeric_limits<int64_t>::max(), stop);
      if (end.value > best) {
        best = end.value;
        result.u() = end.u;
      }
    }
    result.finish(cut.value_or(CONCORD_FEASIBLE), best, std::numeric_limits<double>::quiet_NaN());
  }

 private:
  Options options_;
  concord::Matrix A_;
};

}  // namespace

CONCORD_EXPORT_DECODER(SkeletonName, "skeleton-name", "coordinate ascent from several starting points")
