// SPDX-License-Identifier: MIT
#pragma once

namespace concord {

/// Which signs the couplings of a prior may have: A_ij < 0 attracts, A_ij > 0 repels.
enum class PriorSign { any, attractive, repulsive, none };

}  // namespace concord
