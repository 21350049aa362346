// SPDX-License-Identifier: MIT
#include "layout.inc"
