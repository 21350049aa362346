// SPDX-License-Identifier: MIT
// The Hamming loss with weights: loss = sum_v w_v [y_v != y_iv], constant (1/2) sum w and lin = -(1/2) w o
// y_i.
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <concord/plugin.hpp>

namespace {

using concord::Labels;
using concord::Vector;

class WeightedHamming {
 public:
  struct Options {
    double positive_weight;
    std::vector<double> label_weights;
  };
  static auto options() {
    using concord::opt;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return concord::OptionList<Options>{
        opt("positive_weight", &Options::positive_weight, 1)
            .range(1e-9, 1e9)
            .help("weight of missing a label that is present, against 1 for adding one that is absent"),
        opt("label_weights", &Options::label_weights, {})
            .range(0, infinity)
            .help("a weight for each label, divided by V; empty: all 1, which gives the Hamming loss")};
  }

  explicit WeightedHamming(Options options) : options_(std::move(options)) {}

  void prepare(int64_t V, int64_t, const concord::Counts&) {
    const auto given = static_cast<int64_t>(options_.label_weights.size());
    if (given != 0 && given != V)
      throw std::invalid_argument("label_weights has " + std::to_string(given) + " weights, but there are " +
                                  std::to_string(V) + " labels");
    absent_ = given == 0 ? Vector::Ones(V) : Vector(Vector::Map(options_.label_weights.data(), V));
    absent_ /= static_cast<double>(V);
  }

  double evaluate(const Labels& y, const Labels& truth) const {
    return (y != truth).select(weights(truth).array(), 0).sum();
  }

  concord::FamilyShape shape() const { return {.subproblems = 1, .directions = 1, .rows = 0}; }

  void describe(const Labels& truth, const concord::Family& out) const {
    const Vector w = weights(truth);
    out.D().col(0) = w.array() * truth.cast<double>();
    out.constants()[0] = 0.5 * w.sum();
    out.t()(0, 0) = -0.5;
  }

 private:
  /// w_v = label_weights_v / V, times positive_weight where the truth is +1.
  Vector weights(const Labels& truth) const {
    return (truth > 0).select(options_.positive_weight * absent_, absent_);
  }

  Options options_;
  Vector absent_;
};

}  // namespace

CONCORD_EXPORT_LOSS(WeightedHamming, "weighted-hamming",
                    "the Hamming loss with a weight for each label and for positives")
