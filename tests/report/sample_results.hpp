// SPDX-License-Identifier: MIT
#pragma once
// Made-up results of a comparison, of a realistic shape and size: the report is tested without running anything.
#include <nlohmann/json.hpp>

namespace concord::test {

struct SampleShape {
  size_t datasets = 4, methods = 9;
  size_t epochs = 40;           ///< points of a convergence curve
  size_t problems = 50;         ///< of each problem set; 0: no solvers
  bool all_with_prior = false;  ///< and 159 labels everywhere
  bool flawed = true;           ///< a failed and a pending cell, hostile label names
};

/// The same for the same shape.
nlohmann::ordered_json sample_results(const SampleShape& shape = {});
/// What compare::Examples writes: three instances, explained. `flawed`: with hostile names.
nlohmann::ordered_json sample_examples(bool flawed);
/// The same with so many trainings of each method, a few of which have failed or not been run.
nlohmann::ordered_json with_repeats(const nlohmann::ordered_json& sample, int64_t repeats);

}  // namespace concord::test
