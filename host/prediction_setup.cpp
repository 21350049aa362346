// SPDX-License-Identifier: MIT
#include "prediction_setup.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>

#include "data.hpp"
#include "predict/prediction.hpp"

namespace concord {
namespace po = boost::program_options;

void add_prediction_options(Arguments& arguments) {
  arguments.add()("model", po::value<std::string>()->value_name("FILE"), "the model")(
      "data", po::value<std::string>()->value_name("FILE"), "the data")(
      "format", po::value<std::string>()->default_value("detect")->value_name("NAME"), kFormatHelp)(
      "decoder", po::value<std::string>()->value_name("NAME"),
      "another decoder than the model's, by name or by path")(
      "rounding", po::value<std::string>()->value_name("NAME"),
      "another rounding, 'a' or 'a+b'; it also takes the place of thresholds")(
      "set", po::value<Strings>()->composing()->value_name("SCOPE.KEY=VALUE"),
      "predict.threshold (a number, or none), predict.threshold_on (scores or u), predict.normalise, "
      "predict.min_labels, or an "
      "option of a plugin: SCOPE is decoder, rounding or a plugin's name (may be given several times)")(
      "scores", po::value<std::string>()->value_name("FILE"),
      "scores of the instances by the base that scores.file named in training: .npy or .csv")(
      "seed", po::value<std::string>()->value_name("N"), "seed of all randomness; default: the model's")(
      "threads", po::value<std::string>()->default_value("0")->value_name("N"),
      "0: one for each processor; the result is the same for any number");
  arguments.add()(
      "trust-model-plugins",
      "load plugins that the model names by their path; without it a model's plugins are found by name "
      "only");
  add_plugin_dir(arguments);
}

std::ifstream open_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file || std::filesystem::is_directory(name))
    fail(Fault::io, About{name, name}, "{}", file ? "is a directory" : std::strerror(errno));
  return file;
}

ExpectedColumns PredictionSetup::columns() const {
  ExpectedColumns columns = columns_of(model);
  if (scores) {
    columns.features = model.preprocess.features();
    if (!columns.feature_names.empty()) columns.feature_names.resize(static_cast<size_t>(columns.features));
  }
  return columns;
}

namespace {

/// No override but whether the paths of a model are trusted.
PredictionOverrides trusting(const Arguments& arguments) {
  PredictionOverrides overrides;
  overrides.trusts_paths = arguments.has("trust-model-plugins");
  overrides.how_to_trust =
      "--trust-model-plugins loads it; --decoder and --rounding take others than the model's";
  return overrides;
}

/// The scores that go with the data of a model whose bases come with them.
std::unique_ptr<ScoreReader> open_scores(const Arguments& arguments, const Model& model) {
  if (!arguments.has("scores")) {
    if (!model.settings.scores.file.empty())
      fail(Fault::input,
           "the model was trained with scores by somebody else ({}): --scores FILE gives those of the data "
           "to predict",
           model.settings.scores.file.string());
    return nullptr;
  }
  const auto file = arguments.get<std::string>("scores");
  const About about{"--scores " + file, file};
  if (model.preprocess.given == 0)
    fail(Fault::input, about, "the model has no base whose scores come with the data");
  auto scores = score_reader(file, model.label_names);
  if (scores->columns() != model.preprocess.given)
    fail(Fault::input, about, "it has {} scores for each instance, and the model was trained with {}",
         scores->columns(), model.preprocess.given);
  return scores;
}

}  // namespace

PredictionInput::PredictionInput(const Arguments& arguments, ErrorList& errors)
    : data_(arguments.required("data")) {
  errors.attempt([&] { format_ = parse_data_format(arguments.get<std::string>("format")); });
  if (data_ != "-") errors.attempt([&] { file_ = open_file(data_); });
  if (!arguments.has("known")) return;
  known_ = arguments.get<std::string>("known");
  errors.attempt([&] { known_file_ = open_file(known_); });
}

std::unique_ptr<InstanceReader> PredictionInput::instances(const PredictionSetup& setup) {
  std::ios::sync_with_stdio(false);  // standard input is read by nobody else
  const bool piped = data_ == "-";
  auto reader =
      instance_reader(piped ? std::cin : file_, piped ? "standard input" : data_, format_, setup.columns());
  return setup.scores ? with_scores(std::move(reader), *setup.scores) : std::move(reader);
}

std::optional<KnownReader> PredictionInput::known(const PredictionSetup& setup) {
  if (known_.empty()) return std::nullopt;
  return std::optional<KnownReader>(std::in_place, known_file_, known_, setup.model.label_names);
}

PredictionSetup set_up_prediction(const Arguments& arguments, const Context& context, ErrorList& errors) {
  PredictionSetup setup;
  setup.model_file = arguments.required("model");
  setup.none = trusting(arguments);
  PredictionOverrides overrides = setup.none;
  if (arguments.has("decoder")) {
    const auto name = arguments.get<std::string>("decoder");
    overrides.decoder = PluginSpec{name, {}, "--decoder " + name};
  }
  errors.attempt([&] { overrides.rounding = rounding_given(arguments); });
  overrides.settings = arguments.list("set");
  errors.attempt([&] { setup.threads = parse_threads(arguments.get<std::string>("threads")); });
  errors.attempt([&] {
    setup.registry = std::make_unique<Registry>(registry_for(arguments, context));
    static_cast<ReadyModel&>(setup) =
        load_for_prediction(setup.model_file, overrides, *setup.registry, errors);
  });
  if (errors.empty()) errors.attempt([&] { setup.scores = open_scores(arguments, setup.model); });
  for (const auto& note : setup.notes) say(fmt::format("concord: note: {}\n", note));
  setup.seed = setup.model.settings.run.seed;
  if (arguments.has("seed"))
    errors.attempt([&] { setup.seed = parse_seed(arguments.get<std::string>("seed")); });
  return setup;
}

}  // namespace concord
