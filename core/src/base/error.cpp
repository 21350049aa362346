// SPDX-License-Identifier: MIT
#include "base/error.hpp"

#include <algorithm>
#include <cctype>

namespace concord {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn a into b; case is free.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last, last, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last = std::move(last);
    last = std::move(row);
    row.assign(b.size() + 1, i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string sentence(const std::string& reason, const About& about) {
  return fmt::format("{}{}{}{}{}", about.place, about.place.empty() ? "" : ": ", reason,
                     about.remedy.empty() ? "" : ". ", about.remedy);
}

}  // namespace

const char* name_of(Fault kind) {
  static constexpr const char* names[] = {"input", "unsupported", "unavailable",
                                          "io",    "plugin",      "interrupted"};
  return names[static_cast<size_t>(kind)];
}

Error::Error(Fault kind, const std::string& reason, About about)
    : std::runtime_error(sentence(reason, about)), kind_(kind), about_(std::move(about)), reason_(reason) {}

void ErrorList::throw_if_any() const {
  if (errors_.empty()) return;
  if (errors_.size() == 1) throw errors_.front();
  std::vector<std::string> texts;
  for (const Error& error : errors_) texts.emplace_back(error.what());
  const Error& first = errors_.front();
  throw Error(first.kind(), fmt::format("{}", fmt::join(texts, "\n")), {"", first.subject()});
}

std::string did_you_mean(std::string_view given, const std::vector<std::string>& candidates) {
  const size_t near = std::max<size_t>(1, given.size() / 3);
  const std::string* best = nullptr;
  size_t best_distance = near + 1;
  for (const std::string& candidate : candidates) {
    // The length of a candidate differs by at most the distance: skip the hopeless ones cheaply.
    if (candidate.size() > given.size() + near || given.size() > candidate.size() + near) continue;
    const size_t distance = edit_distance(given, candidate);
    // A distance of the whole length means that nothing is shared: "c" is no misspelt "A".
    if (distance < best_distance && distance < candidate.size()) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? "" : fmt::format("; did you mean {}?", *best);
}

}  // namespace concord
