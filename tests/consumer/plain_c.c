/* SPDX-License-Identifier: MIT */
/* A decoder in plain C against abi.h alone: A = 0, sign(c), or the k largest entries of c. */
#include <stdlib.h>

#include <concord/abi.h>

typedef struct {
  int64_t labels;
} plain_c;

static void* create(const concord_env* env, const concord_value* values, size_t count) {
  plain_c* self = malloc(sizeof *self);
  (void)values, (void)count;
  if (self == NULL) env->log(env->host, CONCORD_LOG_ERROR, "out of memory");
  return self;
}

static void destroy(void* self) {
  free(self);
}

static int32_t prepare(void* self, const concord_env* env, const concord_prior* prior) {
  const int64_t V = prior->labels;
  for (int64_t i = 0; i < V * V; ++i)
    if (prior->dense[i] != 0) {
      env->log(env->host, CONCORD_LOG_ERROR, "it needs A = 0");
      return CONCORD_UNSUPPORTED;
    }
  ((plain_c*)self)->labels = V;
  return CONCORD_OK;
}

/* Whether label v is among the k largest of c; ties to the lower index. */
static int in_top(const double* c, int64_t V, int64_t v, int64_t k) {
  int64_t before = 0;
  for (int64_t j = 0; j < V; ++j) before += c[j] > c[v] || (c[j] == c[v] && j < v);
  return before < k;
}

static int32_t solve(void* self, const concord_env* env, const concord_request* requests,
                     concord_result* results, size_t count) {
  const int64_t V = ((plain_c*)self)->labels;
  (void)env;
  for (size_t i = 0; i < count; ++i) {
    const concord_request* q = CONCORD_AT(const concord_request, requests, i);
    concord_result* r = CONCORD_AT(concord_result, results, i);
    r->value = 0;
    for (int64_t v = 0; v < V; ++v) {
      const int positive =
          q->row_count == 0 ? q->c[v] > 0 : in_top(q->c, V, v, (int64_t)((q->rows->beta + (double)V) / 2));
      r->F[v] = positive ? 1 : -1;
      r->value += r->F[v] * q->c[v];
    }
    r->rank = 1;
    r->bound = r->value;
    r->status = CONCORD_OPTIMAL;
    r->subproblem = 0;
    r->solved = 1;
    r->pruned = r->nodes = 0;
  }
  return CONCORD_OK;
}

static const concord_capabilities capabilities = {
    sizeof capabilities,    CONCORD_PRIOR_ZERO, 0, CONCORD_CONSTRAINTS_CARDINALITY, CONCORD_MOMENT_RANK_ONE,
    CONCORD_MAY_BE_OPTIMAL, CONCORD_REENTRANT};
static const concord_decoder functions = {
    sizeof functions, 0, create, destroy, prepare, NULL, NULL, solve, NULL, NULL};
static const concord_plugin_table table = {CONCORD_MAGIC,
                                           CONCORD_ABI,
                                           sizeof table,
                                           CONCORD_DECODER,
                                           0,
                                           "plain-c",
                                           "1.0.0",
                                           "independent labels, in plain C",
                                           "MIT",
                                           "C11",
                                           &capabilities,
                                           NULL,
                                           0,
                                           NULL,
                                           &functions};

__attribute__((visibility("default"))) const concord_plugin_table* concord_plugin(void) {
  return &table;
}
