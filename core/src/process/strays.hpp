// SPDX-License-Identifier: MIT
#pragma once
// Processes that were started by a child's code and have left its group, its session or its care. This process adopts them,
// and ends them.
#include "base/pinned.hpp"

namespace concord {

/// Made before a child is started. When the last one of this process goes, so does every process that this process has
/// adopted since the first: while several children run, nobody can tell whose an adopted one was.
class Strays : Pinned {
 public:
  Strays();
  ~Strays();
};

}  // namespace concord
