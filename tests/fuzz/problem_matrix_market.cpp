// SPDX-License-Identifier: MIT
#include "problem_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return concord::fuzz::parse(data, size, concord::ProblemFormat::matrix_market);
}
