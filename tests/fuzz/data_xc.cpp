// SPDX-License-Identifier: MIT
#include "data_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace concord;
  using namespace concord::fuzz;
  if (size > 1000) return 0;  // a first line may ask for 65536 labels in each row: only few lines are quick
  const std::string text(reinterpret_cast<const char*>(data), size);
  Dataset dataset;
  const auto read = [&](const std::string& from) {
    std::istringstream in(from);
    TextLines lines(in, "fuzz");
    return xc_reader(lines, nullptr)->read(kAll);
  };
  if (!accepted([&] { dataset = read(text); })) return 0;
  check(dataset, dataset.features());
  require_same(dataset, streamed(text, DataFormat::xc, columns_of(dataset)));
  require_same(dataset, read(xc_text(dataset)));
  return 0;
}
