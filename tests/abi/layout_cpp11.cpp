// SPDX-License-Identifier: MIT
#include "api_layout.inc"
#include "layout.inc"
