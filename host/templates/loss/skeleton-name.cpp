// SPDX-License-Identifier: MIT
// A Hamming loss in which rare labels count more: loss = sum_v w_v [y_v != truth_v] with
//   w_v proportional to ((N + 1) / (positives_v + 1))^power,   sum_v w_v = 1.
// As [y_v != t_v] = (1 - y_v t_v)/2, it is linear in y: one subproblem with the constant 1/2 and the linear term
// -(1/2) w o truth, which a decoder adds to its own.
#include <cmath>

#include <concord/plugin.hpp>

namespace {

using concord::Labels;
using concord::Vector;

class SkeletonName {
 public:
  /// The options of a user: `concord describe` shows them, `--set train.loss.power=1` sets one.
  struct Options {
    double power;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("power", &Options::power, 0.5)
            .range(0, 2)
            .help("0: all labels count the same; 1: inversely to how often they occur")};
  }

  explicit SkeletonName(const Options& options) : options_(options) {}

  /// Called once for a training set: V labels, N instances, and how many of them carry each label.
  void prepare(int64_t V, int64_t N, const concord::Counts& positives) {
    weights_.resize(V);
    for (int64_t v = 0; v < V; ++v)
      weights_[v] =
          std::pow(static_cast<double>(N + 1) / static_cast<double>(positives[v] + 1), options_.power);
    weights_ /= weights_.sum();
  }

  /// Never negative, and 0 for the truth itself. It is const because threads call it at once.
  double evaluate(const Labels& y, const Labels& truth) const {
    return (y != truth).select(weights_.array(), 0).sum();
  }

  /// How large the family is that `describe` fills: one subproblem, one direction, no cardinality.
  concord::FamilyShape shape() const { return {.subproblems = 1, .directions = 1, .rows = 0}; }

  /// constant + u'D t = loss(u, truth) for every labelling u.
  void describe(const Labels& truth, const concord::Family& out) const {
    out.D().col(0) = weights_.array() * truth.cast<double>();
    out.t()(0, 0) = -0.5;
    out.constants()[0] = 0.5 * weights_.sum();
  }

 private:
  Options options_;
  Vector weights_;
};

}  // namespace

CONCORD_EXPORT_LOSS(SkeletonName, "skeleton-name", "the Hamming loss in which rare labels count more")
