// SPDX-License-Identifier: MIT
// concord predict: labels, scores or rankings for instances of a file or of standard input, as they come.
#include "base/files.hpp"
#include "cli.hpp"
#include "predict/prediction.hpp"
#include "prediction_setup.hpp"

namespace concord {
namespace po = boost::program_options;

Exit run_predict(const Strings& words, Context& context) {
  Arguments arguments(
      "predict --model FILE --data FILE|- [OPTIONS]",
      R"(Predicts with a model, a line for each instance. '--data -' reads standard input; memory does not grow
with the number of instances. Labels in the data are not looked at, and may be absent, unless some of an
instance are '?': then the others are known, and the unknown ones are predicted given them.)");
  add_prediction_options(arguments);
  arguments.add()("output", po::value<std::string>()->default_value("labels")->value_name("WHAT"),
                  "labels; scores (the numbers that thresholds cut); ranked (all labels, best first); or "
                  "probabilities (of models of method likelihood, or with the rule of expected F1)")(
      "suggest", po::value<int64_t>()->value_name("N"),
      "instead: the N likeliest of the unknown labels with their probabilities")(
      "known", po::value<std::string>()->value_name("FILE"),
      "labels that are known: CSV with a line of label names, then 1, 0 or ? for each instance. Without it "
      "they are those of instances whose labels in the data are in part ?")(
      "as", po::value<std::string>()->default_value("csv")->value_name("FORM"),
      "csv, with names; libsvm; or sparse, the names of the labels that are on")(
      "top", po::value<int64_t>()->value_name("K"),
      "no more than the K best labels: with --output ranked, or with --as sparse")(
      "out", po::value<std::string>()->value_name("FILE"), "write here instead of standard output");
  if (!arguments.parse(words, context)) return Exit::done;

  ErrorList errors;
  const PredictionSetup setup = set_up_prediction(arguments, context, errors);
  PredictionOutput output{};
  PredictionForm form{};
  errors.attempt([&] { output = parse_prediction_output("--output", arguments.get<std::string>("output")); });
  errors.attempt([&] { form = parse_prediction_form("--as", arguments.get<std::string>("as")); });
  int64_t suggestions = 0;  // or labels of a ranking
  if (arguments.has("suggest")) {
    suggestions = arguments.get<int64_t>("suggest");
    if (suggestions < 1)
      errors.add(Fault::input, "must be at least 1", {fmt::format("--suggest {}", suggestions)});
    output = PredictionOutput::suggestions;
  }
  if (arguments.has("top")) {
    if (arguments.has("suggest"))
      errors.add(Fault::input, "--suggest and --top both say how many labels: give one");
    suggestions = arguments.get<int64_t>("top");
    if (suggestions < 1)
      errors.add(Fault::input, "must be at least 1", {fmt::format("--top {}", suggestions)});
  }
  PredictionInput input(arguments, errors);
  errors.throw_if_any();

  const auto reader = input.instances(setup);
  ModelPredictor predictor(setup.model, setup.plan, setup.seed, context.control, setup.threads);
  const PredictionText text(output, form, setup.model.label_names, suggestions);
  auto known = input.known(setup);
  std::optional<AtomicFile> out;
  if (arguments.has("out")) out.emplace(arguments.get<std::string>("out"));
  const PredictedStream done =
      predict_stream(*reader, known ? &*known : nullptr, predictor, text, ModelPredictor::kBlock,
                     [&](const std::string& lines) { out ? out->write(lines) : context.out.write(lines); });
  if (out) out->commit();
  if (done.ranked_by_field && (output == PredictionOutput::ranked || output == PredictionOutput::scores))
    say("concord: note: the decoder's u is -1 or +1, which orders nothing: labels are ranked by their score plus what the "
        "prior adds given the other labels\n");
  if (done.error > 0)
    say(fmt::format("concord: note: the probabilities are drawn; the largest standard error is {:.2g}\n",
                    done.error));
  return Exit::done;
}

}  // namespace concord
