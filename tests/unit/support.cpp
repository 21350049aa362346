// SPDX-License-Identifier: MIT
#include "support.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "tests/unit/places.hpp"

namespace concord::test {

double naive_optimum(const CanonicalProblem& problem) {
  double best = -std::numeric_limits<double>::infinity();
  for_all_labellings(problem, [&](const LabelVector&, double value) { best = std::max(best, value); });
  return best;
}

Registry& builtin() {
  static Registry registry({places::plugins()}, {});
  return registry;
}

namespace {

OptionValues values_for(const Plugin& plugin, const std::vector<Setting>& settings) {
  ErrorList errors;
  OptionValues values(plugin.id(), plugin.options(), settings, errors);
  if (!errors.empty()) throw errors.all().front();
  return values;
}

}  // namespace

std::unique_ptr<Decoder> make_decoder(const std::string& name, const std::vector<Setting>& settings) {
  const Plugin& plugin = builtin().find(CONCORD_DECODER, name);
  return std::make_unique<Decoder>(plugin, values_for(plugin, settings), RunControl{});
}

std::unique_ptr<Loss> make_loss(const std::string& name, const std::vector<Setting>& settings) {
  const Plugin& plugin = builtin().find(CONCORD_LOSS, name);
  return std::make_unique<Loss>(plugin, values_for(plugin, settings), RunControl{});
}

const nlohmann::json& golden() {
  static const nlohmann::json problems = [] {
    std::ifstream in(places::tests() + "/golden/problems.json");
    return nlohmann::json::parse(in)["problems"];
  }();
  return problems;
}

CanonicalProblem golden_problem(const nlohmann::json& entry) {
  const auto b = entry["b"].get<std::vector<double>>();
  const auto rows = entry["A"].get<std::vector<std::vector<double>>>();
  const auto V = static_cast<int64_t>(b.size());
  CanonicalProblem problem;
  problem.c = Eigen::Map<const Eigen::VectorXd>(b.data(), V);
  Eigen::MatrixXd A(V, V);
  for (int64_t i = 0; i < V; ++i)
    for (int64_t j = 0; j < V; ++j) A(i, j) = rows[static_cast<size_t>(i)][static_cast<size_t>(j)];
  problem.A = PriorMatrix(std::move(A));
  return problem;
}

}  // namespace concord::test
