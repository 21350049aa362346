// SPDX-License-Identifier: MIT
#include "train/automatic.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/run.hpp"
#include "data/columns.hpp"
#include "model/model.hpp"

namespace concord {
namespace {

constexpr double kShareOfBudget = 0.6;  // what may be planned: costs are not known better than that

// Seconds of one core for a unit of work, measured with the published data; docs/train.md has how well they predict.
constexpr double kCubic = 1.0 / 18e9;    // factorisation and inverse of a kernel matrix, of N^3
constexpr double kProduct = 2.0 / 12e9;  // a product of matrices, of its multiplications
constexpr double kSparse = 2.5e-9;       // a distance of two sparse rows, of a stored feature
constexpr double kKernel = 12e-9;        // a value of the kernel
constexpr double kCalibrate = 3e-6;      // a label of an instance, calibrated and measured
constexpr double kLinear = 40e-9;  // a feature of an instance in a base of one-versus-rest, for each label
constexpr double kMargin = 90e-9;  // a feature of an instance by method ovr, whose lambdas are smaller

/// Methods with grids and validation, from the best to the cheapest.
struct Candidate {
  bool kernel = true;
  std::vector<double> widths, lambdas;
  int64_t folds = 0, repeats = 1;  ///< folds 0: a quarter is held out
  double ovr_base = 0;             ///< lambda of a one-versus-rest base beside the kernel; 0: none
};

class Costs {
 public:
  explicit Costs(const DataFacts& facts) : facts_(facts) {}

  double seconds(const Candidate& candidate) const {
    const double folds = candidate.folds > 0 ? static_cast<double>(candidate.folds * candidate.repeats) : 1;
    const double part = candidate.folds > 0 ? 1 - 1.0 / static_cast<double>(candidate.folds) : 0.75;
    const auto cells =
        static_cast<double>(std::max<size_t>(1, candidate.widths.size()) * candidate.lambdas.size());
    return cells * folds * (fit(candidate, part) + rule(candidate, 1 - part)) + fit(candidate, 1);
  }

 private:
  double fit(const Candidate& candidate, double part) const {
    const double n = part * static_cast<double>(facts_.N), V = static_cast<double>(facts_.V);
    const double linear =
        (candidate.kernel ? kLinear : kMargin) * part * (facts_.stored + static_cast<double>(facts_.N)) * V;
    if (!candidate.kernel) return linear;
    const double distance = facts_.is_sparse ? kSparse * facts_.stored / static_cast<double>(facts_.N)
                                             : kProduct * static_cast<double>(facts_.d);
    return kCubic * n * n * n + n * n * (distance + kKernel + kProduct * V) + kCalibrate * n * V +
           (candidate.ovr_base > 0 ? 6 * linear : 0);  // fitted in five parts and once
  }

  /// Predicting and measuring what is held out.
  double rule(const Candidate& candidate, double part) const {
    const double n = part * static_cast<double>(facts_.N), V = static_cast<double>(facts_.V);
    const double kernels =
        candidate.kernel ? n * (1 - part) * static_cast<double>(facts_.N) * (kKernel + kProduct * V) : 0;
    return kernels + 2 * kCalibrate * n * V;
  }

  const DataFacts& facts_;
};

/// The kernel matrix must fit, and leave room for others.
bool fits_kernel(const DataFacts& facts) {
  return facts.N <= 20'000 &&
         8.0 * static_cast<double>(facts.N) * static_cast<double>(facts.N) < 0.25 * available_memory();
}

std::vector<Candidate> candidates_for(const DataFacts& facts) {
  const std::vector<double> widths =
      facts.is_sparse ? std::vector{0.6, 0.8, 1.0} : std::vector{0.3, 0.45, 0.7, 1.0};
  const std::vector<double> few = facts.is_sparse ? std::vector{0.7, 1.0} : std::vector{0.35, 0.7};
  const double width = facts.is_sparse ? 0.8 : 0.45, ovr = facts.is_sparse ? 0.003 : 0.01;
  std::vector<Candidate> all;
  if (fits_kernel(facts)) {
    if (facts.N <= 600) all.push_back({true, widths, {0.05, 0.3, 1}, 10, 2, ovr});
    all.push_back({true, widths, {0.1, 1}, 10, 1, ovr});
    all.push_back({true, widths, {0.1, 1}, 5, 1, ovr});
    all.push_back({true, widths, {1}, 5, 1, ovr});
    all.push_back({true, widths, {1}, 4, 1, 0});
    all.push_back({true, few, {1}, 3, 1, 0});
    all.push_back({true, few, {1}, 0, 1, 0});
    all.push_back({true, {width}, {1}, 0, 1, 0});
  }
  all.push_back({false, {}, {1e-4, 3e-4, 1e-3, 3e-3, 1e-2}, 4, 1, 0});
  all.push_back({false, {}, {1e-4, 1e-3, 1e-2}, 3, 1, 0});
  all.push_back({false, {}, {3e-4, 3e-3}, 0, 1, 0});
  all.push_back({false, {}, {1e-3}, 0, 1, 0});
  return all;
}

std::string list_of(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? fmt::format("{}", numbers[0]) : fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string text_of(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string data_section(const DataSource& source) {
  const auto absolute = [](const std::filesystem::path& file) {
    return text_of(std::filesystem::absolute(file).lexically_normal().string());
  };
  std::string text = fmt::format("[data]\ntrain = {}\n", absolute(source.file));
  if (!source.labels.empty())
    text += fmt::format("labels = {}\n", is_label_file(source.labels) ? absolute(source.labels)
                                                                      : text_of(source.labels.string()));
  if (!source.ignore.empty()) text += fmt::format("ignore = {}\n", text_of(source.ignore));
  if (source.format != DataFormat::detect) text += fmt::format("format = \"{}\"\n", name_of(source.format));
  return text;
}

}  // namespace

AutomaticConfig choose_config(const Dataset& train, const DataSource& source, double budget) {
  const DataFacts facts = facts_of(train);
  const Costs costs(facts);
  std::optional<Candidate> chosen;
  AutomaticConfig config;
  for (const Candidate& candidate : candidates_for(facts)) {
    config.seconds = costs.seconds(candidate);
    if (config.seconds > kShareOfBudget * budget) continue;
    chosen = candidate;
    break;
  }
  if (!chosen)
    fail(Fault::input, About{fmt::format("--budget {}", budget)},
         "{} rows with {} labels need about {:.0f} seconds even with one pass of one-versus-rest", facts.N,
         facts.V, std::ceil(config.seconds / kShareOfBudget));

  const ChosenScale scale = scale_for(facts);
  std::string& toml = config.toml;
  toml =
      fmt::format("# Chosen by concord train from the data and a budget of {:g} seconds.\n{}\n[preprocess]\n",
                  budget, data_section(source));
  if (facts.missing > 0) toml += "missing = \"indicator\"\n";
  toml += fmt::format("scale = \"{}\"\n", name_of(scale.scale));
  if (chosen->kernel) {
    toml += fmt::format("\n[scores]\nrbf_width = {}\nrbf_lambda = {}\n", list_of(chosen->widths),
                        list_of(chosen->lambdas));
    if (chosen->ovr_base > 0) toml += fmt::format("ovr_lambda = {}\n", chosen->ovr_base);
    toml += "\n[train]\nmethod = \"likelihood\"\nprior = \"none\"\n";
  } else {
    toml += fmt::format("\n[train]\nmethod = \"ovr\"\nlambda_w = {}\n", list_of(chosen->lambdas));
  }
  const std::string validation =
      chosen->folds > 0 ? fmt::format("folds = {}\n", chosen->folds) : "holdout = 0.25\n";
  toml += "\n[select]\n" + validation;
  if (chosen->repeats > 1) toml += fmt::format("repeats = {}\n", chosen->repeats);
  const bool may_be_empty = facts.empty > 0 && facts.empty_share() <= kManyEmpty;
  toml += fmt::format("\n[predict]\nthreshold = [\"expected-f1\", \"tuned\"]\nmin_labels = {}\n",
                      may_be_empty       ? "[0, 1]"
                      : facts.empty == 0 ? "1"
                                         : "0");

  const size_t cells =
      std::max<size_t>(1, chosen->widths.size()) * chosen->lambdas.size() * 2 * (may_be_empty ? 2 : 1);
  config.reasons = {
      fmt::format("data        {} rows, {} features ({}{}), {} labels, {:.2f} of them on a row", facts.N,
                  facts.d, facts.is_sparse ? "sparse" : "dense",
                  facts.missing > 0
                      ? fmt::format(", {} with missing values: filled by the mean, and marked", facts.missing)
                      : "",
                  facts.V, facts.cardinality),
      fmt::format("scale       {}: {}", name_of(scale.scale), scale.reason),
      chosen->kernel
          ? fmt::format(
                "method      kernel ridge regression{}, calibrated: the best for {} rows, about {:.0f} s of the {:g} s",
                chosen->ovr_base > 0 ? " and logistic one-versus-rest, weighed"
                                     : " with leave-one-out scores",
                facts.N, config.seconds, budget)
          : fmt::format(
                "method      one-versus-rest: a kernel of {} rows does not fit into {:g} s; this takes about {:.0f} s",
                facts.N, budget, config.seconds),
      fmt::format("choice      {} cells by {}", cells,
                  chosen->folds > 0 ? fmt::format("{}-fold cross-validation{}", chosen->folds,
                                                  chosen->repeats > 1 ? ", repeated" : "")
                                    : "a quarter of the rows, held out"),
      fmt::format("rule        expected F1 or one threshold, whichever validates better; {}",
                  facts.empty == 0 ? "at least one label, as on every training row"
                  : may_be_empty
                      ? fmt::format("validation says whether a row may be empty ({:.1f} % are)",
                                    100 * facts.empty_share())
                      : fmt::format("rows may be empty, as {:.1f} % are", 100 * facts.empty_share())),
      "prior       none: it adds to calibrated scores only where some labels are known (docs/known.md)"};
  return config;
}

}  // namespace concord
