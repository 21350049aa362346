// SPDX-License-Identifier: MIT
// {"A": [[...], ...] or "edges": [[i, j, A_ij], ...], "b": [...], "cardinality": k}
// Read as a stream of events, without a document in memory. A value is judged where it stands, so that the
// error knows its line. A deep nesting ends at the first level that has no meaning.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "problem/files.hpp"
#include "problem/source.hpp"

namespace concord {
namespace {

/// Counts the bytes that the parser has taken, which is how the handler knows where it is.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  size_t* taken;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    ++*taken;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
};

/// What the file may say: a key, how many brackets are open around its numbers, and what stands there.
struct Key {
  const char* name;
  int depth;
  const char* shape;
};

constexpr std::array<Key, 4> keys{{{"A", 3, "\"A\" is an array of rows, each an array of numbers"},
                                   {"edges", 3, "\"edges\" is an array of edges [i, j, A_ij]"},
                                   {"b", 2, "\"b\" is an array of numbers"},
                                   {"cardinality", 1, "\"cardinality\" is an integer or null"}}};
enum KeyIndex : size_t { key_A, key_edges, key_b, key_cardinality };

class ProblemHandler {
 public:
  ProblemHandler(ProblemSource& source, const size_t& taken) : source_(source), taken_(taken) {}

  // The events of nlohmann's SAX interface.
  bool null() {
    if (depth_ != 1 || key_ != key_cardinality) wrong(last(4), "null");
    return true;
  }
  bool boolean(bool value) { wrong(last(value ? 4 : 5), value ? "true" : "false"); }
  bool number_integer(int64_t) { return number(); }
  bool number_unsigned(uint64_t) { return number(); }
  bool number_float(double, const std::string&) { return number(); }
  bool string(const std::string& value) { wrong(last(value.size() + 2), value); }
  bool binary(const std::vector<uint8_t>&) { wrong(last(1), "binary data"); }
  bool start_object(size_t) {
    if (depth_++ > 0) wrong(last(1), "{");
    return true;
  }
  bool end_object() {
    end_ = last(1);
    return true;
  }
  bool key(const std::string& name);
  bool start_array(size_t);
  bool end_array();
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error);

  CanonicalProblem finish();

 private:
  /// Where a token began that has just been taken; in strings an escape may make it a little later.
  size_t last(size_t length) const { return taken_ - std::min(taken_, length); }
  std::string_view number_token() const;
  bool has(KeyIndex key) const { return seen_[key].has_value(); }
  [[noreturn]] void wrong(size_t at, std::string_view found) const;
  bool number();
  void add_to_A(double value, std::string_view token);
  void add_to_edge(std::string_view token);
  void end_row();
  void end_edge();
  PriorMatrix dense_prior() const;
  PriorMatrix sparse_prior();

  ProblemSource& source_;
  const size_t& taken_;
  int depth_ = 0;
  size_t key_ = 0;  // meaningful when depth_ > 0 and a key was read
  std::array<std::optional<size_t>, keys.size()> seen_;
  size_t end_ = 0;  // where the problem ended, once it has

  std::vector<double> A_;  // row after row
  size_t order_ = 0;       // the length of the first row, and of every other
  size_t row_ = 0, column_ = 0;
  std::vector<Entry> edges_;
  std::array<double, 3> edge_{};
  size_t edge_size_ = 0, edge_at_ = 0;
  std::vector<double> b_;
  std::string_view cardinality_token_;  // empty: none
};

/// A number is known to have ended only when the next byte, which is no digit, or the end was seen.
std::string_view ProblemHandler::number_token() const {
  const std::string_view text = source_.text().substr(0, taken_);
  const size_t end = text.find_last_of("0123456789") + 1;
  const size_t before = text.substr(0, end).find_last_not_of("0123456789+-.eE");
  return text.substr(before + 1, end - before - 1);  // before + 1 is 0 for npos
}

void ProblemHandler::wrong(size_t at, std::string_view found) const {
  if (depth_ == 0) source_.fail(at, "found {}: a problem is an object {{\"A\": ...}}", quote(found));
  source_.fail(at, "found {} in {}: {}", quote(found), keys[key_].name, keys[key_].shape);
}

bool ProblemHandler::key(const std::string& name) {
  const size_t at = last(name.size() + 2);
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  if (found == keys.end()) {
    source_.fail(at, "unknown key {}: the keys are A or edges, b, cardinality{}", quote(name),
                 did_you_mean(name, {"A", "edges", "b", "cardinality"}));
  }
  key_ = static_cast<size_t>(found - keys.begin());
  if (seen_[key_]) {
    source_.fail(at, "duplicate key '{}' (first on line {}): give it once", name, source_.line(*seen_[key_]));
  }
  seen_[key_] = at;
  if (has(key_A) && has(key_edges)) {
    source_.fail(at, "'{}' after the other form of the prior: give either A or edges, not both", name);
  }
  return true;
}

bool ProblemHandler::start_array(size_t) {
  if (depth_ == 0 || depth_ >= keys[key_].depth) wrong(last(1), "[");
  ++depth_;
  if (depth_ == 3 && key_ == key_A && row_ > 0 && row_ == order_) {
    source_.fail(last(1), "row {} of A is one too many: the first row has {} numbers, and A must be square",
                 row_, order_);
  }
  if (depth_ == 3 && key_ == key_edges) edge_at_ = last(1);
  return true;
}

bool ProblemHandler::end_array() {
  if (depth_ == 3) {
    key_ == key_A ? end_row() : end_edge();
  } else if (key_ == key_A && row_ < order_) {
    source_.fail(last(1), "A is {} x {}: it must be square", row_, order_);
  }
  --depth_;
  return true;
}

bool ProblemHandler::number() {
  const std::string_view token = number_token();
  if (depth_ == 0 || depth_ != keys[key_].depth) wrong(source_.position(token), token);
  if (key_ == key_A) {
    add_to_A(source_.coefficient(token), token);
  } else if (key_ == key_edges) {
    add_to_edge(token);
  } else if (key_ == key_b) {
    b_.push_back(source_.coefficient(token));
  } else {
    cardinality_token_ = token;
  }
  return true;
}

void ProblemHandler::add_to_A(double value, std::string_view token) {
  if (row_ > 0 && column_ == order_) {
    source_.fail(source_.position(token), "{} is too much in row {} of A: the first row has {} numbers",
                 quote(token), row_, order_);
  }
  if (column_ < row_ && A_[column_ * order_ + row_] != value) {
    source_.fail(source_.position(token),
                 "A is not symmetric: A[{0}][{1}] is {2} but A[{1}][{0}] is {3}; (A + A')/2 has the same "
                 "objective",
                 row_, column_, value, A_[column_ * order_ + row_]);
  }
  A_.push_back(value);
  ++column_;
}

void ProblemHandler::end_row() {
  if (row_ == 0) order_ = column_;
  if (column_ == 0) source_.fail(last(1), "row {} of A is empty: a problem has at least one label", row_);
  if (column_ < order_) {
    source_.fail(last(1), "row {} of A ends after {} of {} numbers", row_, column_, order_);
  }
  ++row_;
  column_ = 0;
}

void ProblemHandler::add_to_edge(std::string_view token) {
  const size_t at = source_.position(token);
  if (edge_size_ == edge_.size()) source_.fail(at, "{} is too much: an edge is [i, j, A_ij]", quote(token));
  const bool is_index = edge_size_ < 2;
  // 2.0 is an index too: in JSON it is the same number as 2, and many programs write it so.
  const double value = is_index ? source_.number(token) : source_.coefficient(token);
  if (is_index && (value != std::floor(value) || value < 0 || value >= max_sparse_labels)) {
    source_.fail(at, "{} is not a label: i and j of an edge [i, j, A_ij] are integers in 0..{}", quote(token),
                 max_sparse_labels - 1);
  }
  edge_[edge_size_++] = value;
}

void ProblemHandler::end_edge() {
  if (edge_size_ != edge_.size()) {
    source_.fail(edge_at_, "the edge ends after {} of 3 numbers: an edge is [i, j, A_ij]", edge_size_);
  }
  const auto i = static_cast<int64_t>(edge_[0]), j = static_cast<int64_t>(edge_[1]);
  if (i == j) {
    source_.fail(edge_at_, "the edge [{}, {}, {}] joins a label to itself: a diagonal is possible only in A",
                 i, j, edge_[2]);
  }
  edges_.push_back({std::min(i, j), std::max(i, j), edge_[2], edge_at_});
  edge_size_ = 0;
}

bool ProblemHandler::parse_error(size_t, const std::string&, const nlohmann::json::exception& error) {
  if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) source_.number(number_token());
  // "[id] parse error at ...: syntax error while parsing CONTEXT - DETAIL; last read: 'TEXT'; expected ..."
  std::string_view detail = error.what();
  detail.remove_prefix(std::min(detail.size(), detail.find(" - ") + 3));
  detail = detail.substr(0, detail.find("; last read"));

  const size_t at = source_.text().substr(0, taken_).find_last_not_of(" \t\r\n");
  if (detail.starts_with("unexpected end of input")) source_.fail(at, "the file is cut off: {}", detail);
  const std::string_view word = source_.word(at);
  if (end_ > 0)
    source_.fail(source_.position(word), "{} after the problem: the file must end there", quote(word));
  const bool no_number = detail.starts_with("invalid literal") || detail.starts_with("invalid number");
  source_.fail(source_.position(word), "not JSON at {}: {}{}", quote(word), detail,
               no_number ? "; a number is finite and decimal, such as -0.5" : "");
}

PriorMatrix ProblemHandler::dense_prior() const {
  const auto V = static_cast<int64_t>(order_);
  if (V == 0) source_.fail(*seen_[key_A], "A is empty: a problem has at least one label");
  if (has(key_b) && b_.size() != order_) {
    source_.fail(*seen_[key_b], "b has {} numbers, but A is {} x {}", b_.size(), V, V);
  }
  return PriorMatrix(Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(A_.data(), V, V)));
}

PriorMatrix ProblemHandler::sparse_prior() {
  if (!has(key_b)) {
    source_.fail(*seen_[key_edges], "edges without b: the length of b says how many labels there are");
  }
  const auto V = static_cast<int64_t>(b_.size());
  if (V == 0) source_.fail(*seen_[key_b], "b is empty: a problem has at least one label");
  if (V > max_sparse_labels) {
    source_.fail(*seen_[key_b], "b has {} numbers: at most {} labels are possible", V, max_sparse_labels);
  }
  for (const Entry& edge : edges_) {
    if (edge.j >= V) {
      source_.fail(edge.at, "the edge [{}, {}, {}] is out of range: b has {} numbers, so labels are 0..{}",
                   edge.i, edge.j, edge.value, V, V - 1);
    }
  }
  return PriorMatrix(source_.symmetric(V, edges_, 0));
}

CanonicalProblem ProblemHandler::finish() {
  if (!has(key_A) && !has(key_edges)) source_.fail(end_, "there is no prior: give either A or edges");
  CanonicalProblem problem;
  problem.A = has(key_A) ? dense_prior() : sparse_prior();
  const int64_t V = problem.labels();
  problem.c = Eigen::VectorXd::Zero(V);
  if (has(key_b)) problem.c = Eigen::Map<const Eigen::VectorXd>(b_.data(), V);
  if (!cardinality_token_.empty()) {
    const double k = source_.number(cardinality_token_);
    if (k != std::floor(k) || k < 0 || k > static_cast<double>(V)) {
      source_.fail(source_.position(cardinality_token_),
                   "the cardinality {} is not possible: it is an integer in 0..{}, the number of labels",
                   quote(cardinality_token_), V);
    }
    problem.k = static_cast<int64_t>(k);
  }
  return problem;
}

}  // namespace

CanonicalProblem parse_json(ProblemSource& source) {
  const std::string_view text = source.text();
  size_t taken = 0;
  ProblemHandler handler(source, taken);
  nlohmann::json::sax_parse(CountingIterator{text.data(), &taken},
                            CountingIterator{text.data() + text.size(), &taken}, &handler);
  return handler.finish();
}

}  // namespace concord
