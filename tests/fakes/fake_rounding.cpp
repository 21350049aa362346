// SPDX-License-Identifier: MIT
// A rounding (all labels -1, or the first k +1) that is wrong in one way, chosen by -DFAULT_NAME.
#include <concord/plugin.hpp>

class FakeRounding {
 public:
  static concord::Capabilities capabilities() { return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY}; }

  void round(const concord::Problem& problem, const concord::Relaxed&, [[maybe_unused]] const int8_t* start,
             concord::LabelsOut labels, const concord::Env&) const {
    labels.setConstant(-1);
    labels.head(problem.request.k().value_or(0)).setConstant(1);
#if defined(FAULT_ZERO_LABEL)
    labels[0] = 0;
#elif defined(FAULT_WRONG_K)
    labels.setConstant(1);
#elif defined(FAULT_WORSE_THAN_START)
    if (start != nullptr) labels = -concord::Labels(start, labels.size());
#endif
  }
};

CONCORD_EXPORT_ROUNDING(FakeRounding, FAKE_NAME, "wrong in one way")
