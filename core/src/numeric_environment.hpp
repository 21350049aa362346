// SPDX-License-Identifier: MIT
#pragma once
// One BLAS thread and the right OpenBLAS kernels, unless the user chose otherwise.

namespace concord {

/// Call first in main. OpenBLAS reads its settings when it is loaded, which may be before main, so the
/// process sets what is unset and executes itself once more. Returns if nothing was unset (or execution
/// failed, in which case the settings still hold for libraries loaded later).
void fix_numeric_environment(char** argv);

/// The OpenBLAS core type for this processor ("ZEN", "HASWELL", "SKYLAKEX"), or nullptr for OpenBLAS's
/// choice.
const char* openblas_core_type();

}  // namespace concord
