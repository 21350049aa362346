/* SPDX-License-Identifier: MIT */
/* A decoder in plain C that is right (sign of c, no proof) but for one thing, which the name of its file says: the same
   library under a hundred names. decoder-ACTION-in-PLACE.so does something to its process at that place;
   decoder-SPOIL.so spoils memory or its answer. The lists below are all there are; CMakeLists.txt reads them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <concord/abi.h>

static char name[256];         /* of the plugin */
static char action[256];       /* the name up to "-in-" */
static const char* place = ""; /* what follows it */
static const concord_env* env_now = NULL;

/* ---- what it does to its process ------------------------------------------------------------------ */

static void log_text(const char* text) {
  if (env_now != NULL) env_now->log(env_now->host, CONCORD_LOG_WARNING, text);
}

static void do_exit(void) {
  exit(0);
}
static void do_exit3(void) {
  exit(3);
}
static void do_underscore_exit(void) {
  _exit(0);
}
static void do_quick_exit(void) {
  quick_exit(0);
}
static void do_syscall_exit(void) {
  syscall(SYS_exit_group, 0);
}
static void do_abort(void) {
  abort();
}
static void do_segfault(void) {
  *(volatile int*)8 = 1;
}
static void do_jump_nowhere(void) {
  ((void (*)(void))(uintptr_t)16)();
}
static void do_divide(void) {
  raise(SIGFPE);
}
static void do_illegal(void) {
  __builtin_trap();
}
static void do_kill(void) {
  kill(getpid(), SIGKILL);
}
static void do_terminate(void) {
  raise(SIGUSR1);
}
static void do_pthread_exit(void) {
  pthread_exit(NULL);
}

static volatile int depth;
static int deeper(int n) {
  volatile char room[4096];
  room[0] = (char)n;
  depth = deeper(n + 1) + room[0];
  return depth;
}
static void do_overflow(void) {
  deeper(0);
}

static void do_longjmp(void) {
  jmp_buf nowhere;
  memset(&nowhere, 0x5a, sizeof nowhere);
  longjmp(nowhere, 1);
}

static void* wait_a_bit(void* unused) {
  (void)unused;
  usleep(50000);
  *(volatile int*)8 = 1;
  return NULL;
}
static void do_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_a_bit, NULL) == 0) pthread_join(thread, NULL);
}

/* No process of these may be left. They sleep for longer than any test takes. */
static void sleeper(void) {
  for (int i = 0; i < 600; ++i) usleep(1000000);
  _exit(0);
}
static void do_daemon(void) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) sleeper();
    _exit(0);
  }
  wait(NULL);
}
static void do_leave_group(void) {
  setpgid(0, getpgid(getppid()));
  if (fork() == 0) sleeper();
}
static void do_session(void) {
  if (fork() == 0) {
    setsid();
    sleeper();
  }
}

static void do_close_standard(void) {
  close(1);
  close(2);
}
static void do_close_all(void) {
  for (int fd = 0; fd < 1024; ++fd) close(fd);
}
static void do_reopen_all(void) {
  for (int fd = 0; fd < 64; ++fd) {
    close(fd);
    if (open("/dev/null", O_RDWR) < 0) return;
  }
}
static void write_everywhere(const char* text) {
  for (int fd = 3; fd < 1024; ++fd)
    if (write(fd, text, strlen(text)) < 0) continue;
}
static void do_write_object(void) {
  write_everywhere("{}\x04");
}
static void do_write_array(void) {
  write_everywhere("[1, 2]\x04");
}
static void do_write_number(void) {
  write_everywhere("7\x04");
}
static void do_write_verdict(void) {
  write_everywhere("{\"verdict\": 99, \"reason\": 4}\x04");
}
static void do_write_row(void) {
  write_everywhere("{\"status\": \"ok\", \"capabilities\": 3, \"summary\": [1]}\x04");
}
static void do_write_nothing(void) {
  write_everywhere("\x04");
}

/* Every shared and writable piece of memory, which is where children leave their answers. */
static void do_forge_memory(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    char mode[8];
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) == 3 && strcmp(mode, "rw-s") == 0)
      memset((void*)begin, 0x41, (end - begin < 1048576 ? end - begin : 1048576));
  }
  _exit(0);
}

static void do_log_long(void) {
  const size_t bytes = 300u << 20;
  char* text = malloc(bytes);
  if (text == NULL) return;
  memset(text, 'a', bytes);
  text[bytes - 1] = '\0';
  log_text(text);
  free(text);
}
static void do_log_escape(void) {
  log_text(
      "\x1b]0;owned\x07\x1b[2J\x1b[31mred\r\nconcord: forged\xc2\x9b"
      "1m\xe2\x80\xae");
}
static void do_log_formula(void) {
  log_text("=HYPERLINK(\"http://x\") <script>alert(1)</script> \\input{/etc/passwd}");
}
static void do_log_bytes(void) {
  log_text("\xff\xfe\xc0\x80 not utf-8 \x80");
}
static void do_log_nothing(void) {
  log_text(NULL);
}
static void do_mask(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
}
static void do_handlers(void) {
  for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
}
static void do_orphan(void) {
  prctl(PR_SET_PDEATHSIG, 0);
}
static void do_unmap_stdio(void) {
  fclose(stdout);
  fclose(stderr);
}

static const struct Action {
  const char* name;
  void (*run)(void);
} actions[] = {
    /* actions: */
    {"exit", do_exit},
    {"exit3", do_exit3},
    {"underscore-exit", do_underscore_exit},
    {"quick-exit", do_quick_exit},
    {"syscall-exit", do_syscall_exit},
    {"abort", do_abort},
    {"segfault", do_segfault},
    {"jump-nowhere", do_jump_nowhere},
    {"divide", do_divide},
    {"illegal", do_illegal},
    {"kill", do_kill},
    {"terminate", do_terminate},
    {"overflow", do_overflow},
    {"pthread-exit", do_pthread_exit},
    {"longjmp", do_longjmp},
    {"thread", do_thread},
    {"daemon", do_daemon},
    {"leave-group", do_leave_group},
    {"session", do_session},
    {"close-standard", do_close_standard},
    {"close-all", do_close_all},
    {"reopen-all", do_reopen_all},
    {"fclose", do_unmap_stdio},
    {"write-object", do_write_object},
    {"write-array", do_write_array},
    {"write-number", do_write_number},
    {"write-verdict", do_write_verdict},
    {"write-row", do_write_row},
    {"write-nothing", do_write_nothing},
    {"forge-memory", do_forge_memory},
    {"log-long", do_log_long},
    {"log-escape", do_log_escape},
    {"log-formula", do_log_formula},
    {"log-bytes", do_log_bytes},
    {"log-nothing", do_log_nothing},
    {"mask", do_mask},
    {"handlers", do_handlers},
    {"orphan", do_orphan},
    /* end of actions */
};

static void at(const char* here, const concord_env* env) {
  if (strcmp(place, here) != 0) return;
  env_now = env;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i)
    if (strcmp(action, actions[i].name) == 0) actions[i].run();
}

/* ---- what it does to memory and answers ------------------------------------------------------------ */

struct Object {
  int64_t labels;
  double* A;
};

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

static void spoil(Memory memory) {
  for (size_t i = 0; i < sizeof spoils / sizeof *spoils; ++i)
    if (strcmp(name, spoils[i].name) == 0) spoils[i].run(memory);
}

static int is(const char* wanted) {
  return strcmp(name, wanted) == 0;
}

/* ---- the decoder ------------------------------------------------------------------------------------ */

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
