// SPDX-License-Identifier: MIT
#include "data_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace concord;
  fuzz::check_lines({reinterpret_cast<const char*>(data), size}, DataFormat::xc, xc_reader,
                    [](const Dataset& dataset) { return std::optional(xc_text(dataset)); });
  return 0;
}
