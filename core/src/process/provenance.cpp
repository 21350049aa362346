// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fstream>
#include <sys/utsname.h>

#include <concord/abi.h>
#include <concord/sdk/build_tag.hpp>

#include "process/state.hpp"

namespace concord {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

Provenance provenance() {
  struct utsname name {};
  ::uname(&name);
  return {CONCORD_VERSION, sdk::build_tag(), processor(),
          fmt::format("{} {} {}", name.sysname, name.release, name.machine)};
}

nlohmann::ordered_json host_record() {
  const Provenance p = provenance();
  return {{"version", p.version},
          {"abi", CONCORD_ABI},
          {"build", p.build_tag},
          {"processor", p.processor},
          {"system", p.system}};
}

}  // namespace concord
