// SPDX-License-Identifier: MIT
#include "min-cut.hpp"

CONCORD_EXPORT_DECODER(concord::min_cut::MinCut, "min-cut",
                       "attractive priors (A <= 0), exact, by one minimum cut")
