// SPDX-License-Identifier: MIT
#pragma once
// What produced a result: the host's build and the machine. Every result carries it.
#include <nlohmann/json.hpp>
#include <string>

namespace concord {

struct Provenance {
  std::string version;
  std::string build_tag;
  std::string processor;
  std::string system;
};

Provenance provenance();

/// As models and --json of every verb have it: version, abi, build, processor, system.
nlohmann::ordered_json host_record();
/// As results.json of a comparison has it since version 0.1: `build_tag` in the place of `build`, and no ABI.
nlohmann::ordered_json results_host_record();

}  // namespace concord
