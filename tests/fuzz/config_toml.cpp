// SPDX-License-Identifier: MIT
// Parses arbitrary bytes as a config; what follows zero bytes is given to --set. A concord::Error is the right
// answer to nonsense; whatever is accepted has sound cells, whose settings survive their JSON.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "require.hpp"

using namespace concord;
using fuzz::require;

namespace {

void check_error(const Error& error, bool has_overrides) {
  require(error.kind() == Fault::input, "an error in a config is an input error");
  const std::string message = error.what();
  for (size_t from = 0; from < message.size() && !has_overrides;) {
    const size_t end = std::min(message.find('\n', from), message.size());
    const std::string_view line = std::string_view(message).substr(from, end - from);
    require(line.starts_with("fuzz:"), "an error says where");
    for (const char letter : line) require(letter >= ' ' && letter <= '~', "an error is printable");
    from = end + 1;
  }
}

void check_cell(const GridPoint& cell) {
  const std::string json = settings_json(cell.settings).dump();
  require(settings_json(settings_from_json(nlohmann::ordered_json::parse(json))).dump() == json,
          "settings survive their JSON");
  const Settings& s = cell.settings;
  require(s.train.lambda_w > 0 && s.train.lambda_a > 0, "lambdas are positive");
  require(s.train.epochs >= 1 && s.train.batch >= 1 && s.select.repeats >= 1, "counts are positive");
  require(s.preprocess.bias >= 0 && s.predict.min_labels.value_or(0) >= 0,
          "bias and min_labels are not negative");
  require(s.select.folds == 0 || s.select.holdout == 0, "folds or a hold-out");
  require(!s.train.decoder.name.empty() && !s.train.loss.name.empty(), "plugins have names");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < size; ++i) {
    if (data[i] == 0)
      parts.emplace_back();
    else
      parts.back() += static_cast<char>(data[i]);
  }
  const std::string text = parts.front();
  parts.erase(parts.begin());
  try {
    const Config config = parse_config(text, "fuzz", "folder", parts);
    require(!config.cells.empty() && config.cells.size() <= 10'000, "1 to 10,000 cells");
    for (const GridPoint& cell : config.cells)
      require(config.cells.size() == 1 || !cell.chosen.empty(), "cells are told apart");
    check_cell(config.cells.front());
    check_cell(config.cells.back());
  } catch (const Error& error) {
    check_error(error, !parts.empty());
  }
  return 0;
}
