// SPDX-License-Identifier: MIT
#include "tv-prox.hpp"

CONCORD_EXPORT_DECODER(concord::tv_prox::TvProx, "tv-prox",
                       "attractive priors: all cardinalities at once by parametric minimum cuts")
