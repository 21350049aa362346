// SPDX-License-Identifier: MIT
#pragma once
// Questions and answers between an SDP decoder and its worker process, as bytes: a header with the length,
// then plain numbers in the order of the functions below. Both sides are built together, on one machine.
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <concord/kit/sdp_answer.hpp>

namespace concord::kit::wire {

using Bytes = std::vector<char>;

struct Header {
  uint64_t magic;
  uint64_t bytes;  ///< that follow
};
inline constexpr uint64_t kMagic = 0x31504453434e4f43;  // "CONCSDP1"

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
  void put(const std::string& text) {
    put(static_cast<int64_t>(text.size()));
    append(text.data(), text.size());
  }
  Bytes take() {
    const Header header{kMagic, bytes_.size() - sizeof(Header)};
    std::memcpy(bytes_.data(), &header, sizeof header);
    return std::move(bytes_);
  }

 private:
  void append(const void* data, size_t size) {
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
    if (rows < 0 || cols < 0 || (cols > 0 && rows > std::numeric_limits<int32_t>::max() / cols)) cut_short();
    Matrix X(rows, cols);
    const auto count = static_cast<size_t>(rows * cols);
    const char* data = take(count, sizeof(double));
    if (count > 0) std::memcpy(X.data(), data, count * sizeof(double));
    return X;
  }
  std::string text() {
    const auto size = get<int64_t>();
    if (size < 0) cut_short();
    const char* data = take(static_cast<size_t>(size), 1);
    return {data, static_cast<size_t>(size)};
  }

 private:
  [[noreturn]] static void cut_short() {
    throw std::runtime_error("a message between the decoder and its worker is malformed");
  }
  const char* take(size_t count, size_t each) {
    if (count > bytes_.size() / each) cut_short();
    const char* data = bytes_.data();
    bytes_ = bytes_.subspan(count * each);
    return data;
  }
  std::span<const char> bytes_;
};

inline Bytes question(const SdpProblem& problem, double tol) {
  Writer out;
  out.put(problem.A);
  out.put(problem.c);
  out.put(problem.beta);
  out.put(static_cast<int32_t>(problem.form));
  out.put(tol);
  return out.take();
}

struct Question {
  Matrix A;
  Matrix c;
  double beta;
  CardinalityForm form;
  double tol;

  explicit Question(std::span<const char> bytes) {
    Reader in(bytes);
    A = in.matrix();
    c = in.matrix();
    beta = in.get<double>();
    form = static_cast<CardinalityForm>(in.get<int32_t>());
    tol = in.get<double>();
  }
  SdpProblem problem() const { return {A, c.col(0), beta, form}; }
};

inline Bytes failure(const std::string& why) {
  Writer out;
  out.put(int32_t{0});
  out.put(why);
  return out.take();
}

inline Bytes answer(const SdpAnswer& answer) {
  Writer out;
  out.put(int32_t{1});
  out.put(answer.M);
  out.put(answer.X);
  out.put(answer.y);
  out.put(answer.mu);
  out.put(answer.objective);
  out.put(answer.remark);
  return out.take();
}

/// Throws what the worker says when it has no answer.
inline SdpAnswer read_answer(std::span<const char> bytes) {
  Reader in(bytes);
  if (in.get<int32_t>() == 0) throw std::runtime_error(in.text());
  SdpAnswer answer;
  answer.M = in.matrix();
  answer.X = in.matrix();
  answer.y = in.matrix();
  answer.mu = in.get<double>();
  answer.objective = in.get<double>();
  answer.remark = in.text();
  return answer;
}

}  // namespace concord::kit::wire
