// SPDX-License-Identifier: MIT
#pragma once

namespace concord {

/// A base of objects that stay where they were made: others hold their address, or the object owns what cannot be shared.
class Pinned {
 public:
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 protected:
  Pinned() = default;
  ~Pinned() = default;
};

}  // namespace concord
