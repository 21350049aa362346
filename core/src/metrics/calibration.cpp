// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "metrics/metrics.hpp"

namespace concord {
namespace {

constexpr int64_t kBins = 15;

}  // namespace

double Calibration::error() const {
  double sum = 0;
  for (const CalibrationBin& bin : bins)
    sum += static_cast<double>(bin.count) * std::abs(bin.probability - bin.share);
  return sum / unknown.sum();
}

Calibration calibration_of(const Eigen::ArrayXXd& probabilities, const LabelMatrix& truth,
                           const LabelMatrix& known) {
  const int64_t V = truth.rows(), N = truth.cols();
  const auto fits = [&](const auto& matrix) { return matrix.rows() == V && matrix.cols() == N; };
  if (!fits(probabilities) || (known.size() > 0 && !fits(known)))
    fail(Fault::input, "the probabilities are of {} labels x {} instances, and the truth is {} x {}",
         probabilities.rows(), probabilities.cols(), V, N);
  Calibration found{Eigen::VectorXd::Zero(N), Eigen::VectorXd::Zero(N), std::vector<CalibrationBin>(kBins)};
  for (int64_t i = 0; i < N; ++i) {
    for (int64_t v = 0; v < V; ++v) {
      if (known.size() > 0 && known(v, i) != 0) continue;
      const double p = probabilities(v, i), y = truth(v, i) > 0 ? 1 : 0;
      if (!(p >= 0 && p <= 1))
        fail(Fault::input, "label {} of instance {} (counted from 0) has the probability {}", v, i, p);
      const auto at = std::min(static_cast<int64_t>(p * kBins), kBins - 1);  // 1 is in the last bin
      CalibrationBin& bin = found.bins[static_cast<size_t>(at)];
      ++bin.count;
      bin.probability += p;
      bin.share += y;
      found.brier(i) += (p - y) * (p - y);
      found.unknown(i) += 1;
    }
    if (found.unknown(i) > 0) found.brier(i) /= found.unknown(i);
  }
  if (found.unknown.sum() == 0) fail(Fault::input, "every label is known, so there is nothing to score");
  for (CalibrationBin& bin : found.bins) {
    if (bin.count == 0) continue;
    bin.probability /= static_cast<double>(bin.count);
    bin.share /= static_cast<double>(bin.count);
  }
  return found;
}

nlohmann::ordered_json reliability_json(const std::vector<CalibrationBin>& bins) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const CalibrationBin& bin : bins)
    json.push_back({{"count", bin.count}, {"probability", bin.probability}, {"share", bin.share}});
  return json;
}

}  // namespace concord
