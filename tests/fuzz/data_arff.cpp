// SPDX-License-Identifier: MIT
// ARFF: the labels are the {0,1} attributes whose names begin with L.
#include "data_fuzz.hpp"

namespace {

using namespace concord;
using namespace concord::fuzz;

Dataset read(const std::string& text) {
  std::istringstream in(text);
  TextLines lines(in, "fuzz");
  ArffHeader header = read_arff_header(lines);
  std::vector<LabelName> labels;
  for (const ArffAttribute& attribute : header.attributes)
    if (attribute.name[0] == 'L' && attribute.nominal()) labels.push_back({attribute.name, "fuzz:1:1"});
  ArffColumns columns = arff_columns(header, "fuzz", labels, Absent::refused);
  return ArffReader(lines, std::move(header), std::move(columns), {false, true}).read(kAll);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Dataset dataset;
  if (!accepted([&] { dataset = read(text); })) return 0;
  check(dataset, static_cast<int64_t>(dataset.feature_names.size()));
  // Written, it has its labels last and only numeric features, and is the same dataset.
  const std::string written = arff_text(dataset);
  require_same(dataset, streamed(written, DataFormat::arff, columns_of(dataset)));
  require_same(dataset, streamed(text, DataFormat::arff, columns_of(dataset)));
  return 0;
}
