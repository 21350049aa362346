/* SPDX-License-Identifier: MIT */
/* What a hostile library does to its process. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <concord/abi.h>

static const concord_env* env_now = NULL; /* of the call, or NULL */

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

/* No process of these may be left. They sleep for longer than any test takes. One for each process that calls is enough: a suite
   that solves thousands of times would fill the machine with them. */
static int is_first(void) {
  static int calls = 0;
  return calls++ == 0;
}
static void sleeper(void) {
  for (int i = 0; i < 600; ++i) usleep(1000000);
  _exit(0);
}
static void do_daemon(void) {
  if (!is_first()) return;
  if (fork() == 0) {
    setsid();
    if (fork() == 0) sleeper();
    _exit(0);
  }
  wait(NULL);
}
static void do_leave_group(void) {
  setpgid(0, getpgid(getppid()));
  if (is_first() && fork() == 0) sleeper();
}
static void do_session(void) {
  if (is_first() && fork() == 0) {
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
    char* at;
    const unsigned long begin = strtoul(line, &at, 16),
                        end = strtoul(at + 1, &at, 16); /* begin-end mode ... */
    if (strncmp(at, " rw-s", 5) == 0)
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
