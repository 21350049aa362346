// SPDX-License-Identifier: MIT
#include "data_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace concord;
  using namespace concord::fuzz;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<LabelName> labels;
  if (!accepted([&] { labels = parse_label_xml(text, "fuzz"); })) return 0;
  require(!labels.empty(), "there is a label");
  std::vector<std::string> names;
  for (const LabelName& label : labels) {
    require(!label.name.empty() && label.place.starts_with("fuzz:"), "a label has a name and a place");
    names.push_back(label.name);
  }
  const std::vector<LabelName> again = parse_label_xml(label_xml_text(names), "fuzz");
  require(again.size() == names.size(), "as many labels when written and read again");
  for (size_t v = 0; v < names.size(); ++v) require(again[v].name == names[v], "the same names");
  return 0;
}
