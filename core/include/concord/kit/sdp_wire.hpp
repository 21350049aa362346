// SPDX-License-Identifier: MIT
#pragma once
// Questions and answers between an SDP decoder and its worker process, as bytes: a header with the length,
// then plain numbers in the order of the functions below. One question is answered by any number of lines for the log, then
// an answer or a failure. Both sides are built together, on one machine: the magic number holds the version of the
// wire, and another one is refused (sdp_worker.hpp).
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <concord/kit/sdp_sparse.hpp>
#include <concord/kit/sdp_work.hpp>

namespace concord::kit::wire {

using Bytes = std::vector<char>;

struct Header {
  uint64_t magic;
  uint64_t bytes;  ///< that follow
};
inline constexpr uint64_t kMagic = 0x32504453434e4f43;       // "CONCSDP2"
inline constexpr uint64_t kFirstMagic = 0x31504453434e4f43;  // "CONCSDP1", of Concord 0.1
inline constexpr const char* kVersion = "2";
inline constexpr const char* kGreeting = "concord-sdp-worker";  // what --probe prints first

class Writer {
 public:
  Writer() { put(Header{kMagic, 0}); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { append(&value, sizeof value); }
  void put(const Eigen::Ref<const Matrix>& X) {
    put(static_cast<int64_t>(X.rows()));
    put(static_cast<int64_t>(X.cols()));
    for (Index j = 0; j < X.cols(); ++j)
      append(X.col(j).data(), static_cast<size_t>(X.rows()) * sizeof(double));
  }
  /// requires a compressed A
  void put(const SparseRows& A) {
    put(static_cast<int64_t>(A.rows()));
    put(std::span(A.outerIndexPtr(), static_cast<size_t>(A.rows()) + 1));
    put(std::span(A.innerIndexPtr(), static_cast<size_t>(A.nonZeros())));
    put(std::span(A.valuePtr(), static_cast<size_t>(A.nonZeros())));
  }
  template <class T>
  void put(const std::span<T>& values) {
    put(static_cast<int64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  void put(const std::string& text) { put(std::span(text)); }
  Bytes take(uint64_t magic = kMagic) {
    const Header header{magic, bytes_.size() - sizeof(Header)};
    std::memcpy(bytes_.data(), &header, sizeof header);
    return std::move(bytes_);
  }

 private:
  /// Not inlined: GCC 12 sees an overflow in the growth of a vector whose size it knows.
  [[gnu::noinline]] void append(const void* data, size_t size) {
    const char* first = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  Bytes bytes_;
};

/// Never reads beyond the end, whatever the bytes are.
class Reader {
 public:
  explicit Reader(std::span<const char> bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(1, sizeof value), sizeof value);
    return value;
  }
  Matrix matrix() {
    const auto rows = get<int64_t>(), cols = get<int64_t>();
    if (rows < 0 || cols < 0 || (cols > 0 && rows > std::numeric_limits<int32_t>::max() / cols)) malformed();
    const auto count = static_cast<size_t>(rows * cols);
    const char* data = take(count, sizeof(double));  // before any memory is asked for
    Matrix X(rows, cols);
    if (count > 0) std::memcpy(X.data(), data, count * sizeof(double));
    return X;
  }
  SparseRows sparse() {
    const auto rows = get<int64_t>();
    const auto start = list<std::vector<int64_t>>(), column = list<std::vector<int64_t>>();
    const auto entry = list<std::vector<double>>();
    if (rows < 0 || start.size() != static_cast<size_t>(rows) + 1 || column.size() != entry.size() ||
        start.front() != 0 || start.back() != static_cast<int64_t>(column.size()))
      malformed();
    for (size_t v = 0; v + 1 < start.size(); ++v)
      if (start[v] > start[v + 1]) malformed();
    for (const int64_t j : column)
      if (j < 0 || j >= rows) malformed();
    return Eigen::Map<const SparseRows>(rows, rows, start.back(), start.data(), column.data(), entry.data());
  }
  template <class List>
  List list() {
    using T = typename List::value_type;
    const auto size = get<int64_t>();
    if (size < 0) malformed();
    const char* data = take(static_cast<size_t>(size), sizeof(T));
    List out(static_cast<size_t>(size), T{});
    if (size > 0) std::memcpy(out.data(), data, static_cast<size_t>(size) * sizeof(T));
    return out;
  }
  std::string text() { return list<std::string>(); }

 private:
  [[noreturn]] static void malformed() {
    throw std::runtime_error("a message between the decoder and its worker is malformed");
  }
  const char* take(size_t count, size_t each) {
    if (count > bytes_.size() / each) malformed();
    const char* data = bytes_.data();
    bytes_ = bytes_.subspan(count * each);
    return data;
  }
  std::span<const char> bytes_;
};

/// What a question has besides the problem.
struct Terms {
  double tol = 1e-6;
  double seconds = std::numeric_limits<double>::infinity();  ///< until the answer should be on its way
  int32_t threads = 1;
  const std::vector<SdpSetting>& options;
  std::span<const char> warm = {};
};

namespace detail {

inline void put_terms(Writer& out, const Terms& terms) {
  out.put(terms.tol);
  out.put(terms.seconds);
  out.put(terms.threads);
  out.put(static_cast<int64_t>(terms.options.size()));
  for (const SdpSetting& one : terms.options) {
    out.put(one.name);
    out.put(one.type);
    out.put(one.integer);
    out.put(one.real);
    out.put(one.text);
    out.put(std::span(one.list));
  }
  out.put(terms.warm);
}

}  // namespace detail

inline Bytes question(const SdpProblem& problem, const Terms& terms) {
  Writer out;
  out.put(int32_t{0});
  out.put(problem.A);
  out.put(problem.c);
  out.put(problem.beta);
  out.put(static_cast<int32_t>(problem.form));
  detail::put_terms(out, terms);
  return out.take();
}

inline Bytes question(const SparseSdpProblem& problem, const Terms& terms) {
  Writer out;
  out.put(int32_t{1});
  out.put(problem.A);
  out.put(problem.c);
  detail::put_terms(out, terms);
  return out.take();
}

struct Question {
  bool is_sparse;
  Matrix A;
  SparseRows sparse_A;
  Matrix c;
  double beta = std::numeric_limits<double>::quiet_NaN();
  CardinalityForm form = CardinalityForm::lifted;
  double tol;
  double seconds;
  int32_t threads;
  std::vector<SdpSetting> options;
  Bytes warm;

  explicit Question(std::span<const char> bytes) {
    Reader in(bytes);
    is_sparse = in.get<int32_t>() != 0;
    if (is_sparse) {
      sparse_A = in.sparse();
      c = in.matrix();
    } else {
      A = in.matrix();
      c = in.matrix();
      beta = in.get<double>();
      form = static_cast<CardinalityForm>(in.get<int32_t>());
    }
    tol = in.get<double>();
    seconds = in.get<double>();
    threads = in.get<int32_t>();
    for (auto left = in.get<int64_t>(); left > 0; --left) {
      SdpSetting one;
      one.name = in.text();
      one.type = in.get<int32_t>();
      one.integer = in.get<int64_t>();
      one.real = in.get<double>();
      one.text = in.text();
      one.list = in.list<std::vector<double>>();
      options.push_back(std::move(one));
    }
    warm = in.list<Bytes>();
  }
  SdpProblem dense() const { return {A, c.col(0), beta, form}; }
  SparseSdpProblem sparse() const { return {sparse_A, c.col(0)}; }
};

// What a worker sends begins with one of these.
enum : int32_t { kFailure = 0, kAnswer = 1, kLog = 2 };

/// A worker of this version says it to a decoder of any.
inline Bytes failure(const std::string& why, uint64_t magic = kMagic) {
  Writer out;
  out.put(int32_t{kFailure});
  out.put(why);
  return out.take(magic);
}

inline Bytes log_line(int32_t level, const std::string& text) {
  constexpr size_t most = 4000;
  Writer out;
  out.put(int32_t{kLog});
  out.put(level);
  out.put(text.substr(0, most));
  return out.take();
}

inline Bytes answer(const SdpAnswer& answer, std::span<const char> warm) {
  Writer out;
  out.put(int32_t{kAnswer});
  out.put(answer.M);
  out.put(answer.X);
  out.put(answer.y);
  out.put(answer.mu);
  out.put(answer.objective);
  out.put(answer.remark);
  out.put(static_cast<int32_t>(answer.cut));
  out.put(warm);
  return out.take();
}

struct Answer {
  SdpAnswer answer;
  Bytes warm;
};
struct LogLine {
  int32_t level;
  std::string text;
};

/// Throws what the worker says when it has no answer.
inline std::variant<Answer, LogLine> read_message(std::span<const char> bytes) {
  Reader in(bytes);
  const auto kind = in.get<int32_t>();
  if (kind == kFailure) throw std::runtime_error(in.text());
  if (kind == kLog) {
    const auto level = in.get<int32_t>();
    return LogLine{level, in.text()};
  }
  Answer out;
  out.answer.M = in.matrix();
  out.answer.X = in.matrix();
  out.answer.y = in.matrix();
  out.answer.mu = in.get<double>();
  out.answer.objective = in.get<double>();
  out.answer.remark = in.text();
  out.answer.cut = in.get<int32_t>() != 0;
  out.warm = in.list<Bytes>();
  return out;
}

}  // namespace concord::kit::wire
