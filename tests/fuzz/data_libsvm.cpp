// SPDX-License-Identifier: MIT
#include "data_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace concord;
  // Without features an instance without labels cannot be written: there is no such dataset (read_dataset).
  fuzz::check_lines({reinterpret_cast<const char*>(data), size}, DataFormat::libsvm, libsvm_reader,
                    [](const Dataset& dataset) -> std::optional<std::string> {
                      if (dataset.features() == 0) return std::nullopt;
                      return libsvm_text(dataset);
                    });
  return 0;
}
