// SPDX-License-Identifier: MIT
#pragma once
// How far a fit is from its optimum, when it is looked at, and how many epochs it would need.
#include <cstdint>
#include <string>
#include <vector>

#include "train/fit.hpp"

namespace concord {

/// A fit with a larger relative gap has not converged.
inline constexpr double kOpenGap = 0.1;

/// Epochs after which the objective is evaluated: every train.report of them (a tenth of `last` if absent), and the last.
bool is_report_point(const TrainSettings& settings, int64_t epoch, int64_t last);

/// Whether train.tol is reached: by a proven gap, never by an estimate.
bool has_reached_tol(const TrainSettings& settings, const FitReport& report);

/// The relative gap after an epoch.
struct GapPoint {
  int64_t epoch;
  double gap;
};

/// The epochs after which the gap would be kOpenGap, if it goes on to fall as a power of the epoch: by the last point and
/// the last one at half its epochs or before. A power below 1 is that of a beginning, and 1 takes its place: in the long
/// run block-coordinate Frank-Wolfe is no slower. Rounded up to two digits. Needs a point.
int64_t epochs_for(const std::vector<GapPoint>& gaps);

/// "not converged: gap 82 %, try train.epochs = 250".
std::string open_gap_text(double gap, int64_t epochs);

}  // namespace concord
