// SPDX-License-Identifier: MIT
// concord_train, concord_predict, models in memory and metrics.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "support.hpp"

using namespace concord::api_test;

namespace {

/// 120 instances whose second label goes with the first, dense and as sparse rows of 4-byte indices.
struct Data {
  static constexpr int64_t N = 120, d = 4, V = 3;
  std::vector<double> X;
  std::vector<int8_t> Y;
  std::vector<int32_t> start = {0}, column;
  std::vector<double> entry;

  Data() {
    std::mt19937 random(4);
    const auto draw = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
    for (int64_t i = 0; i < N; ++i) {
      for (int64_t j = 0; j < d; ++j) {
        const double x = random() % 3 == 0 ? 0 : draw();
        X.push_back(x);
        if (x == 0) continue;
        column.push_back(static_cast<int32_t>(j));
        entry.push_back(x);
      }
      start.push_back(static_cast<int32_t>(entry.size()));
      const double* const x = &X[static_cast<size_t>(i * d)];
      const int8_t first = x[0] + x[1] > 0 ? 1 : 0;
      Y.insert(Y.end(), {first, first, static_cast<int8_t>(x[2] > 0.3 ? 1 : 0)});
    }
  }

  concord_features dense() const {
    return {sizeof(concord_features), 0, N, d, X.data(), nullptr, nullptr, nullptr};
  }
  concord_features sparse() const {
    return {sizeof(concord_features), 4, N, d, nullptr, start.data(), column.data(), entry.data()};
  }
};

constexpr const char* kConfig =
    R"({"train": {"epochs": 5, "lambda_w": [0.001, 0.01]}, "predict": {"threshold": "tuned"}})";

concord_training training_of(const Data& data, const concord_features& features, const char* config) {
  concord_training training{};
  training.size = sizeof training;
  training.features = &features;
  training.labels = Data::V;
  training.truth = data.Y.data();
  training.config = config;
  return training;
}

Owned<concord_model> train(concord_session* session, const Data& data, const concord_features& features,
                           const char* config, int threads = 1) {
  const concord_training training = training_of(data, features, config);
  concord_run run{sizeof run, threads, nullptr, nullptr, nullptr, nullptr};
  concord_model* model = nullptr;
  const int32_t code = concord_train(session, &training, &run, &model);
  INFO(concord_last_error()->text);
  REQUIRE(code == CONCORD_OK);
  return Owned<concord_model>(model);
}

std::string bytes_of(const concord_model* model) {
  char* bytes = nullptr;
  size_t length = 0;
  REQUIRE(concord_model_write(model, &bytes, &length) == CONCORD_OK);
  const Owned<char> owned(bytes);
  return {bytes, length};
}

struct Predicted {
  std::vector<int8_t> labels = std::vector<int8_t>(Data::N * Data::V);
  std::vector<double> ranking = std::vector<double>(Data::N * Data::V);
  std::vector<double> scores = std::vector<double>(Data::N * Data::V);
};

Predicted predict(concord_session* session, const concord_model* model, const concord_features& features,
                  const char* settings = nullptr) {
  Predicted found;
  concord_predictions places{};
  places.size = sizeof places;
  places.labels = found.labels.data();
  places.ranking = found.ranking.data();
  places.scores = found.scores.data();
  const concord_query query{sizeof query, 0, &features, nullptr, settings};
  const int32_t code = concord_predict(session, model, &query, nullptr, &places);
  INFO(concord_last_error()->text);
  REQUIRE(code == CONCORD_OK);
  return found;
}

}  // namespace

TEST_CASE("a model is the same for any threads, as TOML or JSON, and after its bytes were read") {
  const auto session = open_session();
  const Data data;
  const auto model = train(session.get(), data, data.dense(), kConfig);
  const std::string bytes = bytes_of(model.get());
  CHECK(bytes_of(train(session.get(), data, data.dense(), kConfig, 3).get()) == bytes);
  const char* toml = "[train]\nepochs = 5\nlambda_w = [0.001, 0.01]\n[predict]\nthreshold = \"tuned\"\n";
  CHECK(bytes_of(train(session.get(), data, data.dense(), toml).get()) == bytes);

  concord_model* read = nullptr;
  REQUIRE(concord_model_read(bytes.data(), bytes.size(), "here", &read) == CONCORD_OK);
  const Owned<concord_model> copy(read);
  CHECK(bytes_of(copy.get()) == bytes);
  const concord_features features = data.dense();
  const Predicted mine = predict(session.get(), model.get(), features);
  CHECK(mine.labels == predict(session.get(), copy.get(), features).labels);

  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  CHECK(concord_model_read(damaged.data(), damaged.size(), "here", &read) == CONCORD_ERROR_INPUT);
  CHECK(std::string(concord_last_error()->text).find("here") == 0);
}

TEST_CASE("sparse rows are the dense ones, and predictions are measured") {
  const auto session = open_session();
  const Data data;
  const auto model = train(session.get(), data, data.sparse(), kConfig);
  const Predicted sparse = predict(session.get(), model.get(), data.sparse());
  const Predicted dense = predict(session.get(), model.get(), data.dense());
  for (size_t i = 0; i < sparse.scores.size(); ++i)
    CHECK(sparse.scores[i] == Approx(dense.scores[i]).margin(1e-12));
  CHECK(predict(session.get(), model.get(), data.dense(), R"({"rounding": "sign", "decoder": "exact"})")
            .labels.size() == sparse.labels.size());

  char* json = nullptr;
  REQUIRE(concord_evaluate(sparse.labels.data(), data.Y.data(), Data::N, Data::V, 10, 1, &json) ==
          CONCORD_OK);
  const Owned<char> metrics(json);
  CHECK(std::string(json).find(R"("example-f1-loss":)") != std::string::npos);
  CHECK(std::string(json).find(R"("intervals":{"example-f1-loss":[)") != std::string::npos);
  REQUIRE(concord_evaluate(data.Y.data(), data.Y.data(), Data::N, Data::V, 0, 1, &json) == CONCORD_OK);
  const Owned<char> perfect(json);
  CHECK(std::string(json).find(R"("example-f1-loss":0.0,)") != std::string::npos);
}

TEST_CASE("a ranking and probabilities are measured, and known labels left out") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double ranking[] = {nan, 3, 2, 1, 4, 2, 3, 1}, likely[] = {1, .5, .5, .5, .5, .5, .5, .5};
  const int8_t truth[] = {1, 0, 1, 0, 1, -1, 1, 0};
  char* json = nullptr;
  REQUIRE(concord_evaluate_ranking(ranking, likely, truth, 2, 4, 10, 1, &json) == CONCORD_OK);
  const Owned<char> both(json);
  const std::string text = json;
  // One pair of two is wrong in the first row, and none in the second.
  CHECK(text.find(R"("ranking-loss":0.25,)") != std::string::npos);
  CHECK(text.find(R"("brier-score":0.25,)") != std::string::npos);
  CHECK(text.find(R"("intervals":{"ranking-loss":[)") != std::string::npos);
  CHECK(text.find("labels-true") == std::string::npos);
  REQUIRE(concord_evaluate_ranking(ranking, nullptr, truth, 2, 4, 0, 1, &json) == CONCORD_OK);
  const Owned<char> alone(json);
  CHECK(std::string(json).find("brier-score") == std::string::npos);
  CHECK(concord_evaluate_ranking(nullptr, nullptr, truth, 2, 4, 0, 1, &json) == CONCORD_ERROR_INPUT);
  CHECK(concord_evaluate_ranking(ranking, nullptr, nullptr, 2, 4, 0, 1, &json) == CONCORD_ERROR_INPUT);
  CHECK(concord_evaluate_ranking(ranking, ranking, truth, 2, 4, 0, 1, &json) == CONCORD_ERROR_INPUT);
  CHECK(std::string(concord_last_error()->text).find("has the probability 3") != std::string::npos);
}

TEST_CASE("blocks of a model are there without copies") {
  const auto session = open_session();
  const Data data;
  const auto model = train(session.get(), data, data.dense(), kConfig);
  const double *W = nullptr, *again = nullptr;
  int64_t rows = 0, columns = 0;
  REQUIRE(concord_model_block(model.get(), "W", &W, &rows, &columns) == CONCORD_OK);
  CHECK(rows == Data::d + 1);
  CHECK(columns == Data::V);
  REQUIRE(concord_model_block(model.get(), "W", &again, &rows, &columns) == CONCORD_OK);
  CHECK(W == again);
  const concord_features features = data.dense();
  double score = W[Data::d * Data::V];  // of the bias, which is 1
  for (int64_t j = 0; j < Data::d; ++j) score += data.X[static_cast<size_t>(j)] * W[j * Data::V];
  CHECK(predict(session.get(), model.get(), features).scores[0] == Approx(score));
  REQUIRE(concord_model_block(model.get(), "thresholds", &W, &rows, &columns) == CONCORD_OK);
  CHECK(rows == 1);
  CHECK(concord_model_block(model.get(), "Treshold", &W, &rows, &columns) == CONCORD_ERROR_INPUT);
  CHECK(std::string(concord_last_error()->text).find("did you mean thresholds?") != std::string::npos);
  char* json = nullptr;
  REQUIRE(concord_model_describe(model.get(), &json) == CONCORD_OK);
  const Owned<char> description(json);
  CHECK(std::string(json).find(R"("label_names":["label1","label2","label3"])") != std::string::npos);
}

TEST_CASE("events are told, and a stop during training is heard") {
  const auto session = open_session();
  const Data data;
  const concord_features features = data.dense();
  const concord_training training =
      training_of(data, features, R"({"train": {"epochs": 100000}, "select": {"holdout": 0}})");
  struct Listener {
    unsigned char stop = 0;
    int epochs = 0;
  } listener;
  concord_run run{sizeof run, 1, &listener.stop, &listener, nullptr, nullptr};
  run.event = [](void* user, const char* json) {
    auto& who = *static_cast<Listener*>(user);
    if (std::strstr(json, R"("event":"epoch")") != nullptr && ++who.epochs == 3) who.stop = 1;
  };
  concord_model* model = nullptr;
  CHECK(concord_train(session.get(), &training, &run, &model) == CONCORD_ERROR_INTERRUPTED);
  const Owned<concord_model> reached(model);
  CHECK(model != nullptr);
  CHECK(listener.epochs >= 3);
  CHECK(listener.epochs < 10);
}

TEST_CASE("data and configs that are wrong are refused") {
  const auto session = open_session();
  Data data;
  concord_model* model = nullptr;
  const auto refused = [&](const concord_features& features, const char* config, const char* why) {
    const concord_training training = training_of(data, features, config);
    CHECK(concord_train(session.get(), &training, nullptr, &model) == CONCORD_ERROR_INPUT);
    const std::string text = concord_last_error()->text;
    INFO(text);
    CHECK(text.find(why) != std::string::npos);
    CHECK(model == nullptr);
  };
  refused(data.dense(), R"({"train": {"lambda_v": 1}})", "did you mean");
  refused(data.dense(), "[train]\nlambda_w = 'x'", "config:2:");
  refused(data.dense(), "[run]\nplugin_dirs = ['x']", "concord_open");
  refused(data.dense(), R"({"train": 1})", "a section");
  refused(data.dense(), "{", "not JSON");
  concord_features features = data.sparse();
  features.index_bytes = 3;
  refused(features, nullptr, "index_bytes is 3");
  std::swap(data.column[0], data.column[1]);
  refused(data.sparse(), nullptr, "columns increase");
  data.X[5] = std::nan("");
  refused(data.dense(), nullptr, "row 1 column 1 (counted from 0) is nan");
  data.X[5] = 0;
  data.Y[4] = 7;
  refused(data.dense(), nullptr, "row 1 label 1 (counted from 0) is 7");
  data.Y[4] = 0;
  const auto good = train(session.get(), data, data.dense(), kConfig);
  features = data.dense();
  features.columns = 3;
  concord_predictions places{};
  places.size = sizeof places;
  concord_query query{sizeof query, 0, &features, nullptr, nullptr};
  const auto refused_query = [&](const char* why) {
    CHECK(concord_predict(session.get(), good.get(), &query, nullptr, &places) == CONCORD_ERROR_INPUT);
    CHECK(std::string(concord_last_error()->text).find(why) != std::string::npos);
  };
  refused_query("the data have 3 features, and the model 4");
  features = data.dense();
  query.settings = R"({"decoder": 5})";
  refused_query("expected the name of a plugin");
  query.settings = R"({"predict.min_label": 1})";
  refused_query("did you mean min_labels?");
  query.settings = nullptr;
  std::vector<int8_t> known(Data::N * Data::V, 0);
  known[7] = 3;
  query.known = known.data();
  refused_query("row 2 label 1 (counted from 0) is 3; it is 1, -1, or 0 for unknown");
  query.known = nullptr;
  std::vector<double> probabilities(known.size());
  places.probabilities = probabilities.data();
  const auto unheld = train(session.get(), data, data.dense(), R"({"select": {"holdout": 0}})");
  CHECK(concord_predict(session.get(), unheld.get(), &query, nullptr, &places) == CONCORD_ERROR_INPUT);
  CHECK(std::string(concord_last_error()->text).find("no data were held out") != std::string::npos);
}

TEST_CASE("known labels stay, and change what the others are") {
  const auto session = open_session();
  const Data data;
  const auto model =
      train(session.get(), data, data.dense(),
            R"({"train": {"method": "likelihood", "lambda_a": 0.01}, "predict": {"threshold": 0}})");
  const concord_features features = data.dense();
  std::vector<int8_t> known(Data::N * Data::V, 0), labels(known.size());
  std::vector<double> probabilities(known.size()), given(known.size());
  double error = -1;
  concord_predictions places{};
  places.size = sizeof places;
  places.labels = labels.data();
  places.probabilities = probabilities.data();
  places.error = &error;
  concord_query query{sizeof query, 0, &features, known.data(), nullptr};
  REQUIRE(concord_predict(session.get(), model.get(), &query, nullptr, &places) == CONCORD_OK);
  CHECK(error == 0);  // three labels are enumerated
  for (size_t at = 0; at < known.size(); at += Data::V) known[at] = at % 2 == 0 ? 1 : -1;
  places.probabilities = given.data();
  REQUIRE(concord_predict(session.get(), model.get(), &query, nullptr, &places) == CONCORD_OK);
  for (size_t at = 0; at < known.size(); at += Data::V) {
    CHECK(labels[at] == known[at]);
    CHECK(given[at] == (known[at] > 0 ? 1 : 0));
    // The second label goes with the first in all data.
    CHECK((known[at] > 0 ? given[at + 1] > probabilities[at + 1] : given[at + 1] < probabilities[at + 1]));
    CHECK(labels[at + 1] == (given[at + 1] > 0.5 ? 1 : -1));
  }
}
