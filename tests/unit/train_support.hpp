// SPDX-License-Identifier: MIT
#pragma once
// Small training problems, and the plugins of a fit by name.
#include <memory>
#include <string>

#include "support.hpp"
#include "train/fit.hpp"

namespace concord::test {

/// Labels depend on the features and on each other; `sparse` features hold many zeros.
Dataset random_dataset(kit::Rng& rng, int64_t N, int64_t d, int64_t V, bool sparse);

std::shared_ptr<const BoundPlugin> chosen(int32_t kind, const std::string& name);

/// lambda_w = 0.05, lambda_a = 0.2, batches of 4.
TrainPlan train_plan(Method method, const std::string& decoder, const std::string& loss, PriorSign prior,
                     bool diagonal = false);

}  // namespace concord::test
