// SPDX-License-Identifier: MIT
#pragma once
// Standard output is for results. While plugins run, descriptor 1 points at standard error, so that nothing a
// plugin prints can spoil a result.
#include <string>

#include "base/pinned.hpp"

namespace concord {

class Output : Pinned {
 public:
  /// Takes standard output over; call it once, before anything is loaded.
  Output();

  /// Writes all of the text to the real standard output; Fault::io if it cannot be written.
  void write(const std::string& text) const;

 private:
  int fd_;
};

}  // namespace concord
