// SPDX-License-Identifier: MIT
#include "spectral-qep.hpp"

CONCORD_EXPORT_DECODER(concord::spectral_qep::SpectralQep, "spectral-qep",
                       "the sphere relaxation by a nonsymmetric eigenproblem of order 2V, a slow reference")
