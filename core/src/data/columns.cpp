// SPDX-License-Identifier: MIT
#include "data/columns.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace concord {
namespace {

/// Whether a name fits a pattern in which * stands for any letters.
bool fits(std::string_view name, std::string_view pattern) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  for (size_t skipped = star; skipped <= name.size(); ++skipped)
    if (fits(name.substr(skipped), pattern.substr(star + 1))) return true;
  return false;
}

/// N of "last:N".
std::optional<size_t> count_after(std::string_view part, std::string_view word) {
  if (!part.starts_with(word)) return std::nullopt;
  return number_in<size_t>(part.substr(word.size()));
}

/// The first names of `names` that `others` lacks: "'a', 'b' and 3 more".
std::string lacking(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  constexpr size_t kShown = 5;
  const std::unordered_set<std::string_view> known(others.begin(), others.end());
  std::vector<std::string> shown;
  size_t count = 0;
  for (const std::string& name : names)
    if (!known.contains(name) && ++count <= kShown) shown.push_back(quote(name));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     count > kShown ? fmt::format(" and {} more", count - kShown) : "");
}

}  // namespace

size_t DataColumn::find(std::string_view value) const {
  const auto at =
      std::lower_bound(by_value.begin(), by_value.end(), value,
                       [](const auto& entry, std::string_view text) { return entry.first < text; });
  return at != by_value.end() && at->first == value ? at->second : by_value.size();
}

bool DataColumn::speaks_when_omitted() const {
  if (by_value.empty()) return false;
  return kind == Kind::one_hot || numbers[0] != 0;
}

void DataColumn::add_missing(DatasetBuilder& builder) const {
  for (int64_t j = 0; j < width(); ++j) builder.feature(first + j, std::numeric_limits<double>::quiet_NaN());
}

bool is_label_file(const std::filesystem::path& labels) {
  const std::string extension = labels.extension().string();
  return extension == ".xml" || extension == ".npy" || extension == ".npz";
}

bool is_chosen(const std::string& choice, std::string_view name) {
  for (size_t from = 0; from <= choice.size();) {
    const size_t comma = std::min(choice.find(',', from), choice.size());
    if (fits(name, std::string_view(choice).substr(from, comma - from))) return true;
    from = comma + 1;
  }
  return false;
}

std::vector<size_t> chosen_columns(const std::string& choice, const std::vector<std::string>& names,
                                   const std::string& place) {
  std::vector<bool> chosen(names.size(), false);
  for (size_t from = 0; from <= choice.size();) {
    const size_t comma = std::min(choice.find(',', from), choice.size());
    const std::string part = choice.substr(from, comma - from);
    from = comma + 1;
    const auto first = count_after(part, "first:"), last = count_after(part, "last:");
    const auto count = first ? first : last;
    if (count && (*count < 1 || *count > names.size()))
      fail(Fault::input, About{place}, "{} columns are asked for by {}, and there are {}", *count,
           quote(part), names.size());
    bool found = count.has_value();
    for (size_t j = 0; j < names.size(); ++j)
      if (count ? (first ? j < *count : j + *count >= names.size()) : fits(names[j], part))
        chosen[j] = found = true;
    if (!found && part.find('*') != std::string::npos)
      fail(Fault::input, About{place}, "no column fits the pattern {}", quote(part));
    if (!found)
      fail(Fault::input, About{place},
           "there is no column {}{} (columns are chosen by a,b,c, by tag_*, by first:N or last:N)",
           quote(part), did_you_mean(part, names));
  }
  std::vector<size_t> columns;
  for (size_t j = 0; j < names.size(); ++j)
    if (chosen[j]) columns.push_back(j);
  return columns;
}

bool is_missing(std::string_view cell) {
  constexpr std::string_view words[] = {"?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"};
  if (cell.size() > 4) return false;
  return cell.empty() || std::find(std::begin(words), std::end(words), cell) != std::end(words);
}

std::string owner_has(const std::string& owner) {
  return owner + (owner.ends_with("data") ? " have" : " has");
}

std::string difference_of(const char* what, const std::vector<std::string>& there,
                          const std::vector<std::string>& expected, const std::string& owner) {
  if (there == expected) return "";
  std::string text =
      fmt::format("{} {} {}s, the file {}", owner_has(owner), expected.size(), what, there.size());
  if (const std::string missing = lacking(expected, there); !missing.empty())
    text += "; not in the file: " + missing;
  if (const std::string extra = lacking(there, expected); !extra.empty())
    text += fmt::format("; not in {}: {}", owner, extra);
  if (std::is_permutation(there.begin(), there.end(), expected.begin(), expected.end())) {
    const auto other = std::mismatch(there.begin(), there.end(), expected.begin());
    text += fmt::format(", in another order: {} {} is {}, and there {}", what,
                        other.first - there.begin() + 1, quote(*other.first), quote(*other.second));
  }
  return text;
}

}  // namespace concord
