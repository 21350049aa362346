// SPDX-License-Identifier: MIT
#include "predict/explain_text.hpp"

#include <fmt/format.h>

namespace concord {

std::vector<int64_t> labels_worth_telling(const Explanation& why) {
  std::vector<int64_t> chosen;
  for (int64_t v = 0; v < why.labels.size(); ++v)
    if (why.labels(v) > 0 || why.without_prior(v) > 0 ||
        (why.runner_up && why.runner_up->labels(v) != why.labels(v)))
      chosen.push_back(v);
  return chosen;
}

std::vector<Contribution> largest_parts(const std::vector<Contribution>& parts, size_t most) {
  if (parts.size() <= most) return parts;
  std::vector<Contribution> shown(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(most));
  double rest = 0;
  for (size_t i = most; i < parts.size(); ++i) rest += parts[i].amount;
  shown.push_back({fmt::format("{} others", parts.size() - most), rest});
  return shown;
}

PriorChange prior_change(const Explanation& why) {
  PriorChange change;
  for (int64_t v = 0; v < why.labels.size(); ++v) {
    if (why.labels(v) > 0 && why.without_prior(v) < 0) change.added.push_back(v);
    if (why.labels(v) < 0 && why.without_prior(v) > 0) change.taken_away.push_back(v);
  }
  return change;
}

std::string difference_text(const RunnerUp& runner_up) {
  const double difference = runner_up.difference;
  switch (runner_up.measure) {
    case RuleMeasure::threshold_distance:
      return fmt::format("{:.4g} from the threshold", difference);
    case RuleMeasure::expected_f1:
      return fmt::format("its expected F1 is {:.4g} less", difference);
    case RuleMeasure::objective:
      break;
  }
  return difference >= 0
             ? fmt::format("its objective is {:.4g} less", difference)
             : fmt::format("its objective is {:.4g} more; the decoder did not find it", -difference);
}

}  // namespace concord
