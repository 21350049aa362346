// SPDX-License-Identifier: MIT
// A decoder against the bare border that is right (sign of c, no proof) but for one fault, chosen when it is
// compiled by -DFAULT_NAME. It takes any prior and a cardinality.
#include <algorithm>
#include <cfenv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include <concord/abi.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Object {
  int64_t labels = 0;
  std::vector<double> A;
};

[[maybe_unused]] int32_t refuse(const concord_env* env, const char* why, int32_t status) {
  env->log(env->host, CONCORD_LOG_ERROR, why);
  return status;
}

#if defined(FAULT_CRASH_ON_LOAD) || defined(FAULT_EXIT_ON_LOAD) || defined(FAULT_HANG_ON_LOAD) || \
    defined(FAULT_CHANGES_PROCESS)
struct OnLoad {
  OnLoad() {
#if defined(FAULT_CRASH_ON_LOAD)
    std::abort();
#elif defined(FAULT_EXIT_ON_LOAD)
    std::_Exit(0);
#elif defined(FAULT_HANG_ON_LOAD)
    for (;;) ::pause();
#else
    std::setlocale(LC_ALL, "C.UTF-8");
    if (::chdir("/") != 0) std::abort();
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
#endif
#endif
  }
} on_load;
#endif

void* create(const concord_env* env, const concord_value*, size_t) {
#if defined(FAULT_CREATE)
  env->log(env->host, CONCORD_LOG_ERROR, "the worker did not start");
  return nullptr;
#else
  (void)env;
  return new Object;
#endif
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
#endif
  auto& object = *static_cast<Object*>(self);
  object.labels = prior->labels;
  object.A.assign(prior->dense, prior->dense + prior->labels * prior->labels);
  return CONCORD_OK;
}

void answer(const Object& object, const concord_request& q, concord_result& r) {
  const int64_t V = object.labels;
  int64_t left = q.row_count == 0 ? V : static_cast<int64_t>((q.rows->beta + static_cast<double>(V)) / 2);
#if defined(FAULT_IGNORES_CARDINALITY)
  left = V;
#endif
  for (int64_t v = 0; v < V; ++v) {
    const bool positive = q.row_count == 0 ? q.c[v] > 0 : left-- > 0;
    r.F[v] = positive ? 1 : -1;
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
#if defined(FAULT_THROWS)
  throw std::runtime_error("thrown across the border");
#elif defined(FAULT_THROWS_INT)
  throw 7;
#elif defined(FAULT_SOLVE)
  return refuse(env, "lost the connection to the solver", CONCORD_FAILED);
#elif defined(FAULT_PRINTS)
  std::printf("{\"decoder\": \"not a result\"}\n");
  std::fflush(stdout);
#elif defined(FAULT_TELLS_ENVIRONMENT)
  // As the process was started with, which setenv() does not change.
  std::ifstream environment("/proc/self/environ");
  for (std::string variable; std::getline(environment, variable, '\0');)
    if (variable.starts_with("OPENBLAS_")) env->log(env->host, CONCORD_LOG_WARNING, variable.c_str());
#elif defined(FAULT_CRASH_IN_SOLVE)
  std::abort();
#elif defined(FAULT_WAITS)
  while (env->stop_requested(env->host) == 0 && env->seconds_left(env->host) > 0) ::usleep(1000);
#endif
  for (size_t i = 0; i < count; ++i) {
    concord_result* r = CONCORD_AT(concord_result, results, i);
    answer(*static_cast<Object*>(self), *CONCORD_AT(const concord_request, requests, i), *r);
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

#if defined(FAULT_PROBE)
int32_t probe(const concord_env* env) {
  return refuse(env, "no licence: set FAKE_LICENCE_FILE", CONCORD_UNSUPPORTED);
}
#endif

#if defined(FAULT_OPTION_DEFAULT)
const concord_value default_value = {sizeof default_value, CONCORD_REAL, "tol", 0, 5.0, nullptr, nullptr, 0};
const concord_option options[] = {
    {sizeof(concord_option), CONCORD_REAL, "tol", "tolerance", &default_value, 0, 1, nullptr, 0}};
#endif

const concord_capabilities capabilities = {sizeof capabilities,
                                           CONCORD_PRIOR_ANY,
                                           0,
                                           CONCORD_CONSTRAINTS_CARDINALITY,
#if defined(FAULT_WRONG_RANK) || defined(FAULT_MAX_RANK)
                                           CONCORD_MOMENT_ANY,
#else
                                           CONCORD_MOMENT_RANK_ONE,
#endif
#if defined(FAULT_FALSE_OPTIMUM) || defined(FAULT_FALSE_BOUND)
                                           CONCORD_MAY_BE_OPTIMAL,
#else
                                           CONCORD_HEURISTIC,
#endif
                                           0};

const concord_decoder functions = {sizeof functions, 0,       create, destroy, prepare,
                                   max_rank,         nullptr, solve,  nullptr};

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
#elif defined(FAULT_OPTION_DEFAULT)
  t.options = options;
  t.option_count = 1;
#elif defined(FAULT_PROBE)
  t.probe = probe;
#elif defined(FAULT_OTHER_NAME)
  t.name = "someone-else";
#elif defined(FAULT_OLDER_HEADER)
  t.size = offsetof(concord_plugin_table, functions);  // as if `functions` did not exist yet
#endif
  return t;
}

const concord_plugin_table table = make_table();

}  // namespace

extern "C" __attribute__((visibility("default"))) const concord_plugin_table* concord_plugin(void) {
#if defined(FAULT_ENTRY_THROWS)
  throw 7;
#elif defined(FAULT_NO_TABLE)
  return nullptr;
#else
  return &table;
#endif
}
