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

}  // namespace concord
