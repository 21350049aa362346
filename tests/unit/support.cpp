// SPDX-License-Identifier: MIT
#include "support.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace concord::test {

CanonicalProblem random_problem(kit::Rng& rng, int64_t V, Sign sign, bool integers, double density) {
  const auto draw = [&] { return integers ? static_cast<double>(rng.below(5)) - 2 : rng.normal(); };
  CanonicalProblem problem;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(V, V);
  problem.c.resize(V);
  for (int64_t i = 0; i < V; ++i) {
    problem.c(i) = 2 * draw();
    for (int64_t j = 0; j < i; ++j) {
      double a = rng.uniform() < density ? draw() : 0;
      if (sign == Sign::attractive) a = -std::abs(a);
      if (sign == Sign::repulsive) a = std::abs(a);
      if (sign == Sign::zero) a = 0;
      A(i, j) = A(j, i) = a;
    }
  }
  problem.A = PriorMatrix(std::move(A));
  return problem;
}

double naive_optimum(const CanonicalProblem& problem) {
  double best = -std::numeric_limits<double>::infinity();
  for_all_labellings(problem, [&](const LabelVector&, double value) { best = std::max(best, value); });
  return best;
}

Registry& builtin() {
  static Registry registry({CONCORD_TEST_PLUGINS}, {});
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
    std::ifstream in(std::string(CONCORD_TEST_DATA) + "/golden/problems.json");
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
