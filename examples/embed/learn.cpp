// SPDX-License-Identifier: MIT
// Learns a prior from data in memory, predicts, measures, and writes the model file that `concord predict` reads.
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/concord.h>

namespace {

void require(int32_t code) {
  if (code != CONCORD_OK) throw std::runtime_error(concord_last_error()->text);
}

struct Closer {
  void operator()(concord_session* session) const { concord_close(session); }
  void operator()(concord_model* model) const { concord_model_free(model); }
  void operator()(char* text) const { concord_free(text); }
};
template <class T>
using Owned = std::unique_ptr<T, Closer>;

/// The number in [0, 1) that belongs to i: the program needs no random numbers, only numbers without a pattern.
double spread(int64_t i) {
  const double x = 0.6180339887498949 * static_cast<double>(i + 1);
  return x - static_cast<double>(static_cast<int64_t>(x));
}

}  // namespace

int main(int argc, char** argv) try {
  constexpr int64_t N = 300, d = 5, V = 3;
  std::vector<double> X(N * d);
  std::vector<int8_t> Y(N * V);
  for (int64_t i = 0; i < N; ++i) {
    for (int64_t j = 0; j < d; ++j) X[i * d + j] = spread(7 * i * d + j) - 0.5;
    Y[i * V] = X[i * d] + X[i * d + 1] > 0 ? 1 : 0;
    Y[i * V + 1] = Y[i * V];                                       // goes with the first
    Y[i * V + 2] = Y[i * V] == 0 && X[i * d + 2] > -0.25 ? 1 : 0;  // never together with it
  }

  concord_session* opened = nullptr;
  require(concord_open(nullptr, 0, &opened));
  const Owned<concord_session> session(opened);

  concord_features features{};
  features.size = sizeof features;
  features.rows = N;
  features.columns = d;
  features.dense = X.data();
  const char* names[V] = {"rain", "umbrella", "sun"};
  concord_training training{};
  training.size = sizeof training;
  training.features = &features;
  training.labels = V;
  training.truth = Y.data();
  training.label_names = names;
  training.config =
      R"({"train": {"lambda_w": [0.001, 0.01], "lambda_a": 0.1}, "predict": {"threshold": "tuned"}})";
  concord_model* trained = nullptr;
  require(concord_train(session.get(), &training, nullptr, &trained));
  const Owned<concord_model> model(trained);

  const double* A = nullptr;
  int64_t rows = 0, columns = 0;
  require(concord_model_block(model.get(), "A", &A, &rows, &columns));
  std::cout << "rain and umbrella " << (A[1] < 0 ? "attract" : "repel") << ", rain and sun "
            << (A[2] < 0 ? "attract" : "repel") << "\n";

  std::vector<int8_t> predicted(N * V);
  concord_query query{};
  query.size = sizeof query;
  query.features = &features;
  concord_predictions predictions{};
  predictions.size = sizeof predictions;
  predictions.labels = predicted.data();
  require(concord_predict(session.get(), model.get(), &query, nullptr, &predictions));
  char* json = nullptr;
  require(concord_evaluate(predicted.data(), Y.data(), N, V, 0, 1, &json));
  const Owned<char> metrics(json);
  std::cout << std::string(metrics.get()).substr(0, 40) << "...\n";

  char* bytes = nullptr;
  size_t length = 0;
  require(concord_model_write(model.get(), &bytes, &length));
  const Owned<char> file(bytes);
  std::ofstream(argc > 1 ? argv[1] : "weather.model", std::ios::binary)
      .write(file.get(), static_cast<std::streamsize>(length));
} catch (const std::exception& error) {
  std::cerr << "learn: " << error.what() << "\n";
  return 1;
}
