// SPDX-License-Identifier: MIT
#include "train_support.hpp"

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

}  // namespace concord::test
