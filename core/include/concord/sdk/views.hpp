// SPDX-License-Identifier: MIT
#pragma once
// Eigen views of the structs in abi.h. They own nothing and die with the call.
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include <concord/abi.h>

namespace concord {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int64_t>;
using Labels = Eigen::Map<const Eigen::Array<int8_t, Eigen::Dynamic, 1>>;
using LabelsOut = Eigen::Map<Eigen::Array<int8_t, Eigen::Dynamic, 1>>;
using Counts = Eigen::Map<const Eigen::Array<int64_t, Eigen::Dynamic, 1>>;

/// Throw this from prepare or solve for a problem that this plugin cannot solve; say which property.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Env {
 public:
  explicit Env(const concord_env* env) : env_(env) {}
  int threads() const { return env_->threads; }
  bool stop_requested() const { return env_->stop_requested(env_->host) != 0; }
  double seconds_left() const { return env_->seconds_left(env_->host); }
  /// The status with which to return the best so far, if it is time to: poll it in long loops.
  std::optional<int32_t> interruption() const {
    if (stop_requested()) return CONCORD_STOPPED;
    if (seconds_left() <= 0) return CONCORD_LIMIT;
    return std::nullopt;
  }
  void log(int32_t level, const std::string& text) const { env_->log(env_->host, level, text.c_str()); }
  /// piece(0), ..., piece(count - 1), on the host's threads where it lends any: pieces must not share what they write. The
  /// exception of one that threw is thrown after the last. Abi is a parameter because abi.h may be older than its `run`.
  template <class Piece, class Abi = concord_env>
  void run(int64_t count, Piece&& piece) const {
    if constexpr (requires(const Abi& abi) { abi.run; }) {
      const Abi& abi = *env_;
      if (abi.size >= offsetof(Abi, run) + sizeof abi.run && abi.run != nullptr)
        return run_by(abi, count, piece);
    }
    for (int64_t i = 0; i < count; ++i) piece(i);
  }

 private:
  template <class Abi, class Piece>
  static void run_by(const Abi& abi, int64_t count, Piece& piece) {
    struct Context {
      Piece& piece;
      std::mutex mutex;
      std::exception_ptr failure;
    } context{piece, {}, nullptr};
    abi.run(
        abi.host, count,
        [](void* shared, int64_t i) {
          auto& own = *static_cast<Context*>(shared);
          try {
            own.piece(i);
          } catch (...) {
            const std::lock_guard lock(own.mutex);
            if (!own.failure) own.failure = std::current_exception();
          }
        },
        &context);
    if (context.failure) std::rethrow_exception(context.failure);
  }

  const concord_env* env_;
};

/// The stop() of a long loop: true once it is time to return, and the status with which to return then.
class Interruption {
 public:
  explicit Interruption(const Env& env) : env_(env) {}
  Interruption(const Interruption&) =
      delete;  ///< a copy would keep the status to itself: std::ref hands it on
  Interruption& operator=(const Interruption&) = delete;

  bool operator()() {
    if (!status_) status_ = env_.interruption();
    return status_.has_value();
  }
  const std::optional<int32_t>& status() const { return status_; }

 private:
  const Env& env_;
  std::optional<int32_t> status_;
};

class Prior {
 public:
  explicit Prior(const concord_prior* prior) : prior_(prior) {}
  int64_t labels() const { return prior_->labels; }
  bool is_sparse() const { return prior_->dense == nullptr; }
  /// requires !is_sparse(), which holds unless the plugin declares CONCORD_SPARSE_PRIOR.
  Eigen::Map<const Matrix> dense() const { return {prior_->dense, labels(), labels()}; }
  /// requires is_sparse()
  Eigen::Map<const SparseMatrix> sparse() const {
    return {labels(),      labels(), prior_->row_start[labels()], prior_->row_start, prior_->column,
            prior_->entry, nullptr};
  }

 private:
  const concord_prior* prior_;
};

class Request {
 public:
  explicit Request(const concord_request* request) : request_(request) {}
  int64_t labels() const { return request_->labels; }
  Eigen::Map<const Vector> c() const { return {request_->c, labels()}; }
  uint64_t seed() const { return request_->seed; }
  /// The cardinality k (how many labels are +1) if the problem has one.
  std::optional<int64_t> k() const {
    for (uint32_t r = 0; r < request_->row_count; ++r)
      if (row(r).coefficients == nullptr)
        return static_cast<int64_t>((row(r).beta + static_cast<double>(labels())) / 2);
    return std::nullopt;
  }
  /// All equality rows, for plugins that declare CONCORD_CONSTRAINTS_ROWS or CONCORD_CONSTRAINTS_SUBSET.
  uint32_t row_count() const { return request_->row_count; }
  const concord_row& row(uint32_t r) const { return *CONCORD_AT(const concord_row, request_->rows, r); }
  /// The coefficients of row r, all ones if it is the cardinality.
  Vector row_vector(uint32_t r) const {
    if (row(r).coefficients == nullptr) return Vector::Ones(labels());
    return Eigen::Map<const Vector>(row(r).coefficients, labels());
  }
  /// The host's memory for this instance, zero at first; empty when there is none.
  std::span<std::byte> warm(size_t bytes) const {
    if (request_->warm == nullptr) return {};
    return {static_cast<std::byte*>(request_->warm), bytes};
  }

 private:
  const concord_request* request_;
};

/// What a decoder fills. Status and value must be set; the rest has sensible defaults.
class Result {
 public:
  Result(concord_result* result, int64_t labels) : result_(result), labels_(labels) {}
  /// The first column of F.
  Eigen::Map<Vector> u() const { return {result_->F, labels_}; }
  /// The whole factor F = [u, G] with the given number of columns; sets the rank.
  Eigen::Map<Matrix> factor(int64_t rank) const {
    if (rank < 1 || rank > result_->F_columns) throw std::logic_error("rank exceeds max_rank(V)");
    result_->rank = rank;
    return {result_->F, labels_, rank};
  }
  void finish(int32_t status, double value, double bound) const {
    result_->status = status;
    result_->value = value;
    result_->bound = bound;
  }
  void winner(int64_t subproblem) const { result_->subproblem = subproblem; }
  void counters(int64_t solved, int64_t pruned, int64_t nodes = 0) const {
    result_->solved = solved;
    result_->pruned = pruned;
    result_->nodes = nodes;
  }
  void message(const std::string& text) const {
    if (result_->message_bytes == 0) return;
    const size_t n = std::min(text.size(), result_->message_bytes - 1);
    std::memcpy(result_->message, text.data(), n);
    result_->message[n] = '\0';
  }
  void fail(int32_t status, const std::string& why) const {
    result_->status = status;
    message(why);
  }

 private:
  concord_result* result_;
  int64_t labels_;
};

/// max over s of constants(s) + max_u { u'(c + D t(s)) - u'Au : rows }. Losses fill it, decoders read it.
class Family {
 public:
  explicit Family(const concord_family* family) {
    std::memcpy(&family_, family,
                std::min<size_t>(family->size, sizeof family_));  // the host's may be shorter
  }
  int64_t labels() const { return family_.labels; }
  int64_t size() const { return family_.subproblems; }
  int64_t row_count() const { return family_.row_count; }
  Eigen::Map<Matrix> D() const { return {family_.D, family_.labels, family_.directions}; }
  Eigen::Map<Vector> constants() const { return {family_.constants, family_.subproblems}; }
  /// Column s is t_s.
  Eigen::Map<Matrix> t() const { return {family_.coefficients, family_.directions, family_.subproblems}; }
  Eigen::Map<Matrix> rows() const { return {family_.rows, family_.labels, family_.row_count}; }
  /// Column s holds the right-hand sides of subproblem s; NaN: that row is not imposed.
  Eigen::Map<Matrix> beta() const { return {family_.beta, family_.row_count, family_.subproblems}; }

 private:
  concord_family family_{};
};

/// The counts of a family that a loss describes.
struct FamilyShape {
  int64_t subproblems = 1;
  int64_t directions = 0;
  int64_t rows = 0;
};

/// The relaxed solution as a rounding sees it.
class Relaxed {
 public:
  Relaxed(const concord_result* result, int64_t labels) : result_(result), labels_(labels) {}
  Eigen::Map<const Vector> u() const { return {result_->F, labels_}; }
  Eigen::Map<const Matrix> F() const { return {result_->F, labels_, result_->rank}; }

 private:
  const concord_result* result_;
  int64_t labels_;
};

/// The problem as a rounding sees it.
struct Problem {
  Prior prior;
  Request request;
};

}  // namespace concord
