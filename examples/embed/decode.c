/* SPDX-License-Identifier: MIT */
/* Two problems with one prior, solved by branch and bound: which tags does a photograph have? */
#include <stdio.h>

#include <concord/concord.h>

enum { V = 4, COUNT = 2 };

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, concord_last_error()->text);
  return 1;
}

int main(void) {
  static const char* const names[V] = {"beach", "sea", "indoor", "outdoor"};
  /* A < 0 attracts, A > 0 repels. */
  static const double A[V * V] = {0,   -.5, .3, 0,  /* beach */
                                  -.5, 0,   .3, 0,  /* sea */
                                  .3,  .3,  0,  .8, /* indoor */
                                  0,   0,   .8, 0}; /* outdoor */
  static const double c[COUNT * V] = {1, -.2, .1, .4, -1, -1, .2, .1};
  concord_session* session = NULL;
  if (concord_open(NULL, 0, &session) != CONCORD_OK) return fail("open");

  const concord_prior prior = {.size = sizeof prior, .labels = V, .dense = A};
  const concord_problems problems = {
      .size = sizeof problems, .prior = &prior, .count = COUNT, .c = c, .decoder = "exact", .seed = 1};
  int8_t labels[COUNT * V];
  double objective[COUNT], bound[COUNT];
  int32_t status[COUNT];
  concord_answers answers = {
      .size = sizeof answers, .labels = labels, .objective = objective, .bound = bound, .status = status};
  if (concord_decode(session, &problems, NULL, &answers) != CONCORD_OK) return fail("decode");

  for (int i = 0; i < COUNT; ++i) {
    printf("%.3g of at most %.3g%s:", objective[i], bound[i], status[i] == CONCORD_OPTIMAL ? ", proven" : "");
    for (int v = 0; v < V; ++v)
      if (labels[i * V + v] > 0) printf(" %s", names[v]);
    printf("\n");
  }
  concord_close(session);
  return 0;
}
