// SPDX-License-Identifier: MIT
// The share of wrong labels: loss = (V - y'y_i)/(2V), one subproblem with constant 1/2 and lin = -y_i/(2V).
#include <concord/plugin.hpp>

namespace {

class Hamming {
 public:
  void prepare(int64_t, int64_t, const concord::Counts&) {}

  double evaluate(const concord::Labels& y, const concord::Labels& truth) const {
    return static_cast<double>((y != truth).count()) / static_cast<double>(truth.size());
  }

  concord::FamilyShape shape() const { return {.subproblems = 1, .directions = 1, .rows = 0}; }

  void describe(const concord::Labels& truth, const concord::Family& out) const {
    out.D().col(0) = truth.cast<double>();
    out.constants()[0] = 0.5;
    out.t()(0, 0) = -0.5 / static_cast<double>(truth.size());
  }
};

}  // namespace

CONCORD_EXPORT_LOSS(Hamming, "hamming", "the share of labels that are wrong")
