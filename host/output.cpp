// SPDX-License-Identifier: MIT
#include "output.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"

namespace concord {

namespace {

/// The user may have closed standard input or error; then nobody is to get those descriptors by chance.
int real_output() {
  for (const int fd : {STDIN_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) {
      const int null = ::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
      if (null >= 0 && null != fd) {
        ::dup2(null, fd);
        ::close(null);
      }
    }
  return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

}  // namespace

Output::Output() : fd_(real_output()) {
  if (fd_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    fail(Fault::io, "standard output is not usable: {}", std::strerror(errno));
}

void Output::write(const std::string& text) const {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(Fault::io, "cannot write to standard output: {}", std::strerror(errno));
    done += static_cast<size_t>(n);
  }
}

}  // namespace concord
