/* SPDX-License-Identifier: MIT */
/* What a hostile decoder does to the memory of a call, and to its answer. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <concord/abi.h>

typedef struct Memory {
  concord_request* requests;
  concord_result* results;
  concord_family* families; /* or NULL */
  size_t count;
  int64_t labels;
} Memory;

static void fill(void* where, size_t bytes) {
  memset(where, 0x33, bytes);
}

static void f_overrun(Memory m) {
  m.results->F[m.labels * m.results->F_columns] = 3;
}
static void f_far_overrun(Memory m) {
  fill(m.results->F + m.labels * m.results->F_columns, 64);
}
static void f_underrun(Memory m) {
  m.results->F[-1] = 3;
}
static void results_overrun(Memory m) {
  fill(m.results + m.count, 16);
}
static void results_underrun(Memory m) {
  fill((char*)m.results - 16, 16);
}
static void requests_overrun(Memory m) {
  fill(m.requests + m.count, 16);
}
static void requests_underrun(Memory m) {
  fill((char*)m.requests - 16, 16);
}
static void message_overrun(Memory m) {
  fill(m.results->message, m.results->message_bytes + 1);
}
static void message_underrun(Memory m) {
  m.results->message[-1] = 'x';
}
static void message_endless(Memory m) {
  fill(m.results->message, m.results->message_bytes);
}
static void message_escape(Memory m) {
  snprintf(m.results->message, m.results->message_bytes, "\x1b[2J\xc2\x9b\xff=1+1");
}
static void warm_overrun(Memory m) {
  if (m.requests->warm != NULL) ((uint64_t*)m.requests->warm)[1] = 3;
}
static void warm_underrun(Memory m) {
  if (m.requests->warm != NULL) ((uint64_t*)m.requests->warm)[-1] = 3;
}
static void result_size(Memory m) {
  m.results->size = 0;
}
static void result_size_large(Memory m) {
  m.results->size = UINT32_MAX;
}
static void result_pointers(Memory m) {
  m.results->F = (double*)8;
  m.results->F_columns = INT64_MAX;
  m.results->message = (char*)8;
  m.results->message_bytes = SIZE_MAX;
}
static void request_fields(Memory m) {
  fill(m.requests, m.count * sizeof *m.requests);
}
static void request_c(Memory m) {
  for (int64_t v = 0; v < m.labels; ++v) ((double*)m.requests->c)[v] = NAN;
}
static void request_rows(Memory m) {
  if (m.requests->row_count > 0) ((concord_row*)m.requests->rows)->coefficients = (const double*)8;
  m.results->status = CONCORD_INFEASIBLE;
}
static void family_fields(Memory m) {
  if (m.families != NULL) fill(m.families, m.count * sizeof *m.families);
}
static void family_numbers(Memory m) {
  if (m.families == NULL) return;
  for (int64_t i = 0; i < m.labels * m.families->directions; ++i) m.families->D[i] = NAN;
  m.families->constants[0] = NAN;
}
static void counts_solved(Memory m) {
  m.results->solved = INT64_MAX;
}
static void counts_pruned(Memory m) {
  m.results->pruned = 1000000;
}
static void counts_nodes(Memory m) {
  m.results->nodes = INT64_MAX;
}
static void names_subproblem(Memory m) {
  m.results->subproblem = 7000000;
}
static void names_no_subproblem(Memory m) {
  m.results->subproblem = -1;
}
static void rank_huge(Memory m) {
  m.results->rank = INT64_MAX;
}
static void rank_negative(Memory m) {
  m.results->rank = INT64_MIN;
}
static void value_infinite(Memory m) {
  m.results->value = INFINITY;
}
static void nothing(Memory m) {
  (void)m;
}

static const struct Spoil {
  const char* name;
  void (*run)(Memory);
} spoils[] = {
    /* spoils: */
    {"f-overrun", f_overrun},
    {"f-far-overrun", f_far_overrun},
    {"f-underrun", f_underrun},
    {"results-overrun", results_overrun},
    {"results-underrun", results_underrun},
    {"requests-overrun", requests_overrun},
    {"requests-underrun", requests_underrun},
    {"message-overrun", message_overrun},
    {"message-underrun", message_underrun},
    {"message-endless", message_endless},
    {"message-escape", message_escape},
    {"warm-overrun", warm_overrun},
    {"warm-underrun", warm_underrun},
    {"warm-huge", nothing},
    {"warm-large", nothing},
    {"result-size", result_size},
    {"result-size-large", result_size_large},
    {"result-pointers", result_pointers},
    {"request-fields", request_fields},
    {"request-c", request_c},
    {"request-rows", request_rows},
    {"family-fields", family_fields},
    {"family-numbers", family_numbers},
    {"prior-numbers", nothing},
    {"counts-solved", counts_solved},
    {"counts-pruned", counts_pruned},
    {"counts-nodes", counts_nodes},
    {"names-subproblem", names_subproblem},
    {"names-no-subproblem", names_no_subproblem},
    {"rank-huge", rank_huge},
    {"rank-negative", rank_negative},
    {"value-infinite", value_infinite},
    {"summary-endless", nothing},
    {"summary-escape", nothing},
    {"name-changes", nothing},
    {"harmless", nothing},
    /* end of spoils */
};
