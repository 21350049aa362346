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

/// A decoder with a prior that it can be trained with. The first is without a prior.
struct FitCase {
  const char* decoder;
  PriorSign prior;
  bool diagonal;
};
inline const FitCase kFitCases[] = {
    {"modular", PriorSign::none, false},          {"exhaustive", PriorSign::any, false},
    {"exhaustive", PriorSign::attractive, false}, {"exhaustive", PriorSign::repulsive, false},
    {"spectral", PriorSign::any, true},           {"spectral", PriorSign::any, false},
    {"spectral", PriorSign::repulsive, true},     {"spectral", PriorSign::attractive, true},
    {"spectral-tight", PriorSign::any, false},
};

/// Small ones, with a prior that the case allows.
Parameters random_parameters(kit::Rng& rng, int64_t d, int64_t V, const FitCase& c);

bool same_bits(const Parameters& a, const Parameters& b);

}  // namespace concord::test
