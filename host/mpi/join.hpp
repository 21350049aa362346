// SPDX-License-Identifier: MIT
#pragma once
// Who trains with this process. The program concord is alone; concord-mpi is the same program, linked with another answer.
#include <memory>

#include "train/ranks.hpp"

namespace concord {

/// To be called once, in the process that works.
std::unique_ptr<Ranks> join_ranks();

}  // namespace concord
