// SPDX-License-Identifier: MIT
#include "spectral.hpp"

CONCORD_EXPORT_DECODER(
    concord::spectral::Spectral, "spectral",
    "sphere relaxation: one eigendecomposition per prior, then a secular equation per problem")
