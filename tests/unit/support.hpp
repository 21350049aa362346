// SPDX-License-Identifier: MIT
#pragma once
// What the unit tests share: naive references, the built-in plugins.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plugin/registry.hpp"
#include "problem/random.hpp"
#include "solve/decoder.hpp"
#include "solve/loss.hpp"

namespace concord::test {

/// All labellings by plain recomputation: the reference that shares no code with the kit. Calls
/// visit(labels, u'c - u'Au).
template <class Visit>
void for_all_labellings(const CanonicalProblem& problem, Visit&& visit) {
  const int64_t V = problem.labels();
  for (uint64_t bits = 0; bits < (uint64_t{1} << V); ++bits) {
    LabelVector y(V);
    for (int64_t v = 0; v < V; ++v) y(v) = ((bits >> v) & 1) != 0 ? 1 : -1;
    if (problem.k && (y > 0).count() != *problem.k) continue;
    visit(y, problem.value(y.cast<double>()));
  }
}
double naive_optimum(const CanonicalProblem& problem);

/// The plugins of this build.
Registry& builtin();
std::unique_ptr<Decoder> make_decoder(const std::string& name, const std::vector<Setting>& settings = {});
std::unique_ptr<Loss> make_loss(const std::string& name, const std::vector<Setting>& settings = {});

/// The golden problems, see the note in the file.
const nlohmann::json& golden();
CanonicalProblem golden_problem(const nlohmann::json& entry);

}  // namespace concord::test
