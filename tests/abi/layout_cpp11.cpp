// SPDX-License-Identifier: MIT
#include "layout.inc"
#include "api_layout.inc"
