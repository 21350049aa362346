// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include <concord/kit/rng.hpp>

#include "base/error.hpp"
#include "train/fit.hpp"
#include "train/validation.hpp"

namespace concord {

std::vector<int> stratified_parts(const LabelMatrix& Y, const std::vector<double>& proportions,
                                  uint64_t seed) {
  const int64_t N = Y.cols(), V = Y.rows();
  const auto parts = static_cast<int64_t>(proportions.size());
  const Eigen::Map<const Eigen::ArrayXd> share(proportions.data(), parts);
  std::vector<int64_t> open = positives_per_label(Y);  // unassigned carriers of each label
  std::vector<std::vector<int64_t>> carriers(static_cast<size_t>(V));
  for (const int64_t i : shuffled(N, seed))
    for (int64_t v = 0; v < V; ++v)
      if (Y(v, i) > 0) carriers[static_cast<size_t>(v)].push_back(i);
  Eigen::ArrayXXd lacking(parts, V);  // of each label's carriers
  for (int64_t v = 0; v < V; ++v) lacking.col(v) = share * static_cast<double>(open[static_cast<size_t>(v)]);
  Eigen::ArrayXd room = share * static_cast<double>(N);
  std::vector<int> part(static_cast<size_t>(N), -1);

  const auto assign = [&](int64_t i, int64_t p) {
    part[static_cast<size_t>(i)] = static_cast<int>(p);
    room(p) -= 1;
    for (int64_t v = 0; v < V; ++v)
      if (Y(v, i) > 0) {
        lacking(p, v) -= 1;
        --open[static_cast<size_t>(v)];
      }
  };
  // Ties: the part with more room, then the first.
  const auto most_lacking = [&](int64_t v) {
    int64_t best = 0;
    for (int64_t p = 1; p < parts; ++p)
      if (lacking(p, v) > lacking(best, v) || (lacking(p, v) == lacking(best, v) && room(p) > room(best)))
        best = p;
    return best;
  };
  while (true) {
    int64_t rarest = -1;
    for (int64_t v = 0; v < V; ++v) {
      const int64_t count = open[static_cast<size_t>(v)];
      if (count > 0 && (rarest < 0 || count < open[static_cast<size_t>(rarest)])) rarest = v;
    }
    if (rarest < 0) break;
    for (const int64_t i : carriers[static_cast<size_t>(rarest)])
      if (part[static_cast<size_t>(i)] < 0) assign(i, most_lacking(rarest));
  }
  for (const int64_t i : shuffled(N, seed + 1))  // those without labels
    if (part[static_cast<size_t>(i)] < 0) {
      int64_t roomiest = 0;
      room.maxCoeff(&roomiest);
      assign(i, roomiest);
    }
  return part;
}

std::vector<Split> make_splits(const LabelMatrix& Y, const SelectSettings& select, uint64_t seed) {
  const bool folded = select.folds > 0;
  if (!folded && select.holdout == 0) return {};
  const int64_t parts = folded ? select.folds : 2;
  if (Y.cols() < parts)
    fail(Fault::input,
         "{} instance{} cannot be divided into {} parts for validation; select.holdout = 0 does without",
         Y.cols(), Y.cols() == 1 ? "" : "s", parts);
  std::vector<double> proportions(static_cast<size_t>(parts), 1.0 / static_cast<double>(parts));
  if (!folded) proportions = {select.holdout, 1 - select.holdout};
  std::vector<Split> splits;
  for (int64_t repeat = 0; repeat < select.repeats; ++repeat) {
    const auto part = stratified_parts(Y, proportions, kit::derive(seed, static_cast<uint64_t>(repeat)));
    for (int held = 0; held < (folded ? parts : 1); ++held) {
      Split split;
      for (int64_t i = 0; i < Y.cols(); ++i)
        (part[static_cast<size_t>(i)] == held ? split.validation : split.fit).push_back(i);
      // With a handful of instances a part may be empty: a fold is then left out, a hold-out gets one.
      if (folded && split.validation.empty()) continue;
      if (split.validation.empty() || split.fit.empty()) {
        auto& from = split.fit.empty() ? split.validation : split.fit;
        (split.fit.empty() ? split.fit : split.validation).push_back(from.back());
        from.pop_back();
      }
      splits.push_back(std::move(split));
    }
  }
  return splits;
}

}  // namespace concord
