/* SPDX-License-Identifier: MIT */
/* Preloaded into concord by soak.py: the call number SOAK_FAIL_AT among those that put a file on the disk fails with the
   error SOAK_FAIL_WITH, and so do all after it if SOAK_FAIL_ON is set. Only files below SOAK_FOLDER count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long calls;

static int below(const char* path) {
  const char* folder = getenv("SOAK_FOLDER");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_ours(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = '\0';
  return below(path);
}

static int fails(void) {
  const long call = atomic_fetch_add(&calls, 1);
  const char *at = getenv("SOAK_FAIL_AT"), *with = getenv("SOAK_FAIL_WITH");
  if (at == NULL || with == NULL) return 0;
  const long first = atol(at);
  if (call != first && !(call > first && getenv("SOAK_FAIL_ON") != NULL)) return 0;
  errno = atoi(with);
  return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void* bytes, size_t count) {
  if (is_ours(fd)) {
    if (fails()) return -1;
    if (count > 64 && getenv("SOAK_SHORT_WRITES") != NULL)
      count = count / 2; /* which a caller has to expect */
  }
  return NEXT(write)(fd, bytes, count);
}

int fsync(int fd) {
  return is_ours(fd) && fails() ? -1 : NEXT(fsync)(fd);
}

int rename(const char* from, const char* to) {
  return below(to) && fails() ? -1 : NEXT(rename)(from, to);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0 && below(path) && fails()) return -1;
  return NEXT(open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0 && below(path) && fails()) return -1;
  return NEXT(open64)(path, flags, mode);
}
