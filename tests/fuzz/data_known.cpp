// SPDX-License-Identifier: MIT
#include "data/known.hpp"
#include "data_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace concord;
  using namespace concord::fuzz;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> names = {"beach", "sea, calm", "a \"b\"", ""};
  const auto rows = static_cast<int64_t>(std::count(text.begin(), text.end(), '\n'));
  std::istringstream in(text);
  LabelMatrix known;
  const bool taken = accepted([&] {
    KnownReader reader(in, "fuzz", names);
    known = reader.read(std::max<int64_t>(rows - 1, 0));
    reader.require_end();
  });
  if (taken)
    require((known >= -1 && known <= 1).all(), "a label is known to be there, not to be there, or unknown");
  return 0;
}
