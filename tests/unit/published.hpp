// SPDX-License-Identifier: MIT
#pragma once
// Tests on the published datasets have the tag [.published] or [.published-full] and run as tests of their own, which
// count as skipped where the data are not.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/unit/places.hpp"

namespace concord::test {

/// <repository>/../shared/datasets. Ends the process with the exit code by which ctest knows a skipped test if there is
/// no such folder.
inline std::filesystem::path published_folder() {
  const auto folder =
      std::filesystem::path(places::tests()).parent_path().parent_path() / "shared" / "datasets";
  if (std::filesystem::is_directory(folder)) return folder;
  std::fprintf(stderr, "skipped: there is no %s\n", folder.c_str());
  std::exit(77);
}

}  // namespace concord::test
