// SPDX-License-Identifier: MIT
#include "process/table.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

#include "base/text.hpp"

namespace concord {
namespace {

constexpr double kSecondsBetweenLooks = 0.05;  // a look is a walk through /proc

/// The fields of /proc/ID/stat after the name, which may hold blanks and parentheses; the first is field 3.
std::vector<std::string> stat_fields(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  const size_t name_end = all.rfind(')');
  if (name_end == std::string::npos) return {};  // it has just ended
  std::istringstream rest(all.substr(name_end + 1));
  std::vector<std::string> fields;
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

double cpu_seconds_of_group(pid_t group) {
  double seconds = 0;
  for (const RunningProcess& one : running_processes())
    if (one.group == group || one.id == group) seconds += one.cpu_seconds;
  return seconds;
}

}  // namespace

std::vector<RunningProcess> running_processes() {
  // Places in stat_fields; the times are those of the process and of its ended children.
  constexpr size_t parent_field = 1, group_field = 2, first_time = 11, last_time = 14;
  const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::vector<RunningProcess> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto id = number_in<pid_t>(entry.path().filename().string());
    if (!id) continue;
    const auto fields = stat_fields(entry.path() / "stat");
    if (fields.size() <= last_time) continue;
    RunningProcess one{*id, number_in<pid_t>(fields[parent_field]).value_or(0),
                       number_in<pid_t>(fields[group_field]).value_or(0), 0};
    for (size_t i = first_time; i <= last_time; ++i)
      one.cpu_seconds += number_in<double>(fields[i]).value_or(0) / ticks_per_second;
    all.push_back(one);
  }
  return all;
}

Stopwatch::Stopwatch(pid_t group) : group_(group), before_(cpu_seconds_of_group(group)) {}

double Stopwatch::cpu_seconds() {
  if (wall_seconds() >= next_look_) {
    const double used = cpu_seconds_of_group(group_) - before_;
    if (used > last_) last_work_ = wall_seconds();
    last_ = used;
    next_look_ = wall_seconds() + kSecondsBetweenLooks;
  }
  return last_;
}

double Stopwatch::wall_seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace concord
