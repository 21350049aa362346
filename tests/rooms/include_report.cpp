// SPDX-License-Identifier: MIT
// The last room. It compiles where that room is linked, and nowhere before.
#include "report/report.hpp"
