// SPDX-License-Identifier: MIT
// A loss (zero for everything) that is wrong in one way, chosen by -DFAULT_NAME.
#include <concord/plugin.hpp>

class FakeLoss {
 public:
  void prepare(int64_t, int64_t, const concord::Counts&) {}

  double evaluate(const concord::Labels&, const concord::Labels&) const {
#if defined(FAULT_NAN_LOSS)
    return NAN;
#elif defined(FAULT_NEGATIVE_LOSS)
    return -1;
#elif defined(FAULT_NOT_ZERO_AT_TRUTH)
    return 1;
#elif defined(FAULT_COUNTS_CALLS)
    static int calls = 0;
    return ++calls % 7 == 0 ? 1e-13 : 0;
#else
    return 0;
#endif
  }

  concord::FamilyShape shape() const {
#if defined(FAULT_NO_SUBPROBLEMS)
    return {0, 0, 0};
#elif defined(FAULT_ODD_BETA)
    return {1, 0, 1};
#else
    return {1, 0, 0};
#endif
  }

  void describe(const concord::Labels& truth, [[maybe_unused]] const concord::Family& family) const {
#if defined(FAULT_THROWS_IN_DESCRIBE)
    throw std::runtime_error("no family for " + std::to_string(truth.size()) + " labels");
#elif !defined(FAULT_UNFILLED_FAMILY)
    family.constants().setZero();
#endif
#if defined(FAULT_NOT_ZERO_AT_TRUTH)
    family.constants().setOnes();
#elif defined(FAULT_WRONG_FAMILY)
    if ((truth > 0).all()) family.constants().setConstant(1e-3);
#endif
#if defined(FAULT_ODD_BETA)
    family.rows().setOnes();
    family.beta().setConstant(static_cast<double>(truth.size()) + 1);
#endif
    (void)truth;
  }
};

CONCORD_EXPORT_LOSS(FakeLoss, FAKE_NAME, "wrong in one way")
