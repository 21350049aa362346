// SPDX-License-Identifier: MIT
// A rounding (its start, or all labels -1, or the first k +1) that is wrong in one way, chosen by -DFAULT_NAME.
#include <concord/plugin.hpp>

class FakeRounding {
 public:
  static concord::Capabilities capabilities() { return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY}; }

  void round(const concord::Problem& problem, const concord::Relaxed&, const int8_t* start,
             concord::LabelsOut labels, const concord::Env&) const {
    labels.setConstant(-1);
    labels.head(problem.request.k().value_or(0)).setConstant(1);
    if (start != nullptr) labels = concord::Labels(start, labels.size());
#if defined(FAULT_ZERO_LABEL)
    labels[0] = 0;
#elif defined(FAULT_WRONG_K)
    labels.setConstant(1);
#elif defined(FAULT_WORSE_THAN_START)
    if (start != nullptr && !problem.request.k()) labels = -labels;
#elif defined(FAULT_REFUSES_START)
    if (start != nullptr) throw concord::Unsupported("labels to start from");
#elif defined(FAULT_UNSEEDED)
    static int calls = 0;
    if (!problem.request.k() && start == nullptr) labels.setConstant(++calls % 2 == 0 ? 1 : -1);
#elif defined(FAULT_UNDECLARED_SEED)
    if (!problem.request.k() && start == nullptr)
      labels.setConstant(problem.request.seed() % 2 == 0 ? 1 : -1);
#endif
  }
};

CONCORD_EXPORT_ROUNDING(FakeRounding, FAKE_NAME, "wrong in one way")
