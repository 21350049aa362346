// SPDX-License-Identifier: MIT
#include "train/ranks.hpp"

#include <algorithm>
#include <cstring>

#include "train/archive.hpp"

namespace concord {
namespace {

/// What a message begins with.
enum Sign : char { kGoesOn = 'g', kStops = 's', kCutOff = 'c', kFailed = 'f' };

std::string failure_message(const Error& error) {
  ArchiveWriter out;
  out.put(static_cast<int64_t>(error.kind()));
  for (const std::string& text : {error.reason(), error.place(), error.subject(), error.remedy()})
    out.put(text);
  return std::string(1, kFailed) + out.bytes();
}

}  // namespace

std::vector<std::string> Ranks::exchange(const std::string& own) {
  if (is_alone()) return {own};
  const bool stops = stopped_ || own_control_.stop_requested();
  const char sign = !stops ? kGoesOn : own_control_.is_cut_off() ? kCutOff : kStops;
  std::vector<std::string> messages = all_gather(sign + own);
  throw_failures(messages);
  for (std::string& message : messages) {
    if (message.front() != kGoesOn) stopped_ = true;
    if (message.front() == kCutOff) cut_off_ = true;
    message.erase(0, 1);
  }
  return messages;
}

void Ranks::throw_failures(const std::vector<std::string>& messages) {
  for (size_t r = 0; r < messages.size(); ++r) {
    if (messages[r].front() != kFailed) continue;
    failed_ = true;
    ArchiveReader in(std::string_view(messages[r]).substr(1));
    const auto kind = static_cast<Fault>(in.get<int64_t>());
    const std::string reason = in.get_text();
    About about;
    about.place = in.get_text();
    about.subject = in.get_text();
    about.remedy = in.get_text();
    throw Error(kind, fmt::format("rank {}: {}", r, reason), about);
  }
}

bool Ranks::any(bool own) {
  const std::vector<std::string> said = exchange(own ? "1" : "0");
  return std::find(said.begin(), said.end(), "1") != said.end();
}

std::string Ranks::of_first(const std::string& own) {
  return std::move(exchange(is_first() ? own : "").front());
}

void Ranks::add_parts(const Eigen::VectorXd& own, Eigen::VectorXd& sum) {
  if (is_alone()) {
    sum += own;
    return;
  }
  const std::string bytes(reinterpret_cast<const char*>(own.data()),
                          sizeof(double) * static_cast<size_t>(own.size()));
  Eigen::VectorXd part(sum.size());
  for (const std::string& other : exchange(bytes)) {
    if (other.size() != sizeof(double) * static_cast<size_t>(sum.size())) continue;
    std::memcpy(part.data(), other.data(), other.size());
    sum += part;
  }
}

RunControl Ranks::agreed(const RunControl& own) {
  own_control_ = own;
  RunControl control = own;
  if (is_alone()) return control;
  control.stop = &stopped_;
  control.cut_off.reset();
  return control;
}

bool Ranks::is_cut_off() const {
  return is_alone() ? own_control_.is_cut_off() : cut_off_;
}

void Ranks::fail_all(const Error& error) {
  if (is_alone() || failed_) return;
  failed_ = true;
  all_gather(failure_message(error));
}

}  // namespace concord
