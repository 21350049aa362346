// SPDX-License-Identifier: MIT
#include "problem/source.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace concord {

size_t ProblemSource::line(size_t at) const {
  return 1 + static_cast<size_t>(std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at), '\n'));
}

std::string_view ProblemSource::word(size_t at) const {
  constexpr std::string_view ends = " \t\r\n,:[]{}";
  if (ends.find(text_[at]) != std::string_view::npos) return text_.substr(at, 1);
  const size_t begin = text_.substr(0, at).find_last_of(ends) + 1;  // 0 if there is none
  return text_.substr(begin, std::min(text_.find_first_of(ends, at), text_.size()) - begin);
}

void ProblemSource::throw_at(size_t at, const std::string& message) const {
  const size_t newline = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
  const size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
  throw Error(Fault::input, message, {fmt::format("{}:{}:{}", name_, line(at), column), name_});
}

double ProblemSource::number(std::string_view token) const {
  double value = 0;
  const Numeral verdict = read_numeral(token, value);
  if (verdict == Numeral::none) {
    fail(position(token), "{} is not a number: a decimal number such as -0.5 or 1e-3 is expected",
         quote(token));
  }
  if (verdict == Numeral::out_of_range) {
    fail(position(token), "{} is not a finite number in the range of a double", quote(token));
  }
  return value;
}

double ProblemSource::coefficient(std::string_view token) {
  constexpr double largest = 1e300;
  const double value = number(token);
  magnitude_ += std::abs(value);
  if (magnitude_ > largest) {
    fail(position(token), "{} is too large: the magnitudes of all numbers must add up to at most {:g}",
         quote(token), largest);
  }
  return value;
}

int64_t ProblemSource::integer(std::string_view token, int64_t low, int64_t high,
                               std::string_view what) const {
  int64_t value = 0;
  const Numeral verdict = read_numeral(token, value);
  if (verdict == Numeral::none) {
    fail(position(token), "{} is not an integer: {} is an integer in {}..{}", quote(token), what, low, high);
  }
  if (verdict == Numeral::out_of_range || value < low || value > high) {
    fail(position(token), "{} is out of range: {} is an integer in {}..{}", quote(token), what, low, high);
  }
  return value;
}

SparseMatrix ProblemSource::symmetric(int64_t n, std::vector<Entry>& entries, int64_t first_index) const {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.i, a.j, a.at) < std::tie(b.i, b.j, b.at);
  });
  const auto twice = std::adjacent_find(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.i == b.i && a.j == b.j;
  });
  if (twice != entries.end()) {
    fail(std::next(twice)->at, "the pair '{} {}' is given again (first on line {}): give each pair once",
         twice->i + first_index, twice->j + first_index, line(twice->at));
  }
  std::vector<Eigen::Triplet<double, int64_t>> triplets;
  triplets.reserve(2 * entries.size());
  for (const Entry& entry : entries) {
    triplets.emplace_back(entry.i, entry.j, entry.value);
    if (entry.i != entry.j) triplets.emplace_back(entry.j, entry.i, entry.value);
  }
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

}  // namespace concord
