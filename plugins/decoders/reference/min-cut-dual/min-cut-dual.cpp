// SPDX-License-Identifier: MIT
#include "min-cut-dual.hpp"

CONCORD_EXPORT_DECODER(concord::min_cut_dual::MinCutDual, "min-cut-dual",
                       "attractive priors: a cardinality by bisection on its multiplier, a minimum cut each")
