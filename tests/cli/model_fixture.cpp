// SPDX-License-Identifier: MIT
#include "model_fixture.hpp"

#include "../unit/model_support.hpp"
#include "../unit/support.hpp"
#include "base/files.hpp"
#include "metrics/metrics.hpp"
#include "predict/prediction.hpp"

using namespace concord;
using namespace concord::test;

struct ModelFixture::Memory {
  Model model;
  Features X;
  LabelMatrix Y;

  Prediction predict(const std::string& decoder) const {
    Model used = model;
    used.settings.predict.decoder = PluginSpec{decoder, {}, "test"};
    ErrorList errors;
    const SolvePlan plan = plan_prediction(builtin(), used.settings, errors);
    errors.throw_if_any();
    return ModelPredictor(used, plan, used.settings.run.seed, {}, 1).predict(X, 0);
  }
  std::string libsvm_text() const {
    std::string text;
    for (int64_t i = 0; i < instances; ++i) {
      std::vector<int64_t> positive;
      for (int64_t v = 0; v < ModelFixture::labels; ++v)
        if (Y(v, i) > 0) positive.push_back(v);
      text += fmt::format("{}", fmt::join(positive, ","));
      for (int64_t j = 0; j < features; ++j) text += fmt::format(" {}:{}", j + 1, X.dense()(i, j));
      text += "\n";
    }
    return text;
  }
  std::string arff_text(bool with_labels) const {
    std::string text = "@relation test\n";
    for (const auto& name : model.feature_names) text += fmt::format("@attribute {} numeric\n", name);
    if (with_labels)
      for (const auto& name : model.label_names) text += fmt::format("@attribute '{}' {{0,1}}\n", name);
    text += "@data\n";
    for (int64_t i = 0; i < instances; ++i) {
      const Eigen::VectorXd row = X.dense().row(i);
      text += fmt::format("{}", fmt::join(row.begin(), row.end(), ","));
      for (int64_t v = 0; with_labels && v < ModelFixture::labels; ++v) text += Y(v, i) > 0 ? ",1" : ",0";
      text += "\n";
    }
    return text;
  }
  std::string xml_text() const {
    std::string text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<labels>\n";
    for (const auto& name : model.label_names) text += fmt::format("<label name=\"{}\"></label>\n", name);
    return text + "</labels>\n";
  }
};

ModelFixture::ModelFixture(const std::string& folder, Prior prior) : memory_(std::make_shared<Memory>()) {
  kit::Rng rng(61);
  const Coupling coupling = prior == Prior::none   ? Coupling::none
                            : prior == Prior::weak ? Coupling::weak
                                                   : Coupling::with_diagonal;
  memory_->model = random_model(rng, features, labels, coupling);
  memory_->model.label_names = {"beach", "sea, calm", "boat", "indoor", "kitchen"};
  RowMatrix X(instances, features);
  for (auto& x : X.reshaped()) x = static_cast<double>(rng.below(33)) / 8 - 2;
  memory_->X = Features(X);
  memory_->Y.resize(labels, instances);
  for (auto& y : memory_->Y.reshaped()) y = rng.below(3) == 0 ? 1 : -1;

  const auto write = [&](const std::string& name, const std::string& text) {
    write_file_atomically(folder + "/" + name, text);
    return folder + "/" + name;
  };
  model = folder + "/test.model";
  save_model(memory_->model, model);
  libsvm_text = memory_->libsvm_text();
  libsvm = write("data.svm", libsvm_text);
  arff = write("data.arff", memory_->arff_text(true));
  unlabelled = write("unlabelled.arff", memory_->arff_text(false));
  xml = write("data.xml", memory_->xml_text());
}

std::string ModelFixture::predicted(const std::string& output, const std::string& form,
                                    const std::string& decoder) const {
  const PredictionText text(parse_prediction_output("--output", output), parse_prediction_form("--as", form),
                            memory_->model.label_names);
  return text.header() + text.lines(memory_->predict(decoder));
}

std::vector<std::pair<std::string, double>> ModelFixture::metrics() const {
  const Prediction prediction = memory_->predict("spectral");
  const LabelCounts counts(prediction.labels, memory_->Y);
  std::vector<std::pair<std::string, double>> values;
  for (const Metric& metric : concord::metrics()) values.emplace_back(metric.name, metric.value(counts));
  const Eigen::VectorXd of_ranking = rank_values(prediction.ranking, memory_->Y, {}).rowwise().mean();
  for (const RankMetric& metric : rank_metrics(labels))
    values.emplace_back(metric.name,
                        of_ranking(static_cast<int64_t>(values.size() - concord::metrics().size())));
  return values;
}

std::vector<double> ModelFixture::scores(int64_t row) const {
  const Model& m = memory_->model;
  const Eigen::VectorXd s = label_scores(m.W, m.preprocess.apply(memory_->X)).col(row);
  return {s.begin(), s.end()};
}

std::vector<int> ModelFixture::predicted_labels(int64_t row, const std::string& decoder) const {
  const LabelMatrix all = memory_->predict(decoder).labels;
  return {all.col(row).begin(), all.col(row).end()};
}
