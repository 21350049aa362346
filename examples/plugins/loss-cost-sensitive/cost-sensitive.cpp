// SPDX-License-Identifier: MIT
// What a missed label and a false alarm cost, label by label:
//   loss = 1/V sum_v ( missed_v [t_v = +1, y_v = -1] + added_v [t_v = -1, y_v = +1] ).
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/plugin.hpp>

namespace {

using concord::Labels;
using concord::Vector;

class CostSensitive {
 public:
  struct Options {
    std::vector<double> missed;
    std::vector<double> added;
    bool balanced;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("missed", &Options::missed, {1})
            .range(0, 1e9)
            .help("cost of missing a label that is present: one number, or one for each label"),
        opt("added", &Options::added, {1})
            .range(0, 1e9)
            .help("cost of adding a label that is absent: one number, or one for each label"),
        opt("balanced", &Options::balanced, false)
            .help("divide each cost by how often it can arise: rare labels count as much as common ones")};
  }

  explicit CostSensitive(Options options) : options_(std::move(options)) {}

  /// N instances, of which positives[v] carry label v.
  void prepare(int64_t V, int64_t N, const concord::Counts& positives) {
    missed_ = for_each_label("missed", options_.missed, V);
    added_ = for_each_label("added", options_.added, V);
    if (options_.balanced) {
      const auto half = static_cast<double>(N) / 2;
      const concord::Vector present = positives.cast<double>().max(1);  // a label that never occurs
      const concord::Vector absent = (static_cast<double>(N) - positives.cast<double>()).max(1);
      missed_.array() *= half / present.array();
      added_.array() *= half / absent.array();
    }
    missed_ /= static_cast<double>(V);
    added_ /= static_cast<double>(V);
  }

  double evaluate(const Labels& y, const Labels& truth) const {
    return (y != truth).select(costs(truth).array(), 0).sum();
  }

  concord::FamilyShape shape() const { return {.subproblems = 1, .directions = 1, .rows = 0}; }

  /// [y_v != t_v] = (1 - t_v y_v)/2, so the loss is 1/2 sum w - 1/2 (w o t)'y with the costs w of this truth.
  void describe(const Labels& truth, const concord::Family& out) const {
    const Vector w = costs(truth);
    out.D().col(0) = w.array() * truth.cast<double>();
    out.t()(0, 0) = -0.5;
    out.constants()[0] = 0.5 * w.sum();
  }

 private:
  static Vector for_each_label(const char* name, const std::vector<double>& costs, int64_t V) {
    if (costs.size() == 1) return Vector::Constant(V, costs.front());
    if (static_cast<int64_t>(costs.size()) != V)
      throw std::invalid_argument(std::string(name) + " has " + std::to_string(costs.size()) +
                                  " costs, but there are " + std::to_string(V) +
                                  " labels (or give one cost)");
    return Vector::Map(costs.data(), V);
  }

  Vector costs(const Labels& truth) const { return (truth > 0).select(missed_, added_); }

  Options options_;
  Vector missed_, added_;
};

}  // namespace

CONCORD_EXPORT_LOSS(CostSensitive, "cost-sensitive", "a cost for each missed label and each false alarm")
