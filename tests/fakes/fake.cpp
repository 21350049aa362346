// SPDX-License-Identifier: MIT
// A decoder against the bare border that is right (sign of c, no proof) but for one fault, chosen when it is
// compiled by -DFAULT_NAME. It takes any prior and a cardinality.
#include <algorithm>
#include <cfenv>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <concord/abi.h>

#include "fake_process.hpp"

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Object {
  int64_t labels = 0;
  std::vector<double> A;
  double tol = 1;  ///< its option, if it has one
#if defined(FAULT_READS_FRESH_MEMORY)
  double never_set;
#endif
};

[[maybe_unused]] int32_t refuse(const concord_env* env, const char* why, int32_t status) {
  env->log(env->host, CONCORD_LOG_ERROR, why);
  return status;
}

int objects_created = 0;
const std::thread::id loaded_by = std::this_thread::get_id();

void* create([[maybe_unused]] const concord_env* env, [[maybe_unused]] const concord_value* values, size_t) {
#if defined(FAULT_CREATE)
  env->log(env->host, CONCORD_LOG_ERROR, "the worker did not start");
  return nullptr;
#elif defined(FAULT_OPTION_BOUND)
  if (values->real == 0) {
    env->log(env->host, CONCORD_LOG_ERROR, "tol must be positive");
    return nullptr;
  }
#endif
  ++objects_created;
  auto* object = new Object;
#if defined(FAULT_MORE_WORK)
  object->tol = values->real;
#endif
  return object;
}

void destroy(void* self) {
  delete static_cast<Object*>(self);
#if defined(FAULT_DESTROY_THROWS)
  throw std::runtime_error("thrown by destroy");
#endif
}

int32_t prepare(void* self, [[maybe_unused]] const concord_env* env, const concord_prior* prior) {
#if defined(FAULT_PREPARE)
  return refuse(env, "the factorisation broke down", CONCORD_FAILED);
#elif defined(FAULT_UNSUPPORTED)
  return refuse(env, "the prior is not banded", CONCORD_UNSUPPORTED);
#elif defined(FAULT_STRANGE_STATUS)
  return 77;
#elif defined(FAULT_SEGFAULT_IN_PREPARE)
  ::raise(SIGSEGV);
#endif
  auto& object = *static_cast<Object*>(self);
  object.labels = prior->labels;
  object.A.assign(prior->dense, prior->dense + prior->labels * prior->labels);
  return CONCORD_OK;
}

/// Whether this request gets the opposite labels: true and feasible, but another answer.
bool is_opposite([[maybe_unused]] const concord_env* env, const concord_request& q,
                 [[maybe_unused]] size_t position) {
  if (q.row_count > 0) return false;
#if defined(FAULT_WARM_CHANGES_ANSWER)
  auto* warm = static_cast<uint64_t*>(q.warm);
  return warm != nullptr && (*warm)++ > 0;
#elif defined(FAULT_DEPENDS_ON_THREAD)
  return std::this_thread::get_id() != loaded_by;
#elif defined(FAULT_LEAKS_STATE)
  return objects_created % 2 == 0;
#elif defined(FAULT_DEPENDS_ON_SEED)
  return q.seed % 2 == 0;
#elif defined(FAULT_DEPENDS_ON_POSITION)
  return position % 2 == 1;
#elif defined(FAULT_DEPENDS_ON_BUDGET)
  return env->threads > 1;
#else
  return false;
#endif
}

void answer(const Object& object, const concord_request& q, concord_result& r, bool opposite) {
  const int64_t V = object.labels;
  bool free = q.row_count == 0;
  int64_t left = free ? V : static_cast<int64_t>((q.rows->beta + static_cast<double>(V)) / 2);
#if defined(FAULT_IGNORES_CARDINALITY)
  left = V;
#elif defined(FAULT_FORGETS_EMPTY)
  free = left == 0 || free;
#endif
  for (int64_t v = 0; v < V; ++v) {
    const bool positive = free ? (q.c[v] > 0) != opposite : left-- > 0;
    r.F[v] = positive ? 1 : -1;
#if defined(FAULT_FALSE_TIGHTNESS)
    if (free) r.F[v] *= 2;
#elif defined(FAULT_OFF_SPHERE)
    if (free) r.F[v] /= 2;
#endif
  }
  r.value = 0;
  for (int64_t v = 0; v < V; ++v) {
    r.value += q.c[v] * r.F[v];
    for (int64_t w = 0; w < V; ++w) r.value -= r.F[v] * r.F[w] * object.A[static_cast<size_t>(v * V + w)];
  }
  r.rank = 1;
  r.status = CONCORD_FEASIBLE;
  r.bound = kNan;
  r.subproblem = 0;
  r.solved = 1;
  r.pruned = r.nodes = 0;
#if defined(FAULT_NAN_VALUE)
  r.value = kNan;
#elif defined(FAULT_NAN_FACTOR)
  r.F[0] = kNan;
#elif defined(FAULT_WRONG_VALUE)
  r.value += 0.5;
#elif defined(FAULT_WRONG_RANK)
  r.rank = 7;
#elif defined(FAULT_FRACTIONAL)
  r.value -= r.F[0] * q.c[0];
  for (int64_t w = 0; w < V; ++w) r.value += 2 * r.F[0] * r.F[w] * object.A[static_cast<size_t>(w)];
  r.F[0] = 0;
#elif defined(FAULT_FALSE_BOUND)
  r.bound = r.value - 1;
#elif defined(FAULT_FALSE_OPTIMUM)
  r.status = CONCORD_OPTIMAL;
  r.bound = r.value;
#elif defined(FAULT_INFINITE_BOUND)
  r.bound = HUGE_VAL;
#elif defined(FAULT_RESULT_STATUS)
  r.status = 42;
#elif defined(FAULT_FORGETS)
  r.status = CONCORD_OK;
#elif defined(FAULT_INFEASIBLE)
  r.status = CONCORD_INFEASIBLE;
#elif defined(FAULT_STOPS)
  r.status = CONCORD_STOPPED;
#elif defined(FAULT_UNDECLARED_BOUND)
  r.bound = r.value + 1;
#elif defined(FAULT_COUNTS)
  r.nodes = -5;
#elif defined(FAULT_LOSES_MESSAGE)
  r.message = nullptr;
  r.F = nullptr;
#elif defined(FAULT_FORGES_LINES)
  std::snprintf(r.message, r.message_bytes, "fine\nconcord: forged");
#elif defined(FAULT_TRAPS)
  feenableexcept(FE_INEXACT);
#elif defined(FAULT_RESULT_FAILED)
  r.status = CONCORD_FAILED;
  std::snprintf(r.message, r.message_bytes, "no convergence after 7 iterations");
#endif
}

int32_t solve(void* self, [[maybe_unused]] const concord_env* env, const concord_request* requests,
              concord_result* results, size_t count) {
  disturb(*env, *requests);
#if defined(FAULT_THROWS)
  throw std::runtime_error("thrown across the border");
#elif defined(FAULT_THROWS_INT)
  throw 7;
#elif defined(FAULT_SOLVE)
  return refuse(env, "lost the connection to the solver", CONCORD_FAILED);
#elif defined(FAULT_MORE_WORK)
  // Without end but for the deadline.
  while (static_cast<Object*>(self)->tol == 0 && env->seconds_left(env->host) > 0) {
  }
#elif defined(FAULT_WAITS)
  while (env->stop_requested(env->host) == 0 && env->seconds_left(env->host) > 0) ::usleep(1000);
#endif
  for (size_t i = 0; i < count; ++i) {
    concord_result* r = CONCORD_AT(concord_result, results, i);
    const concord_request& q = *CONCORD_AT(const concord_request, requests, i);
    bool opposite = is_opposite(env, q, i);
#if defined(FAULT_READS_FRESH_MEMORY)
    opposite = q.row_count == 0 && static_cast<Object*>(self)->never_set > 0;
#endif
    answer(*static_cast<Object*>(self), q, *r, opposite);
#if defined(FAULT_WAITS)
    r->status = env->stop_requested(env->host) != 0 ? CONCORD_STOPPED : CONCORD_LIMIT;
#endif
  }
  return CONCORD_OK;
}

[[maybe_unused]] int64_t max_rank(void*, int64_t labels) {
#if defined(FAULT_MAX_RANK)
  return labels * 1000;
#else
  return labels > 0 ? 1 : 0;
#endif
}

[[maybe_unused]] size_t warm_size(void*, int64_t) {
  return sizeof(uint64_t);
}

/// Looks at the first subproblem only.
[[maybe_unused]] int32_t solve_family(void* self, const concord_env*, const concord_request* requests,
                                      const concord_family* families, concord_result* results, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const concord_family& family = *CONCORD_AT(const concord_family, families, i);
    concord_request q = *CONCORD_AT(const concord_request, requests, i);
    concord_result& r = *CONCORD_AT(concord_result, results, i);
    std::vector<double> c(q.c, q.c + q.labels);
    for (int64_t v = 0; v < q.labels; ++v)
      for (int64_t m = 0; m < family.directions; ++m)
        c[static_cast<size_t>(v)] += family.D[m * q.labels + v] * family.coefficients[m];
    const concord_row row = {sizeof row, 0, nullptr, family.row_count > 0 ? family.beta[0] : kNan};
    q.c = c.data();
    q.rows = &row;
    q.row_count = std::isnan(row.beta) ? 0 : 1;
    answer(*static_cast<Object*>(self), q, r, false);
    r.value += family.constants[0];
  }
  return CONCORD_OK;
}

#if defined(FAULT_PROBE)
int32_t probe(const concord_env* env) {
  return refuse(env, "no licence: set FAKE_LICENCE_FILE", CONCORD_UNSUPPORTED);
}
#endif

#if defined(FAULT_OPTION_DEFAULT) || defined(FAULT_OPTION_BOUND) || defined(FAULT_MORE_WORK)
#if !defined(FAULT_OPTION_DEFAULT)
constexpr double kDefault = 0.5;
#else
constexpr double kDefault = 5;
#endif
const concord_value default_value = {
    sizeof default_value, CONCORD_REAL, "tol", 0, kDefault, nullptr, nullptr, 0};
const concord_option options[] = {
    {sizeof(concord_option), CONCORD_REAL, "tol", "tolerance", &default_value, 0, 1, nullptr, 0}};
#endif

const concord_capabilities capabilities = {
    sizeof capabilities,         CONCORD_PRIOR_ANY, 0,
#if defined(FAULT_IGNORES_ROWS)
    CONCORD_CONSTRAINTS_SUBSET,  // any row is taken for the cardinality
#else
    CONCORD_CONSTRAINTS_CARDINALITY,
#endif
#if defined(FAULT_WRONG_RANK) || defined(FAULT_MAX_RANK) || defined(FAULT_FALSE_TIGHTNESS)
    CONCORD_MOMENT_ANY,
#elif defined(FAULT_OFF_SPHERE)
    CONCORD_MOMENT_SPHERE,
#else
    CONCORD_MOMENT_RANK_ONE,
#endif
#if defined(FAULT_FALSE_OPTIMUM) || defined(FAULT_FALSE_BOUND) || defined(FAULT_NEVER_OPTIMAL) || \
    defined(FAULT_FAMILY_DIFFERS)
    CONCORD_MAY_BE_OPTIMAL,
#else
    CONCORD_HEURISTIC,
#endif
#if defined(FAULT_FALSE_TIGHTNESS)
    CONCORD_AS_TIGHT_AS_SPECTRAL
#elif defined(FAULT_WARM_CHANGES_ANSWER)
    CONCORD_WARM
#elif defined(FAULT_DEPENDS_ON_THREAD)
    CONCORD_REENTRANT
#else
    0
#endif
};

const concord_decoder functions = {sizeof functions,
                                   0,
                                   create,
                                   destroy,
                                   prepare,
                                   max_rank,
#if defined(FAULT_WARM_CHANGES_ANSWER)
                                   warm_size,
#else
                                   nullptr,
#endif
                                   solve,
#if defined(FAULT_FAMILY_DIFFERS)
                                   solve_family,
#else
                                   nullptr,
#endif
                                   nullptr};

concord_plugin_table make_table() {
  concord_plugin_table t{};
  t.magic = CONCORD_MAGIC;
  t.abi = CONCORD_ABI;
  t.size = sizeof t;
  t.kind = CONCORD_DECODER;
  t.name = FAKE_NAME;
  t.version = "1.0.0";
  t.summary = "right but for one fault";
  t.licence = "MIT";
  t.build_tag = "fake";
  t.capabilities = &capabilities;
  t.functions = &functions;
#if defined(FAULT_ABI)
  t.abi = 41;
#elif defined(FAULT_MAGIC)
  t.magic = 1;
#elif defined(FAULT_TABLE)
  t.summary = nullptr;
  t.version = nullptr;
#elif defined(FAULT_OPTION_DEFAULT) || defined(FAULT_OPTION_BOUND) || defined(FAULT_MORE_WORK)
  t.options = options;
  t.option_count = 1;
#elif defined(FAULT_PROBE)
  t.probe = probe;
#elif defined(FAULT_OTHER_NAME)
  t.name = "someone-else";
#elif defined(FAULT_OLDER_HEADER)
  t.size = offsetof(concord_plugin_table, functions);  // as if `functions` did not exist yet
#elif defined(FAULT_BEFORE_EXTENSIONS)  // no fault: the table of the first header, with anything behind it
  t.size = offsetof(concord_plugin_table, get_extension);
  t.get_extension = reinterpret_cast<const void* (*)(const char*)>(8);
#elif defined(FAULT_EXTENSION)          // no fault either
  t.get_extension = [](const char* id) -> const void* {
    static const int answer = 42;
    return std::string(id) == "answer" ? &answer : nullptr;
  };
#endif
  return t;
}

const concord_plugin_table table = make_table();

}  // namespace

#if defined(FAULT_EXPORTS_MORE)
extern "C" __attribute__((visibility("default"))) int helper_of_the_author(void) {
  return 1;
}
#endif

extern "C" __attribute__((visibility("default"))) const concord_plugin_table* concord_plugin(void) {
#if defined(FAULT_ENTRY_THROWS)
  throw 7;
#elif defined(FAULT_NO_TABLE)
  return nullptr;
#else
  return &table;
#endif
}
