// SPDX-License-Identifier: MIT
#pragma once
// Standard output is for results. While plugins run, descriptor 1 points at standard error, so that nothing a
// plugin prints can spoil a result. Neither can a plugin that closes standard output or error silence the host, which writes
// to copies.
#include <string>
#include <sys/types.h>

#include "base/pinned.hpp"

namespace concord {

/// A descriptor of this process's own for a file that is open already.
class KeptDescriptor : Pinned {
 public:
  /// A copy of `fd`, out of the way of the standard descriptors.
  explicit KeptDescriptor(int fd);

  /// Zero, or the errno of what went wrong. Foreign code may have closed the copy, and its number may be another file's by
  /// now: that is EBADF too.
  int write(const std::string& text) const;

 private:
  int fd_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

/// Nobody reads standard output any more, as behind `| head`: no error, and nothing is left to do.
struct ReaderGone {};

class Output : Pinned {
 public:
  /// Takes standard output over; call it once, before anything is loaded.
  Output();

  /// Writes all of the text to the real standard output; Fault::io if it cannot be written, ReaderGone where nobody reads.
  void write(const std::string& text) const;
  /// For one of several processes that would say the same: nothing is written any more.
  void be_silent() { silent_ = true; }

 private:
  KeptDescriptor kept_;
  bool silent_ = false;
};

/// To standard error, without what a terminal would take for a command. Whoever watches this process gets the text if
/// standard error is gone.
void say(const std::string& text);

}  // namespace concord
