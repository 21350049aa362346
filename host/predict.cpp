// SPDX-License-Identifier: MIT
// concord predict: labels, scores or rankings for instances of a file or of standard input, as they come.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include "base/files.hpp"
#include "cli.hpp"
#include "predict/prediction.hpp"
#include "prediction_setup.hpp"

namespace concord {
namespace po = boost::program_options;

Exit run_predict(const Strings& words, Context& context) {
  Arguments arguments(
      "predict --model FILE --data FILE|- [OPTIONS]",
      "Predicts with a model, a line for each instance. '--data -' reads standard input; memory does not "
      "grow\n"
      "with the number of instances. Labels in the data are not looked at, and may be absent.");
  add_prediction_options(arguments);
  arguments.add()("output", po::value<std::string>()->default_value("labels")->value_name("WHAT"),
                  "labels; scores (the numbers that thresholds cut); or ranked (all labels, best first)")(
      "as", po::value<std::string>()->default_value("csv")->value_name("FORM"), "csv, with names, or libsvm")(
      "out", po::value<std::string>()->value_name("FILE"), "write here instead of standard output");
  if (!arguments.parse(words, context.out)) return Exit::done;

  ErrorList errors;
  const std::string data = arguments.required("data");
  const PredictionSetup setup = set_up_prediction(arguments, context, errors);
  PredictionOutput output{};
  PredictionForm form{};
  DataFormat format{};
  errors.attempt([&] { output = parse_prediction_output("--output", arguments.get<std::string>("output")); });
  errors.attempt([&] { form = parse_prediction_form("--as", arguments.get<std::string>("as")); });
  errors.attempt([&] { format = parse_data_format(arguments.get<std::string>("format")); });
  std::ifstream file;
  if (data != "-") {
    file.open(data, std::ios::binary);
    if (!file || std::filesystem::is_directory(data))
      errors.add(Fault::io, file ? "is a directory" : std::strerror(errno), {data, data});
  }
  errors.throw_if_any();

  std::ios::sync_with_stdio(false);  // standard input is read by nobody else
  const auto reader = instance_reader(data == "-" ? std::cin : file, data == "-" ? "standard input" : data,
                                      format, columns_of(setup.model));
  ModelPredictor predictor(setup.model, setup.plan, setup.seed, context.control, setup.threads);
  const PredictionText text(output, form, setup.model.label_names);
  std::optional<AtomicFile> out;
  if (arguments.has("out")) out.emplace(arguments.get<std::string>("out"));
  predict_stream(*reader, predictor, text, ModelPredictor::kBlock,
                 [&](const std::string& lines) { out ? out->write(lines) : context.out.write(lines); });
  if (out) out->commit();
  return Exit::done;
}

}  // namespace concord
