// SPDX-License-Identifier: MIT
// Parses arbitrary bytes as a model file, as they are and with the checksum made right, so that the parser
// behind it is reached. Whatever is accepted is a sound model, and is written and read back the same.
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/files.hpp"
#include "model/model.hpp"
#include "require.hpp"

using namespace concord;
using fuzz::require;

namespace {

void parse(std::string_view bytes) {
  try {
    const Model model = parse_model(bytes, "fuzz");
    const int64_t V = model.labels();
    require(V >= 1 && static_cast<size_t>(V) == model.label_names.size(), "labels have names");
    require(model.W.rows() == model.preprocess.outputs() && model.W.allFinite(), "W fits");
    require(model.A.rows() == V && model.A.cols() == V && model.A.allFinite(), "A fits");
    const std::string written = model_bytes(model);
    require(model_bytes(parse_model(written, "fuzz")) == written, "a model survives its file");
  } catch (const Error& error) {
    const std::string_view message = error.what();
    require(error.kind() == Fault::input, "an error in a file is an input error");
    require(message.starts_with("fuzz: "), "an error names the file");
    require(message.find("json.exception") == std::string_view::npos, "an error is a sentence");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  parse(bytes);
  if (size >= 32) {
    const auto checksum = sha256(std::string_view(bytes).substr(0, size - 32));
    bytes.replace(size - 32, 32, reinterpret_cast<const char*>(checksum.data()), 32);
    parse(bytes);
  }
  return 0;
}
