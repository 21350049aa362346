// SPDX-License-Identifier: MIT
// The k largest entries of u, where k is the problem's cardinality; ties to the lower index.
#include <concord/kit/objective.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;

class TopK {
 public:
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY, .flags = CONCORD_SPARSE_PRIOR};
  }

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env&) const {
    const auto k = problem.request.k();
    if (!k) throw concord::Unsupported("top-k needs a cardinality");
    const concord::Vector u = kit::with_matrix(problem.prior, [&](const auto& A) {
      return kit::better_of(A, problem.request.c(), kit::top_k(relaxed.u(), *k), start);
    });
    labels = u.array().cast<int8_t>();
  }
};

}  // namespace

CONCORD_EXPORT_ROUNDING(TopK, "top-k", "the k largest entries of u, for a problem with a cardinality")
