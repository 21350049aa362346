/* SPDX-License-Identifier: MIT */
/* A decoder in plain C against abi.h alone. Any prior, any cardinality: every labelling is visited where they are
   few, which proves the optimum; elsewhere steepest ascent, without a proof. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <concord/abi.h>

typedef struct {
  int64_t enumerate_up_to; /* labels */
  int64_t labels;
  double* A;
} plain_c;

/* A labelling u with its value u'c - u'Au and its field h_v = c_v - 2 sum_j A_vj u_j: to flip v gains -2 u_v h_v. */
typedef struct {
  const plain_c* problem;
  const double* c;
  double *u, *h;
  double value;
} state;

static double gain_of_flip(const state* s, int64_t v) {
  return -2 * s->u[v] * s->h[v];
}

/* Flipping v and w at once, where u_v != u_w. */
static double gain_of_swap(const state* s, int64_t v, int64_t w) {
  return gain_of_flip(s, v) + gain_of_flip(s, w) + 8 * s->problem->A[v * s->problem->labels + w];
}

static void flip(state* s, int64_t v) {
  const int64_t V = s->problem->labels;
  const double* row = s->problem->A + v * V; /* symmetric, and its diagonal is zero */
  s->value += gain_of_flip(s, v);
  for (int64_t j = 0; j < V; ++j) s->h[j] += 4 * s->u[v] * row[j];
  s->u[v] = -s->u[v];
}

/* Value and field from their definitions: what flips leave of rounding errors is gone. */
static void resync(state* s) {
  const int64_t V = s->problem->labels;
  s->value = 0;
  for (int64_t v = 0; v < V; ++v) {
    double Au = 0;
    for (int64_t j = 0; j < V; ++j) Au += s->problem->A[v * V + j] * s->u[j];
    s->h[v] = s->c[v] - 2 * Au;
    s->value += s->u[v] * (s->c[v] - Au);
  }
}

/* CONCORD_OK, or the status with which to return the best so far. */
static int32_t interruption(const concord_env* env) {
  if (env->stop_requested(env->host)) return CONCORD_STOPPED;
  return env->seconds_left(env->host) <= 0 ? CONCORD_LIMIT : CONCORD_OK;
}

/* ---- steepest ascent --------------------------------------------------------------------------------- */

/* From all -1: the label of largest gain becomes +1, k times, or while it helps (k < 0). Then flips, or swaps with a
   cardinality, while one helps. Returns an interruption, or CONCORD_OK. */
static int32_t ascend(state* s, int64_t k, const concord_env* env) {
  const int64_t V = s->problem->labels;
  for (int64_t v = 0; v < V; ++v) s->u[v] = -1;
  resync(s);
  for (int64_t taken = 0; taken < (k < 0 ? V : k); ++taken) {
    int64_t best = -1;
    for (int64_t v = 0; v < V; ++v)
      if (s->u[v] < 0 && (best < 0 || gain_of_flip(s, v) > gain_of_flip(s, best))) best = v;
    if (best < 0 || (k < 0 && gain_of_flip(s, best) <= 0)) break;
    flip(s, best);
  }
  for (;;) {
    int64_t first = -1, second = -1;
    double most = 1e-12 * (1 + fabs(s->value)); /* less is rounding */
    for (int64_t v = 0; v < V; ++v) {
      if (k < 0 && gain_of_flip(s, v) > most) most = gain_of_flip(s, v), first = v;
      for (int64_t w = v + 1; k >= 0 && w < V; ++w)
        if (s->u[v] != s->u[w] && gain_of_swap(s, v, w) > most)
          most = gain_of_swap(s, v, w), first = v, second = w;
    }
    if (first < 0) return CONCORD_OK;
    flip(s, first);
    if (second >= 0) flip(s, second);
    resync(s);
    const int32_t cut = interruption(env);
    if (cut != CONCORD_OK) return cut;
  }
}

/* ---- enumeration ------------------------------------------------------------------------------------- */

/* From the labelling of ascend: all 2^V in the order of a Gray code, of which those with k positives count. Leaves
   the best in `best`. Returns an interruption, or CONCORD_OK. */
static int32_t enumerate(state* s, int64_t k, double* best, const concord_env* env) {
  const int64_t V = s->problem->labels;
  const double slack = 1e-12 * (1 + fabs(s->value));
  double value = s->value;
  int64_t positives = 0;
  memcpy(best, s->u, sizeof *best * (size_t)V);
  for (int64_t v = 0; v < V; ++v) positives += s->u[v] > 0;
  for (uint64_t i = 1; i < (uint64_t)1 << V; ++i) {
    int64_t v = 0;
    while (((i >> v) & 1) == 0) ++v;
    positives += s->u[v] < 0 ? 1 : -1;
    flip(s, v);
    if ((k < 0 || positives == k) && s->value > value + slack) {
      value = s->value;
      memcpy(best, s->u, sizeof *best * (size_t)V);
    }
    if (i % 1024 == 0) {
      const int32_t cut = interruption(env);
      if (cut != CONCORD_OK) return cut;
      resync(s);
    }
  }
  return CONCORD_OK;
}

/* ---- the border -------------------------------------------------------------------------------------- */

static void* create(const concord_env* env, const concord_value* values, size_t count) {
  plain_c* self = calloc(1, sizeof *self);
  (void)count; /* the values of all options, checked, in the order of their declaration below */
  if (self == NULL) {
    env->log(env->host, CONCORD_LOG_ERROR, "out of memory");
    return NULL;
  }
  self->enumerate_up_to = values->integer;
  return self;
}

static void destroy(void* object) {
  plain_c* self = object;
  free(self->A);
  free(self);
}

static int32_t prepare(void* object, const concord_env* env, const concord_prior* prior) {
  plain_c* self = object;
  const size_t bytes = sizeof *self->A * (size_t)(prior->labels * prior->labels);
  double* A = realloc(self->A, bytes);
  if (A == NULL) {
    env->log(env->host, CONCORD_LOG_ERROR, "out of memory");
    return CONCORD_FAILED;
  }
  memcpy(A, prior->dense, bytes); /* the host's pointer dies when this returns */
  self->A = A;
  self->labels = prior->labels;
  return CONCORD_OK;
}

static void solve_one(const plain_c* self, const concord_env* env, const concord_request* q,
                      concord_result* r, double* memory) {
  const int64_t V = self->labels;
  state s = {self, q->c, memory, memory + V, 0};
  const int64_t k = q->row_count == 0 ? -1 : (int64_t)((q->rows->beta + (double)V) / 2);
  int32_t cut = ascend(&s, k, env);
  memcpy(r->F, s.u, sizeof *r->F * (size_t)V);
  const int all = V <= self->enumerate_up_to;
  if (all && cut == CONCORD_OK) cut = enumerate(&s, k, r->F, env);
  memcpy(s.u, r->F, sizeof *s.u * (size_t)V);
  resync(&s);
  r->rank = 1;
  r->value = s.value;
  r->status = cut != CONCORD_OK ? cut : all ? CONCORD_OPTIMAL : CONCORD_FEASIBLE;
  r->bound = r->status == CONCORD_OPTIMAL ? s.value : NAN; /* a bound is a proof, or it is not there */
  r->subproblem = 0;
  r->solved = 1;
  r->pruned = r->nodes = 0;
}

static int32_t solve(void* object, const concord_env* env, const concord_request* requests,
                     concord_result* results, size_t count) {
  const plain_c* self = object;
  double* memory =
      malloc(sizeof *memory * (size_t)self->labels * 2); /* of this call: others may run beside it */
  if (memory == NULL) {
    env->log(env->host, CONCORD_LOG_ERROR, "out of memory");
    return CONCORD_FAILED;
  }
  for (size_t i = 0; i < count; ++i)
    solve_one(self, env, CONCORD_AT(const concord_request, requests, i),
              CONCORD_AT(concord_result, results, i), memory);
  free(memory);
  return CONCORD_OK;
}

static const concord_value default_limit = {
    .size = sizeof default_limit, .type = CONCORD_INT, .name = "enumerate_up_to", .integer = 14};
static const concord_option options[] = {
    {.size = sizeof options[0],
     .type = CONCORD_INT,
     .name = "enumerate_up_to",
     .help = "labels up to which all labellings are visited, for a proof",
     .default_value = &default_limit,
     .minimum = 0,
     .maximum = 30}};
static const concord_capabilities capabilities = {.size = sizeof capabilities,
                                                  .prior = CONCORD_PRIOR_ANY,
                                                  .constraints = CONCORD_CONSTRAINTS_CARDINALITY,
                                                  .moment = CONCORD_MOMENT_RANK_ONE,
                                                  .guarantee = CONCORD_MAY_BE_OPTIMAL,
                                                  .flags = CONCORD_REENTRANT};
static const concord_decoder functions = {
    .size = sizeof functions, .create = create, .destroy = destroy, .prepare = prepare, .solve = solve};
static const concord_plugin_table table = {.magic = CONCORD_MAGIC,
                                           .abi = CONCORD_ABI,
                                           .size = sizeof table,
                                           .kind = CONCORD_DECODER,
                                           .name = "plain-c",
                                           .version = "1.0.0",
                                           .summary = "any prior, in plain C: enumeration or steepest ascent",
                                           .licence = "MIT",
                                           .build_tag = "C11",
                                           .capabilities = &capabilities,
                                           .options = options,
                                           .option_count = 1,
                                           .functions = &functions};

__attribute__((visibility("default"))) const concord_plugin_table* concord_plugin(void) {
  return &table;
}
