// SPDX-License-Identifier: MIT
#include "base/text_lines.hpp"

#include <algorithm>

namespace concord {
namespace {

constexpr size_t kChunk = 1 << 16;
constexpr size_t kLongestLine = size_t{64} << 20;

}  // namespace

bool TextLines::fill() {
  try {
    std::streambuf& bytes = *in_.rdbuf();
    if (bytes.sgetc() == std::streambuf::traits_type::eof()) return false;
    // What is there already, and not a whole chunk: a line that came through a pipe is not kept waiting.
    const std::streamsize ready = std::clamp<std::streamsize>(bytes.in_avail(), 1, kChunk);
    const size_t used = buffer_.size();
    buffer_.resize(used + static_cast<size_t>(ready));
    buffer_.resize(used + static_cast<size_t>(bytes.sgetn(buffer_.data() + used, ready)));
    return true;
  } catch (const std::ios_base::failure& e) {
    concord::fail(Fault::io, About{name_}, "cannot be read: {}", e.what());
  }
}

char TextLines::first_character() {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  constexpr std::string_view blanks = " \t\r\n";
  while (true) {
    const std::string_view all = buffer_;
    const size_t first =
        all.find_first_not_of(blanks, all.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    // The mark may be cut by the end of a chunk.
    if (first != std::string_view::npos && all.size() >= byte_order_mark.size()) return all[first];
    if (all.size() > kLongestLine || !fill()) return first == std::string_view::npos ? '\0' : all[first];
  }
}

std::string_view TextLines::first_line() {
  if (first_character() == '\0') return {};
  constexpr size_t kMost = 1 << 20;
  while (true) {
    const std::string_view all = buffer_;
    const size_t begin = std::min(all.find_first_not_of(" \t\r\n"), all.size());
    const size_t end = all.find('\n', begin);
    if (end != std::string_view::npos || all.size() > kMost || !fill()) return all.substr(begin, end - begin);
  }
}

bool TextLines::next() {
  number_ += 1 + continued_;
  continued_ = 0;
  start_ = begin_;
  if (take()) return true;
  --number_;
  return false;
}

bool TextLines::extend() {
  ++continued_;
  if (take()) return true;
  --continued_;
  return false;
}

/// Takes the next line of the file into line(), which begins at start_.
bool TextLines::take() {
  size_t searched = begin_;
  size_t newline = 0;
  while ((newline = buffer_.find('\n', searched)) == std::string::npos) {
    searched = buffer_.size();
    if (start_ > 0) {
      buffer_.erase(0, start_);
      searched -= start_;
      begin_ -= start_;
      start_ = 0;
    }
    if (buffer_.size() > kLongestLine) {
      line_ = std::string_view(buffer_).substr(0, 1);
      fail(line_, "the line is longer than {} MiB{}", kLongestLine >> 20,
           continued_ > 0 ? ", as a quote in it does not end" : "");
    }
    if (fill()) continue;
    if (begin_ == buffer_.size()) {
      line_ = std::string_view(buffer_).substr(start_);
      return false;
    }
    newline = buffer_.size();
    break;
  }
  if (number_ == 1 && start_ == 0 && buffer_.starts_with("\xEF\xBB\xBF")) start_ = 3;  // byte order mark
  line_ = std::string_view(buffer_).substr(start_, newline - start_);
  if (const size_t zero = line_.find('\0', std::max(begin_, start_) - start_); zero != std::string_view::npos)
    fail(line_.substr(zero, 1), "{} is no character of a text: a data file is plain text",
         quote(line_.substr(zero, 1)));
  begin_ = std::min(newline + 1, buffer_.size());
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

void TextLines::throw_at(std::string_view where, const std::string& message) const {
  const auto before =
      line_.substr(0, where.data() == nullptr ? 0 : static_cast<size_t>(where.data() - line_.data()));
  const auto breaks = std::count(before.begin(), before.end(), '\n');
  const size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  throw Error(Fault::input, message,
              {fmt::format("{}:{}:{}", name_, std::max<int64_t>(number_, 1) + breaks, column), name_});
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

Numeral read_decimal(std::string_view token, double& value) {
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  return read_numeral(token, value);
}

}  // namespace concord
