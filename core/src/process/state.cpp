// SPDX-License-Identifier: MIT
#include "process/state.hpp"

#include <clocale>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <concord/abi.h>
#include <concord/sdk/build_tag.hpp>

namespace concord {
namespace {

unsigned control_word() {
#if defined(__x86_64__)
  return _mm_getcsr() & ~0x3fu;  // the low six bits are sticky exception flags, which any arithmetic sets
#else
  return static_cast<unsigned>(std::fegetround());
#endif
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

FloatingPointState::FloatingPointState() : control_(control_word()) {
  std::fegetenv(&saved_);
}

FloatingPointState::~FloatingPointState() {
  if (changed()) std::fesetenv(&saved_);  // on x86-64 this restores MXCSR, flush-to-zero included
}

bool FloatingPointState::changed() const {
  return control_word() != control_;
}

ProcessState::ProcessState()
    : locale_(std::setlocale(LC_ALL, nullptr)), directory_(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

ProcessState::~ProcessState() {
  // Other threads use locale and directory too: what was not changed is not touched.
  if (locale_ != std::setlocale(LC_ALL, nullptr)) std::setlocale(LC_ALL, locale_.c_str());
  if (directory_ < 0) return;
  struct stat now {
  }, before{};
  const bool moved = ::stat(".", &now) != 0 || ::fstat(directory_, &before) != 0 ||
                     now.st_dev != before.st_dev || now.st_ino != before.st_ino;
  if (moved) {
    [[maybe_unused]] const int back = ::fchdir(directory_);  // a directory that is open can be returned to
  }
  ::close(directory_);
}

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
