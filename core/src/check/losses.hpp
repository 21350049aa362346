// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "check/test.hpp"
#include "solve/loss.hpp"

namespace concord::check {

/// Prepared for V labels and a few instances.
std::unique_ptr<Loss> make_loss(Subject& subject, int64_t V, const std::vector<Setting>& settings = {},
                                const RunControl& control = {});

/// A small run; `thorough` compares the family with `evaluate` at every labelling.
void run_loss(Subject& subject, const std::vector<Setting>& settings, const RunControl& control,
              bool thorough);

}  // namespace concord::check
