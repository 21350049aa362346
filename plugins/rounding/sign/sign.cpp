// SPDX-License-Identifier: MIT
// The signs of u; sign(0) = -1.
#include <concord/kit/objective.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;

class Sign {
 public:
  static concord::Capabilities capabilities() { return {.flags = CONCORD_SPARSE_PRIOR}; }

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env&) const {
    const concord::Vector u = kit::with_matrix(problem.prior, [&](const auto& A) {
      return kit::better_of(A, problem.request.c(), kit::sign(relaxed.u()), start);
    });
    labels = u.array().cast<int8_t>();
  }
};

}  // namespace

CONCORD_EXPORT_ROUNDING(Sign, "sign", "the signs of u")
