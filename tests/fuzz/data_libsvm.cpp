// SPDX-License-Identifier: MIT
#include "data_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace concord;
  using namespace concord::fuzz;
  if (size > 1000) return 0;  // a label of two bytes may ask for 65536 x N: only few lines are quick
  const std::string text(reinterpret_cast<const char*>(data), size);
  Dataset dataset;
  const auto read = [&](const std::string& from) {
    std::istringstream in(from);
    TextLines lines(in, "fuzz");
    return libsvm_reader(lines, nullptr)->read(kAll);
  };
  if (!accepted([&] { dataset = read(text); })) return 0;
  check(dataset, dataset.features());
  require_same(dataset, streamed(text, DataFormat::libsvm, columns_of(dataset)));
  // Without features an instance without labels cannot be written: there is no such dataset (read_dataset).
  if (dataset.features() > 0) require_same(dataset, read(libsvm_text(dataset)));
  return 0;
}
