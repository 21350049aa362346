// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "api/handles.hpp"
#include "config/entries.hpp"
#include "solve/pipeline.hpp"

namespace concord::api {
namespace {

constexpr double kLargestSum = 1e300;  // as for problem files: every objective made of the numbers is finite

/// The sum of magnitudes, which is finite only if all numbers are.
double magnitude(const double* numbers, int64_t count, const char* what) {
  const double sum = Eigen::Map<const Eigen::ArrayXd>(numbers, count).abs().sum();
  if (sum <= kLargestSum) return sum;
  for (int64_t i = 0; i < count; ++i)
    if (!std::isfinite(numbers[i]))
      fail(Fault::input, About{"", what}, "{} holds {} at {}; all numbers must be finite", what, numbers[i],
           i);
  fail(Fault::input, About{"", what},
       "{} is too large: the magnitudes of its numbers add up to more than {:g}", what, kLargestSum);
}

[[noreturn]] void refuse_asymmetry(int64_t i, int64_t j, double one, double other) {
  fail(Fault::input, About{"", "A", "A symmetric matrix has the same objective: (A + A') / 2"},
       "A is not symmetric: it has {} at ({}, {}) and {} at ({}, {})", one, i, j, other, j, i);
}

PriorMatrix read_dense_prior(const double* numbers, int64_t V) {
  magnitude(numbers, V * V, "A");
  Eigen::MatrixXd A = Eigen::Map<const Eigen::MatrixXd>(numbers, V, V);
  for (int64_t j = 0; j < V; ++j)
    for (int64_t i = 0; i < j; ++i)
      if (A(i, j) != A(j, i)) refuse_asymmetry(i, j, A(i, j), A(j, i));
  return PriorMatrix(std::move(A));
}

PriorMatrix read_sparse_prior(const concord_prior& prior) {
  require(prior.row_start, "A (neither dense nor sparse)");
  const concord_features rows{sizeof(concord_features),
                              8,
                              prior.labels,
                              prior.labels,
                              nullptr,
                              prior.row_start,
                              prior.column,
                              prior.entry};
  SparseMatrix A = read_features(rows, 0, prior.labels).sparse();
  magnitude(A.valuePtr(), A.nonZeros(), "A");
  const SparseMatrix other = A.transpose();
  for (int64_t i = 0; i < A.rows(); ++i)
    for (SparseMatrix::InnerIterator entry(A, i); entry; ++entry)
      if (const double mirrored = other.coeff(i, entry.col()); mirrored != entry.value())
        refuse_asymmetry(i, entry.col(), entry.value(), mirrored);
  return PriorMatrix(A);
}

PriorMatrix read_prior(const concord_prior* given) {
  const concord_prior prior = read_struct(given, "the prior");
  if (prior.labels < 1)
    fail(Fault::input, About{"", "A"}, "A has {} labels; at least 1 is needed", prior.labels);
  return prior.dense != nullptr ? read_dense_prior(prior.dense, prior.labels) : read_sparse_prior(prior);
}

/// Where the answer to each problem goes.
class Sink {
 public:
  Sink(const concord_answers& answers, int64_t V) : answers_(answers), V_(V) {}

  void operator()(int64_t i, const Pipeline::Solved& solved) const {
    if (answers_.labels != nullptr)
      Eigen::Map<LabelVector>(answers_.labels + i * V_, V_) = solved.labelled.labels;
    if (answers_.u != nullptr) Eigen::Map<Eigen::VectorXd>(answers_.u + i * V_, V_) = solved.relaxed.u();
    put(answers_.objective, i, solved.labelled.value);
    put(answers_.bound, i, solved.bound);
    put(answers_.value, i, solved.relaxed.value);
    put(answers_.status, i, solved.relaxed.status);
    put(answers_.nodes, i, solved.relaxed.nodes);
  }

 private:
  template <class Number>
  static void put(Number* numbers, int64_t i, Number value) {
    if (numbers != nullptr) numbers[i] = value;
  }

  const concord_answers& answers_;
  int64_t V_;
};

}  // namespace
}  // namespace concord::api

using namespace concord;
using namespace concord::api;

extern "C" int32_t concord_decode(concord_session* session, const concord_problems* problems,
                                  const concord_run* run, concord_answers* answers) {
  return guarded([&] {
    require(session, "the session");
    const concord_problems given = read_struct(problems, "concord_problems");
    const concord_answers places = read_struct(answers, "concord_answers");
    Run how(run);
    how.set_deadline(given.time_limit);
    BatchRequest request;
    request.A = read_prior(given.prior);
    const int64_t V = request.A.labels();
    if (given.count < 0) fail(Fault::input, About{"", "count"}, "there are {} problems", given.count);
    if (given.count == 0) return;
    require(given.c, "c");
    magnitude(given.c, given.count * V, "c");
    for (int64_t i = 0; given.cardinality != nullptr && i < given.count; ++i)
      if (given.cardinality[i] > V)
        fail(Fault::input, About{"", "cardinality"},
             "the cardinality of problem {} is {}, and there are {} labels", i, given.cardinality[i], V);
    request.decoder = given.decoder != nullptr ? given.decoder : "sdp-mixing";
    if (given.rounding != nullptr) request.rounding = chain_of(given.rounding, "rounding");
    if (given.options != nullptr)
      request.settings = scoped_settings(parse_json(given.options, "options"), "options");
    request.count = given.count;
    request.c = given.c;
    request.k = given.cardinality;
    request.seed = given.seed;
    solve_batch(session->registry(), request, how.threads(), how.control(), Sink(places, V));
  });
}
