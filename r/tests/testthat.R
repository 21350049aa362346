# SPDX-License-Identifier: MIT
library(testthat)
library(concord)
test_check("concord")
