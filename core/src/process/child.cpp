// SPDX-License-Identifier: MIT
#include "process/child.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/wait.h>

#include "base/error.hpp"

namespace concord {
namespace {

constexpr uintmax_t kMostLog = uintmax_t{64} << 20;

void limit(__rlimit_resource_t what, double most) {
  const auto number = static_cast<rlim_t>(most);
  const struct rlimit both = {number, number};
  ::setrlimit(what, &both);
}

/// A build with CONCORD_SHADOW_MEMORY has no limit of memory: the shadow of AddressSanitizer, terabytes of addresses, counts.
int start(const std::vector<std::string>& words, const std::string& log, const Listener& listener,
          [[maybe_unused]] double mebibytes) {
#ifndef CONCORD_SHADOW_MEMORY
  limit(RLIMIT_DATA, mebibytes * 1024 * 1024);  // what malloc gives; shared libraries do not count
#endif
  limit(RLIMIT_CORE, 0);
  redirect(0, "/dev/null", O_RDONLY);
  redirect(1, log, O_WRONLY | O_APPEND);
  redirect(2, log, O_WRONLY | O_APPEND);
  listener.announce();
  return become(words);
}

std::filesystem::path emptied(const std::filesystem::path& log) {
  if (!std::ofstream(log)) fail(Fault::io, About{log.string()}, "{}", std::strerror(errno));
  return log;
}

}  // namespace

Process::Process(const std::vector<std::string>& words, const std::filesystem::path& log,
                 const ProcessLimits& limits)
    : log_(emptied(log)),
      limits_(limits),
      child_([&] { return start(words, log_.string(), listener_, limits.mebibytes); }) {}

std::string Process::excess(bool ended) const {
  // A cell is measured by the clock on the wall, which is what its user plans with.
  if (!ended && child_.seconds() > limits_.seconds)
    return fmt::format("took longer than {:g} s", limits_.seconds);
  std::error_code unknown;
  const uintmax_t size = std::filesystem::file_size(log_, unknown);
  return !unknown && size > kMostLog ? fmt::format("wrote more than {} MiB to its log", kMostLog >> 20) : "";
}

std::string Process::reason_of_failure(double peak_mebibytes) const {
  const auto words = listener_.heard();
  if (words && words->out_of_memory) return fmt::format("needed more than {:g} MiB", limits_.mebibytes);
  if (words) return words->text;
  const std::string ending = ending_text(child_.status());
  return WIFSIGNALED(child_.status())
             ? fmt::format("{} ({:.0f} of {:g} MiB used)", ending, peak_mebibytes, limits_.mebibytes)
             : ending;
}

std::optional<ProcessEnd> Process::poll() {
  const bool ended = child_.has_ended();
  const std::string excessive = excess(ended);
  if (!ended && excessive.empty()) return std::nullopt;
  const double seconds = child_.seconds();
  child_.kill_group();  // and whatever it has started
  const double peak = static_cast<double>(child_.used().ru_maxrss) / 1024;
  if (!excessive.empty()) return ProcessEnd{false, excessive, seconds, peak};
  if (child_.status() != 0) return ProcessEnd{false, reason_of_failure(peak), seconds, peak};
  return ProcessEnd{true, "", seconds, peak};
}

}  // namespace concord
