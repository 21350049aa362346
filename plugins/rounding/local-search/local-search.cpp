// SPDX-License-Identifier: MIT
// Flips the label that gains most until none gains; under a cardinality swaps a +1 and a -1 instead.
#include <concord/kit/local_search.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;
using concord::Vector;

class LocalSearch {
 public:
  struct Options {
    int64_t max_moves;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{opt("max_moves", &Options::max_moves, 1'000'000)
                                            .range(0, 1e12)
                                            .help("the most flips or swaps to make")};
  }
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY, .flags = CONCORD_SPARSE_PRIOR};
  }

  explicit LocalSearch(const Options& options) : options_(options) {}

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env& env) const {
    const auto stop = [&] { return env.interruption().has_value(); };
    labels = kit::searched_labels(problem, relaxed, start,
                                  [&](const auto& A, const auto& c, const Vector& u, kit::Move move) {
                                    return kit::local_search(A, c, u, move, options_.max_moves, stop).u;
                                  });
  }

 private:
  Options options_;
};

}  // namespace

CONCORD_EXPORT_ROUNDING(LocalSearch, "local-search",
                        "steepest ascent by flips, or by swaps under a cardinality")
