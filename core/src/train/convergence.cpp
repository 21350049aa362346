// SPDX-License-Identifier: MIT
#include "train/convergence.hpp"

#include <fmt/format.h>

namespace concord {

bool is_report_point(const TrainSettings& settings, int64_t epoch, int64_t last) {
  const int64_t every = settings.report.value_or(std::max<int64_t>(1, last / 10));
  return epoch == last || epoch % every == 0;
}

bool has_reached_tol(const TrainSettings& settings, const FitReport& report) {
  return settings.tol && !report.estimate && report.relative_gap() <= *settings.tol;
}

int64_t epochs_for(const std::vector<GapPoint>& gaps) {
  const GapPoint& last = gaps.back();
  double power = 1;
  for (const GapPoint& point : gaps)
    if (2 * point.epoch <= last.epoch)
      power = std::max(1.0, std::log(point.gap / last.gap) /
                                std::log(static_cast<double>(last.epoch) / static_cast<double>(point.epoch)));
  const double needed = static_cast<double>(last.epoch) * std::pow(last.gap / kOpenGap, 1 / power);
  const double digits = std::pow(10, std::max(0.0, std::floor(std::log10(needed)) - 1));
  return static_cast<int64_t>(digits * std::ceil(needed / digits));
}

std::string open_gap_text(double gap, int64_t epochs) {
  return fmt::format("not converged: gap {:.2g} %, try train.epochs = {}", 100 * gap, epochs);
}

}  // namespace concord
