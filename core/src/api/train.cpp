// SPDX-License-Identifier: MIT
#include "api/handles.hpp"
#include "config/config.hpp"
#include "train/plan.hpp"
#include "train/trainer.hpp"

namespace concord::api {
namespace {

std::vector<std::string> read_names(const char* const* names, int64_t count, const char* what) {
  std::vector<std::string> read;
  for (int64_t i = 0; i < count; ++i) {
    require(names[i], what);
    read.emplace_back(names[i]);
  }
  return read;
}

Dataset read_training(const concord_training& given, const concord_features& features) {
  Dataset data;
  data.name = given.name != nullptr ? given.name : "data";
  data.X = read_features(features, 0, features.rows);
  data.Y = read_labels(given.truth, features.rows, given.labels, "truth");
  if (given.feature_names != nullptr)
    data.feature_names = read_names(given.feature_names, features.columns, "the name of a feature");
  if (given.label_names != nullptr)
    data.label_names = read_names(given.label_names, given.labels, "the name of a label");
  else
    for (int64_t v = 1; v <= given.labels; ++v) data.label_names.push_back(fmt::format("label{}", v));
  return data;
}

/// TOML, or JSON, which begins with a brace as no TOML does. Relative paths in it stay as they are.
Config read_config_text(const char* text) {
  const std::string config = text != nullptr ? text : "";
  const size_t begin = config.find_first_not_of(" \t\r\n");
  if (begin != std::string::npos && config[begin] == '{')
    return config_from_json(parse_json(text, "the config"), "config", {});
  return parse_config(config, "config", {}, {});
}

}  // namespace
}  // namespace concord::api

using namespace concord;
using namespace concord::api;

extern "C" int32_t concord_train(concord_session* session, const concord_training* training,
                                 const concord_run* run, concord_model** model) {
  return guarded([&] {
    require(session, "the session");
    require(model, "the place for the model");
    const concord_training given = read_struct(training, "concord_training");
    const Run how(run);
    Config config = read_config_text(given.config);
    if (!config.plugin_dirs.empty())
      fail(Fault::input, About{"config", "run.plugin_dirs"},
           "run.plugin_dirs has no effect here: give the folders to concord_open");
    for (GridPoint& cell : config.cells) cell.settings.run.threads = how.threads();
    const concord_features features = read_struct(given.features, "the features");
    if (given.labels < 1)
      fail(Fault::input, About{"", "labels"}, "there are {} labels; at least 1 is needed", given.labels);
    Dataset data = read_training(given, features);
    join_scores(config.cells, data);
    TrainRun events;
    events.event = [&](const Json& event) { how.event(event); };
    Trained trained = train_model(session->registry(), config.cells, data, events, how.control());
    *model = new concord_model{std::move(trained.model)};
    if (trained.interrupted)
      fail(Fault::interrupted, "interrupted: the model is what the last fit had reached");
  });
}
