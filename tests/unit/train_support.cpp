// SPDX-License-Identifier: MIT
#include "train_support.hpp"

#include <cmath>

namespace concord::test {

Dataset random_dataset(kit::Rng& rng, int64_t N, int64_t d, int64_t V, bool sparse) {
  RowMatrix X(N, d);
  for (int64_t i = 0; i < X.size(); ++i) X.data()[i] = sparse && rng.uniform() < 0.7 ? 0 : rng.normal();
  RowMatrix W(d, V);
  for (int64_t i = 0; i < W.size(); ++i) W.data()[i] = rng.normal();
  Dataset data;
  data.name = "random";
  data.Y.resize(V, N);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t v = 0; v < V; ++v) {
      double score = X.row(i).dot(W.col(v)) + rng.normal() - 0.5;
      if (v > 0) score += (v % 2 == 0 ? 1.5 : -1.5) * data.Y(v - 1, i);
      data.Y(v, i) = score > 0 ? 1 : -1;
    }
  data.X = sparse ? Features(SparseMatrix(X.sparseView())) : Features(X);
  for (int64_t j = 0; j < d; ++j) data.feature_names.push_back("f" + std::to_string(j));
  for (int64_t v = 0; v < V; ++v) data.label_names.push_back("l" + std::to_string(v));
  return data;
}

std::shared_ptr<const BoundPlugin> chosen(int32_t kind, const std::string& name) {
  const Plugin& plugin = builtin().find(kind, name);
  ErrorList errors;
  return std::make_shared<BoundPlugin>(
      BoundPlugin{&plugin, OptionValues(plugin.id(), plugin.options(), {}, errors)});
}

TrainPlan train_plan(Method method, const std::string& decoder, const std::string& loss, PriorSign prior,
                     bool diagonal) {
  TrainPlan plan;
  plan.settings.method = method;
  plan.settings.lambda_w = 0.05;
  plan.settings.lambda_a = 0.2;
  plan.settings.batch = 4;
  plan.decoder = chosen(CONCORD_DECODER, decoder);
  plan.loss = chosen(CONCORD_LOSS, loss);
  plan.prior = prior;
  plan.diagonal = diagonal;
  return plan;
}

Parameters random_parameters(kit::Rng& rng, int64_t d, int64_t V, const FitCase& c) {
  Parameters p{RowMatrix(d, V), Eigen::MatrixXd::Zero(V, V)};
  for (int64_t i = 0; i < p.W.size(); ++i) p.W.data()[i] = 0.3 * rng.normal();
  if (c.prior == PriorSign::none) return p;
  for (int64_t i = 0; i < V; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double a = 0.1 * rng.normal();
      if (i != j && c.prior == PriorSign::attractive) a = -std::abs(a);
      if (i != j && c.prior == PriorSign::repulsive) a = std::abs(a);
      if (i != j || c.diagonal) p.A(i, j) = p.A(j, i) = a;
    }
  return p;
}

bool same_bits(const Parameters& a, const Parameters& b) {
  return a.W.rows() == b.W.rows() && (a.W.array() == b.W.array()).all() && (a.A.array() == b.A.array()).all();
}

}  // namespace concord::test
