// SPDX-License-Identifier: MIT
#include "train/facts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "data/columns.hpp"

namespace concord {
namespace {

constexpr double kFewStored = 0.2;  // a smaller share of features that are not 0 is sparse data
constexpr double kWideSpread = 10;  // deviations of columns that differ by more are to be scaled

}  // namespace

DataFacts facts_of(const Dataset& train, int64_t given) {
  DataFacts facts{train.instances(), train.features() - given, train.labels()};
  const auto N = static_cast<double>(facts.N);
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(facts.d), squares = sum;
  for (int64_t i = 0; i < facts.N; ++i)
    train.X.for_row(i, [&](int64_t j, double x) {
      if (x == 0 || std::isnan(x) || j >= facts.d) return;
      facts.stored += 1;
      sum(j) += x / N;
      squares(j) += x * x / N;
    });
  facts.is_sparse = facts.stored < kFewStored * N * static_cast<double>(facts.d);
  facts.missing = first_missing(train.X).columns;
  double least = 0, most = 0;
  for (int64_t j = 0; j < facts.d; ++j) {
    const double variance = squares(j) - sum(j) * sum(j);
    if (variance <= 1e-12 * squares(j)) continue;  // constant
    least = least == 0 ? variance : std::min(least, variance);
    most = std::max(most, variance);
  }
  if (least > 0) facts.scale_spread = std::sqrt(most / least);
  for (int64_t i = 0; i < facts.N; ++i) {
    const auto count = (train.Y.col(i) > 0).count();
    facts.cardinality += static_cast<double>(count) / N;
    if (count == 0) ++facts.empty;
  }
  return facts;
}

ChosenScale scale_for(const DataFacts& facts) {
  if (facts.is_sparse) return {Scale::l2, "rows of sparse features to norm 1"};
  if (facts.scale_spread > kWideSpread)
    return {Scale::standardise,
            fmt::format("deviations of the columns differ by a factor of {:.3g}", facts.scale_spread)};
  return {Scale::none, "the columns have similar deviations"};
}

std::vector<std::string> contradictions_of(const Settings& settings, const DataFacts& facts) {
  std::vector<std::string> found;
  if (settings.predict.min_labels.value_or(0) > 0 && facts.empty_share() > kManyEmpty)
    found.push_back(fmt::format(
        "predict.min_labels = {} puts a label on every row, and {:.1f} % of the training rows have none",
        *settings.predict.min_labels, 100 * facts.empty_share()));
  if (settings.preprocess.scale == Scale::none && !facts.is_sparse && facts.scale_spread > 100)
    found.push_back(
        fmt::format("the deviations of the features differ by a factor of {:.3g}, and nothing scales them: "
                    "preprocess.scale = \"standardise\" does",
                    facts.scale_spread));
  const double work = static_cast<double>(facts.N) * static_cast<double>(facts.V);
  if (settings.train.method == Method::bcfw && settings.train.prior != PriorSign::none && work > 1.2e6)
    found.push_back(fmt::format(
        "{} rows with {} labels are far more than block-coordinate Frank-Wolfe converges on in {} epochs; "
        "train.method = \"ovr\" is the one to compare with",
        facts.N, facts.V, settings.train.epochs));
  return found;
}

}  // namespace concord
