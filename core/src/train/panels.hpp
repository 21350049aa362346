// SPDX-License-Identifier: MIT
#pragma once
// W and A are worked on in panels, ranges of labels: columns of W, and the columns of A on and below the diagonal. What a panel
// holds depends on no other panel, so that threads need no order among them.
#include <algorithm>
#include <cstdint>

#include "base/run.hpp"

namespace concord {

/// The labels from `first` on. The panels are part of the bits: they depend on the number of labels V alone.
struct LabelPanel {
  int64_t first = 0, count = 0;
  int64_t end() const { return first + count; }

  /// Below 64 labels there is one panel: handing it over would take longer than the work.
  static int64_t width(int64_t V) { return V < 64 ? std::max<int64_t>(V, 1) : 32; }
  static int64_t how_many(int64_t V) { return (V + width(V) - 1) / width(V); }
  static LabelPanel number(int64_t p, int64_t V) {
    return {p * width(V), std::min(width(V), V - p * width(V))};
  }
};

/// Calls work(panel, its number) for all panels of V labels, on the threads of the pool.
template <class Work>
void for_panels(int64_t V, ThreadPool& pool, Work&& work) {
  pool.run(LabelPanel::how_many(V), [&](int64_t p) { work(LabelPanel::number(p, V), p); });
}

}  // namespace concord
