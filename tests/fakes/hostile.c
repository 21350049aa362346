/* SPDX-License-Identifier: MIT */
/* A decoder in plain C that is right (sign of c, no proof) but for one thing, which the name of its file says: the same
   library under a hundred names. decoder-ACTION-in-PLACE.so does something to its process at that place;
   decoder-SPOIL.so spoils memory or its answer. The lists in hostile_actions.h and hostile_spoils.h are all there are, and
   hostile_names.cmake reads them. */
#define _GNU_SOURCE  // NOLINT(bugprone-reserved-identifier): the name that libc asks for
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <concord/abi.h>

#include "hostile_actions.h"
#include "hostile_spoils.h"

static char name[256];         /* of the plugin */
static char action[256];       /* the name up to "-in-" */
static const char* place = ""; /* what follows it */

static void at(const char* here, const concord_env* env) {
  if (strcmp(place, here) != 0) return;
  env_now = env;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i)
    if (strcmp(action, actions[i].name) == 0) actions[i].run();
}

static void spoil(Memory memory) {
  for (size_t i = 0; i < sizeof spoils / sizeof *spoils; ++i)
    if (strcmp(name, spoils[i].name) == 0) spoils[i].run(memory);
}

static int is(const char* wanted) {
  return strcmp(name, wanted) == 0;
}

struct Object {
  int64_t labels;
  double* A;
};

static concord_plugin_table table;
static char summary[1 << 20];

static void* create(const concord_env* env, const concord_value* values, size_t count) {
  (void)values;
  (void)count;
  at("create", env);
  return calloc(1, sizeof(struct Object));
}

static void destroy(void* self) {
  at("destroy", NULL);
  free(((struct Object*)self)->A);
  free(self);
}

static int32_t prepare(void* self, const concord_env* env, const concord_prior* prior) {
  struct Object* object = self;
  const size_t entries = (size_t)(prior->labels * prior->labels);
  at("prepare", env);
  object->labels = prior->labels;
  free(object->A);
  object->A = malloc(entries * sizeof(double));
  memcpy(object->A, prior->dense, entries * sizeof(double));
  if (is("prior-numbers")) fill((void*)prior->dense, entries * sizeof(double));
  if (is("name-changes")) table.name = (const char*)8;
  return CONCORD_OK;
}

static int64_t max_rank(void* self, int64_t labels) {
  (void)self;
  (void)labels;
  at("max-rank", NULL);
  return 1;
}

static size_t warm_size(void* self, int64_t labels) {
  (void)self;
  (void)labels;
  at("warm-size", NULL);
  return is("warm-huge") ? (size_t)1 << 32 : is("warm-large") ? (size_t)1 << 17 : sizeof(uint64_t);
}

static void answer(const struct Object* object, const double* c, const concord_row* row, double constant,
                   concord_result* r) {
  const int64_t V = object->labels;
  int64_t left = row == NULL ? V : (int64_t)((row->beta + (double)V) / 2);
  r->value = constant;
  for (int64_t v = 0; v < V; ++v) r->F[v] = (row == NULL ? c[v] > 0 : left-- > 0) ? 1 : -1;
  for (int64_t v = 0; v < V; ++v) {
    r->value += c[v] * r->F[v];
    for (int64_t w = 0; w < V; ++w) r->value -= r->F[v] * r->F[w] * object->A[v * V + w];
  }
  r->rank = r->solved = 1;
  r->status = CONCORD_FEASIBLE;
  r->bound = NAN;
  r->subproblem = r->pruned = r->nodes = 0;
}

static int32_t solve(void* self, const concord_env* env, const concord_request* requests,
                     concord_result* results, size_t count) {
  const struct Object* object = self;
  at("solve", env);
  for (size_t i = 0; i < count; ++i)
    answer(object, requests[i].c, requests[i].row_count > 0 ? requests[i].rows : NULL, 0, results + i);
  const Memory memory = {(concord_request*)requests, results, NULL, count, object->labels};
  spoil(memory);
  return CONCORD_OK;
}

/* Of the first subproblem only, which is all there is for the Hamming loss. */
static int32_t solve_family(void* self, const concord_env* env, const concord_request* requests,
                            const concord_family* families, concord_result* results, size_t count) {
  const struct Object* object = self;
  at("solve", env);
  for (size_t i = 0; i < count; ++i) {
    double c[4096];
    for (int64_t v = 0; v < object->labels; ++v) {
      c[v] = requests[i].c[v];
      for (int64_t m = 0; m < families[i].directions; ++m)
        c[v] += families[i].D[m * object->labels + v] * families[i].coefficients[m];
    }
    answer(object, c, NULL, families[i].constants[0], results + i);
  }
  const Memory memory = {(concord_request*)requests, results, (concord_family*)families, count,
                         object->labels};
  spoil(memory);
  return CONCORD_OK;
}

static int32_t probe(const concord_env* env) {
  at("probe", env);
  return CONCORD_OK;
}

static const concord_capabilities capabilities = {
    sizeof capabilities,     CONCORD_PRIOR_ANY, 0,           CONCORD_CONSTRAINTS_CARDINALITY,
    CONCORD_MOMENT_RANK_ONE, CONCORD_HEURISTIC, CONCORD_WARM};
static const concord_decoder functions = {sizeof functions, 0,         create, destroy,      prepare,
                                          max_rank,         warm_size, solve,  solve_family, NULL};

static void take_name(void) {
  Dl_info self;
  const char* file = dladdr(name, &self) != 0 ? self.dli_fname : "";
  const char* base = strrchr(file, '/');
  base = base == NULL ? file : base + 1;
  if (strncmp(base, "decoder-", 8) == 0) base += 8;
  snprintf(name, sizeof name, "%s", base);
  char* end = strstr(name, ".so");
  if (end != NULL) *end = '\0';
  snprintf(action, sizeof action, "%s", name);
  char* in = strstr(action, "-in-");
  if (in == NULL) return;
  *in = '\0';
  place = in + 4;
}

__attribute__((constructor)) static void load(void) {
  take_name();
  at("load", NULL);
}

__attribute__((destructor)) static void unload(void) {
  at("unload", NULL);
}

__attribute__((visibility("default"))) const concord_plugin_table* concord_plugin(void) {
  at("entry", NULL);
  snprintf(summary, sizeof summary, "right but for one thing");
  if (is("summary-endless")) memset(summary, 'a', sizeof summary);
  if (is("summary-escape"))
    snprintf(summary, sizeof summary,
             "\xc2\x9b"
             "31m\xff <b>=1+1");
  table.magic = CONCORD_MAGIC;
  table.abi = CONCORD_ABI;
  table.size = sizeof table;
  table.kind = CONCORD_DECODER;
  if (table.name == NULL) table.name = name;
  table.version = "1.0.0";
  table.summary = summary;
  table.licence = "MIT";
  table.build_tag = "fake";
  table.capabilities = &capabilities;
  table.probe = probe;
  table.functions = &functions;
  return &table;
}
