// SPDX-License-Identifier: MIT
#include "output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "process/watch.hpp"

namespace concord {

namespace {

/// The user may have closed standard input or error; then nobody is to get those descriptors by chance.
int with_all_standard_descriptors(int wanted) {
  for (const int fd : {STDIN_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) {
      const int null = ::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
      if (null >= 0 && null != fd) {
        ::dup2(null, fd);
        ::close(null);
      }
    }
  return wanted;
}

}  // namespace

KeptDescriptor::KeptDescriptor(int fd) : fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 3)) {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

int KeptDescriptor::write(const std::string& text) const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return errno;
  if (info.st_dev != device_ || info.st_ino != inode_) return EBADF;
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    done += static_cast<size_t>(n);
  }
  return 0;
}

Output::Output() : kept_(with_all_standard_descriptors(STDOUT_FILENO)) {
  if (const int error = kept_.write(""); error != 0)
    fail(Fault::io, "standard output is not usable: {}", std::strerror(error));
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    fail(Fault::io, "standard output is not usable: {}", std::strerror(errno));
  say("");  // keeps standard error before anybody can close it
}

void Output::write(const std::string& text) const {
  if (silent_) return;
  const int error = kept_.write(text);
  if (error == EPIPE) throw ReaderGone();
  if (error != 0) fail(Fault::io, "cannot write to standard output: {}", std::strerror(error));
}

void say(const std::string& text) {
  static const KeptDescriptor kept(STDERR_FILENO);
  const std::string shown = clean(text);
  // A child of ours, in which plugins are looked at, has only the standard descriptors.
  if (kept.write(shown) == EBADF && !leave_to_watcher(shown)) std::fputs(shown.c_str(), stderr);
}

}  // namespace concord
