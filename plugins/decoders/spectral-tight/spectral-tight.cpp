// SPDX-License-Identifier: MIT
#include "spectral-tight.hpp"

CONCORD_EXPORT_DECODER(concord::spectral_tight::SpectralTight, "spectral-tight",
                       "sphere relaxation tightened towards the semidefinite one by shifts of the diagonal")
