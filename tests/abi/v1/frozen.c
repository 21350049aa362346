/* SPDX-License-Identifier: MIT */
/* A decoder against the first header of ABI 1, which must keep loading: all labellings of up to 12 labels, in the
   order of their binary numbers. With FROZEN_OLDER its header had a shorter concord_decoder; with FROZEN_NEWER it had
   fields appended to every struct that a plugin hands out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <concord/abi.h>

#define LARGEST 12

typedef struct {
  int64_t labels;
  int64_t poll;
  int last_of_equals;
  double A[LARGEST * LARGEST];
} frozen;

static void* create(const concord_env* env, const concord_value* values, size_t count) {
  frozen* self = calloc(1, sizeof *self);
  if (self == NULL) {
    env->log(env->host, CONCORD_LOG_ERROR, "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < count; ++i) {
    const concord_value* value = CONCORD_AT(const concord_value, values, i);
    if (strcmp(value->name, "ties") == 0) self->last_of_equals = strcmp(value->text, "last") == 0;
    if (strcmp(value->name, "poll") == 0) self->poll = value->integer;
  }
  return self;
}

static void destroy(void* self) {
  free(self);
}

static int32_t prepare(void* self, const concord_env* env, const concord_prior* prior) {
  frozen* me = self;
  if (prior->labels > LARGEST) {
    env->log(env->host, CONCORD_LOG_ERROR, "more than 12 labels");
    return CONCORD_UNSUPPORTED;
  }
  me->labels = prior->labels;
  memcpy(me->A, prior->dense, (size_t)(prior->labels * prior->labels) * sizeof *me->A);
  return CONCORD_OK;
}

/* u'c - u'Au for the labels whose bits are set. */
static double value_of(const frozen* me, const double* c, int64_t bits, double* u) {
  const int64_t V = me->labels;
  double value = 0;
  for (int64_t v = 0; v < V; ++v) u[v] = (bits >> v & 1) != 0 ? 1 : -1;
  for (int64_t v = 0; v < V; ++v) {
    double h = c[v];
    for (int64_t w = 0; w < V; ++w) h -= me->A[v * V + w] * u[w];
    value += u[v] * h;
  }
  return value;
}

static int64_t positives(int64_t bits) {
  int64_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

static void solve_one(const frozen* me, const concord_env* env, const concord_request* q, concord_result* r) {
  const int64_t V = me->labels;
  const int64_t k = q->row_count == 0 ? -1 : (int64_t)((q->rows->beta + (double)V) / 2);
  double u[LARGEST];
  int found = 0;
  r->status = CONCORD_OPTIMAL;
  for (int64_t bits = 0; bits < (int64_t)1 << V; ++bits) {
    if (found && bits % me->poll == 0) {
      if (env->stop_requested(env->host)) r->status = CONCORD_STOPPED;
      if (env->seconds_left(env->host) <= 0) r->status = CONCORD_LIMIT;
      if (r->status != CONCORD_OPTIMAL) break;
    }
    if (k >= 0 && positives(bits) != k) continue;
    const double value = value_of(me, q->c, bits, u);
    if (found && (me->last_of_equals ? value < r->value : value <= r->value)) continue;
    found = 1;
    r->value = value;
    memcpy(r->F, u, (size_t)V * sizeof *u);
  }
  if (!found) r->status = CONCORD_INFEASIBLE;
  r->rank = 1;
  r->bound = r->status == CONCORD_OPTIMAL ? r->value : (double)NAN;
  r->subproblem = 0;
  r->solved = 1;
  r->pruned = r->nodes = 0;
}

static int32_t solve(void* self, const concord_env* env, const concord_request* requests,
                     concord_result* results, size_t count) {
  for (size_t i = 0; i < count; ++i)
    solve_one(self, env, CONCORD_AT(const concord_request, requests, i),
              CONCORD_AT(concord_result, results, i));
  return CONCORD_OK;
}

/* The structs as the header of this plugin knows them. */
#if defined(FROZEN_NEWER)
#define NAME "newer"
#define APPENDED char appended[24];
#elif defined(FROZEN_OLDER)
#define NAME "older"
#define APPENDED
#else
#define NAME "frozen"
#define APPENDED
#endif
/* clang-format off */
typedef struct { concord_value known; APPENDED } own_value;
typedef struct { concord_option known; APPENDED } own_option;
typedef struct { concord_capabilities known; APPENDED } own_capabilities;
typedef struct { concord_plugin_table known; APPENDED } own_table;
typedef struct { concord_decoder known; APPENDED } own_decoder;
/* clang-format on */
#if defined(FROZEN_OLDER)
#define DECODER_SIZE offsetof(concord_decoder, flags)
static uint32_t beyond(void* self) {
  (void)self;
  abort(); /* nobody may look beyond the size */
}
#define BEYOND beyond
#else
#define DECODER_SIZE sizeof(own_decoder)
#define BEYOND NULL
#endif

static const char* const choices[] = {"first", "last"};
static const own_value ties = {
    .known = {.size = sizeof ties, .type = CONCORD_CHOICE, .name = "ties", .text = "first"}};
static const own_value poll = {
    .known = {.size = sizeof poll, .type = CONCORD_INT, .name = "poll", .integer = 256}};
static const own_option options[] = {{.known = {.size = sizeof *options,
                                                .type = CONCORD_CHOICE,
                                                .name = "ties",
                                                .help = "which of equally good labellings",
                                                .default_value = &ties.known,
                                                .minimum = -INFINITY,
                                                .maximum = INFINITY,
                                                .choices = choices,
                                                .choice_count = 2}},
                                     {.known = {.size = sizeof *options,
                                                .type = CONCORD_INT,
                                                .name = "poll",
                                                .help = "labellings between two looks at the clock",
                                                .default_value = &poll.known,
                                                .minimum = 1,
                                                .maximum = 4096}}};
static const own_capabilities capabilities = {.known = {.size = sizeof capabilities,
                                                        .prior = CONCORD_PRIOR_ANY,
                                                        .max_labels = LARGEST,
                                                        .constraints = CONCORD_CONSTRAINTS_CARDINALITY,
                                                        .moment = CONCORD_MOMENT_RANK_ONE,
                                                        .guarantee = CONCORD_MAY_BE_OPTIMAL,
                                                        .flags = CONCORD_REENTRANT}};
static const own_decoder functions = {.known = {.size = DECODER_SIZE,
                                                .create = create,
                                                .destroy = destroy,
                                                .prepare = prepare,
                                                .solve = solve,
                                                .flags = BEYOND}};
static const own_table table = {.known = {.magic = CONCORD_MAGIC,
                                          .abi = CONCORD_ABI,
                                          .size = sizeof table,
                                          .kind = CONCORD_DECODER,
                                          .name = NAME,
                                          .version = "1.0.0",
                                          .summary = "all labellings, by the first header of ABI 1",
                                          .licence = "MIT",
                                          .build_tag = "C11",
                                          .capabilities = &capabilities.known,
                                          .options = &options->known,
                                          .option_count = 2,
                                          .functions = &functions}};

__attribute__((visibility("default"))) const concord_plugin_table* concord_plugin(void) {
  return &table.known;
}
