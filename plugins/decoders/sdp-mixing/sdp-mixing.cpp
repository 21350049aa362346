// SPDX-License-Identifier: MIT
#include "sdp-mixing.hpp"

CONCORD_EXPORT_DECODER(
    concord::sdp_mixing::SdpMixing, "sdp-mixing",
    "semidefinite relaxation by coordinate ascent on a low-rank factor, to a certified gap")
