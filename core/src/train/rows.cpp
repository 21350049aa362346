// SPDX-License-Identifier: MIT
#include "train/rows.hpp"

#include "base/error.hpp"
#include "solve/constraints.hpp"
#include "solve/loss.hpp"

namespace concord {

int32_t widest_rows(const BoundPlugin& chosen, const LabelMatrix& Y, const RunControl& control) {
  Loss loss(*chosen.plugin, chosen.options, control);
  loss.prepare(Y.rows(), Y.cols(), positives_per_label(Y));
  int32_t widest = CONCORD_CONSTRAINTS_NONE;
  if (loss.row_count() == 0) return widest;
  for (int64_t i = 0; i < Y.cols() && widest != CONCORD_CONSTRAINTS_ROWS; ++i)
    if (const int32_t rows = class_of_rows(loss.describe(Y.col(i))); !covers(widest, rows)) widest = rows;
  return widest;
}

void require_rows(const Plugin& decoder, const Plugin& loss, int32_t needed) {
  const int32_t can = decoder.capabilities().constraints;
  if (covers(can, needed)) return;
  fail(Fault::input, "{} cannot be trained with {}: the loss needs {}, and the decoder {} (concord describe)",
       decoder.id(), loss.id(), rows_of_class(needed), takes_of_class(can));
}

}  // namespace concord
