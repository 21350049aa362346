// SPDX-License-Identifier: MIT
#pragma once
// The results of a comparison as tables and figures look at them.
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace concord::report {

using Json = nlohmann::ordered_json;
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// NaN where there is none: a missing key, null, or no number.
double number_at(const Json& object, const std::string& key);
/// Empty where there is none.
std::string text_at(const Json& object, const std::string& key);
/// Null where there is none.
const Json& json_at(const Json& object, const std::string& key);
/// A string as it is, anything else as JSON.
std::string plain(const Json& value);
/// "train.lambda_w = 0.1, ..."
std::string settings_text(const Json& settings, const char* separator = ", ");
/// {"train": {"epochs": 5}} as {"train.epochs", "5"}, in its order.
std::vector<std::pair<std::string, std::string>> flattened(const Json& settings);

struct Range {
  double low = unknown, high = unknown;
  bool known() const { return std::isfinite(low) && std::isfinite(high); }
};
/// "[0.335, 0.367]", or nothing.
std::string range_text(const Range& range, bool sign = false);

enum class Status { done, failed, pending };
Status status_of(const std::string& word);

/// Against the baseline, on the same instances; as losses, so negative is better.
struct Versus {
  double difference, error;
  Range range;
  double instances;
  enum class Verdict { better, worse, neither };
  Verdict verdict() const;
};
/// "better", "worse", "no significant difference"
const char* verdict_words(Versus::Verdict verdict);

/// Did the prior help, measured on validation data?
struct PriorVerdict {
  bool measured;
  std::string metric, paired_on;
  double with, without, difference, error;
  enum class Help { yes, hurt, not_measurably } help;
};
/// "yes", "no, it hurt", "not measurably", "not measured"
const char* help_words(const PriorVerdict& verdict);

struct Cell {
  const Json* json;  ///< with the rest
  std::string id, dataset, method, reason;
  Status status;
  double value = unknown;  ///< of the comparison's metric
  Range interval;
  double train_seconds = unknown, test_seconds = unknown, peak_mib = unknown;
  std::optional<Versus> versus;
  std::optional<PriorVerdict> prior_verdict;
  const Json* prior = nullptr;

  bool done() const { return status == Status::done; }
};

struct MethodColumn {
  std::string name;
  std::string group;   ///< what it shares with its neighbours, or empty
  std::string within;  ///< its name inside the group
};

struct Comparison {
  /// Differences are those to the given one of the baselines.
  explicit Comparison(const Json& results, size_t baseline = 0);

  const Json& json;
  std::string title, metric, convention;
  std::string baseline;  ///< empty if there is none
  bool is_loss = true;
  std::vector<std::string> datasets;
  std::vector<MethodColumn> methods;
  std::vector<Cell> cells;
  std::vector<std::string> baselines;  ///< all of them
  std::string reference;               ///< its name, or empty

  const Cell* find(const std::string& dataset, const std::string& method) const;
  /// Better by the metric; false with unknown values.
  bool better(double a, double b) const { return is_loss ? a < b : a > b; }
  /// The first of the best cells of a dataset with a value, or none.
  const Cell* best(const std::string& dataset) const;
  /// Whether it reads the same as the best of its dataset: equal as printed is equal.
  bool marked(const Cell& cell) const;
  /// As the reference has it ("0.39", "N/A"), or empty.
  std::string reference_text(const std::string& method, const std::string& dataset) const;

 private:
  std::map<std::pair<std::string, std::string>, size_t> index_;
};

/// Calls what makes a text of a comparison; what is wrong with the results becomes Fault::input.
template <class Make>
std::string present(const Json& results, Make&& make) {
  try {
    return make(Comparison(results));
  } catch (const Json::exception& e) {
    fail(Fault::input, "the results are not what 'concord compare' writes: {}", e.what());
  }
}

}  // namespace concord::report
