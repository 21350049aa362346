// SPDX-License-Identifier: MIT
#pragma once
// Which equality rows a loss asks of a decoder, known before anything is trained.
#include "data/dataset.hpp"
#include "solve/pipeline.hpp"

namespace concord {

/// The widest class of rows (CONCORD_CONSTRAINTS_...) in the families of these truths.
int32_t widest_rows(const BoundPlugin& loss, const LabelMatrix& Y, const RunControl& control);

/// Fault::input with decoder, loss and the property, unless the decoder takes rows of that class.
void require_rows(const Plugin& decoder, const Plugin& loss, int32_t needed);

}  // namespace concord
