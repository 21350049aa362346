// SPDX-License-Identifier: MIT
#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "error.hpp"

namespace concord {

Output::Output() : fd_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
  if (fd_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    fail(Exit::io, "standard output is not usable: {}", std::strerror(errno));
}

void Output::write(const std::string& text) const {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(Exit::io, "cannot write to standard output: {}", std::strerror(errno));
    done += static_cast<size_t>(n);
  }
}

bool Output::is_terminal() const { return ::isatty(fd_) != 0; }

}  // namespace concord
