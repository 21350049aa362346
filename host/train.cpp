// SPDX-License-Identifier: MIT
// concord train: from a config to a model file.
#include <unistd.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli.hpp"
#include "config/config.hpp"
#include "data.hpp"
#include "progress.hpp"
#include "train/automatic.hpp"
#include "train/fit.hpp"
#include "train/plan.hpp"
#include "train/selection.hpp"
#include "train/trainer.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

std::string prior_text(const Model& model) {
  const TrainSettings& train = model.settings.train;
  if (train.method == Method::ovr) return "no prior (one-versus-rest)";
  if (train.prior == PriorSign::none) return "no prior";
  return fmt::format("prior of {} sign{}", name_of(train.prior.value_or(PriorSign::any)),
                     train.diagonal.value_or(false) ? " with a diagonal" : "");
}

std::string summary(const Model& model, const std::string& file) {
  const Json& record = model.record;
  std::string text = fmt::format("model       {}: {} labels, {} features, {}\n", file, model.labels(),
                                 model.preprocess.features(), prior_text(model));
  const Json& selection = record.at("selection");
  if (!selection.at("cells").empty()) {
    const Json& cell = selection.at("cells").at(selection.at("winner").get<size_t>());
    if (!cell.at("chosen").empty())
      text += fmt::format("selected    {} (of {} cells)\n", chosen_text(cell.at("chosen")),
                          selection.at("cells").size());
    text += fmt::format("validation  {} {:.4f}{}\n", selection.at("metric").get<std::string>(),
                        cell.at("value").get<double>(), error_text(cell.at("error")));
  }
  if (!record.at("objective").is_null())
    text +=
        fmt::format("objective   {:.6g}{}\n", record.at("objective").get<double>(),
                    record.at("gap").is_null() ? ""
                                               : fmt::format(", {} duality gap {:.3g} %",
                                                             record.at("estimate") ? "estimated" : "proven",
                                                             100 * record.at("gap").get<double>()));
  if (!record.at("try_epochs").is_null())
    text += open_gap_text(record.at("gap").get<double>(), record.at("try_epochs").get<int64_t>()) + "\n";
  if (record.contains("prior"))
    text += fmt::format("did the prior help? {}\n", verdict_text(record.at("prior")));
  return text;
}

/// Training takes long: that its result cannot be written must be said before.
void require_writable(const std::filesystem::path& file) {
  const About about{"--model " + file.string(), file.string()};
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!std::filesystem::is_directory(folder))
    fail(Fault::input, about, "there is no folder {}", folder.string());
  if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file))
    fail(Fault::input, about, "this is not a file");
  if (::access(folder.c_str(), W_OK) != 0)
    fail(Fault::io, about, "the folder {} is not writable", folder.string());
}

/// What to do about a checkpoint or a shard.
std::string remedy_of(const Error& error, const TrainRun& run) {
  if (error.subject() == kShardSubject) return "--shard I/N makes the I-th of N";
  if (error.kind() == Fault::interrupted) return "--resume continues";
  if (!run.resume) return "--resume continues it, --restart starts anew";
  return std::filesystem::exists(run.checkpoint) ? "--restart starts anew" : "Leave --resume out to start";
}

/// Whether the file is data and no config: by its name, and TOML is no format of data.
bool is_data_file(const std::filesystem::path& file) {
  for (const char* extension : {".arff", ".csv", ".tsv", ".libsvm", ".svm", ".npy", ".npz", ".xc", ".txt"})
    if (file.extension() == extension) return true;
  return false;
}

/// "5m", "90s", "1h" or seconds.
double budget_given(const Arguments& arguments) {
  const auto text = arguments.get<std::string>("budget");
  const double unit = text.ends_with('h') ? 3600 : text.ends_with('m') ? 60 : 1;
  const bool has_unit = unit > 1 || text.ends_with('s');
  const auto number = number_in<double>(std::string_view(text).substr(0, text.size() - (has_unit ? 1 : 0)));
  if (!number || !(*number > 0))
    fail(Fault::input, About{"--budget " + text}, "expected a time above 0, such as 90s, 5m or 1h");
  return *number * unit;
}

/// Writes the config that the data and the budget lead to as `file`, and says why.
void write_automatic_config(const DataSource& source, const Dataset& data, const Arguments& arguments,
                            const std::string& file) {
  const AutomaticConfig chosen = choose_config(data, source, budget_given(arguments));
  write_file_atomically(file, chosen.toml);
  if (arguments.has("quiet")) return;
  for (const std::string& reason : chosen.reasons) say(reason + "\n");
  say(fmt::format("config      {}\n", file));
}

}  // namespace

Exit run_train(const Strings& words, Context& context) {
  Arguments arguments(
      R"(train CONFIG.toml --model FILE [OPTIONS]
       concord train DATA [--labels WHERE] [--model FILE] [--budget TIME] [OPTIONS])",
      R"(Learns W and the label prior A from the data that the config names, chooses what the config leaves open
(a list instead of a value is a grid) on parts of the training data, and writes one model file.
For a file of data in the place of a config it looks at the data, chooses a config for them within a budget
of time, says why, and writes it as FILE.toml: training by that gives the same model.)");
  arguments.positional("config");
  add_source_options(arguments);
  arguments.add()("budget", po::value<std::string>()->default_value("2m")->value_name("TIME"),
                  "for data without a config: how long training may take, such as 90s, 5m or 1h")(
      "model", po::value<std::string>()->value_name("FILE"),
      "where the model goes; for data without a config the default is their name with .model")(
      "set", po::value<Strings>()->composing()->value_name("SECTION.KEY=VALUE"),
      "override a key of the config (may be given several times)")(
      "resume", "continue an unfinished run from FILE.checkpoint, to the same model")(
      "restart", "discard FILE.checkpoint and start anew")("quiet", "no progress")(
      "log", po::value<std::string>()->value_name("FILE"), "what happens, as JSON lines")(
      "threads", po::value<std::string>()->value_name("N"),
      "in the place of run.threads; 0: one for each processor; the model is the same for any number")(
      "time-limit", po::value<double>()->value_name("SECONDS"),
      "then end as by Ctrl-C: with the model that the refit has reached, if it has begun, and a checkpoint")(
      "shard", po::value<std::string>()->value_name("I/N"),
      "only the I-th of N shares of the selection, left in FILE.shard-I-of-N; no model yet")(
      "merge", po::value<Strings>()->multitoken()->value_name("SHARD..."),
      "the selection from these files of all N shards, then the refit: the same model as by one run")(
      "json", "one JSON object on standard output");
  add_plugin_dir(arguments);
  if (!arguments.parse(words, context)) return Exit::done;
  if (arguments.has("shard") && arguments.has("merge"))
    fail(Fault::input, "--shard makes a shard and --merge unites all of them: give one of them");
  if (arguments.has("resume") && arguments.has("restart"))
    fail(Fault::input, "--resume continues a run and --restart discards it: give one of them");
  if (arguments.has("time-limit")) context.control.cut_off = seconds_from_now(time_limit_given(arguments));
  std::string config_file = arguments.required("config");
  const bool is_data = is_data_file(config_file);
  if (!is_data)
    for (const char* option : {"labels", "ignore"})
      if (arguments.has(option))
        fail(Fault::input, About{fmt::format("--{}", option)}, "{} is a config, which has data.{}",
             config_file, option);
  if (is_data && !arguments.list("set").empty())
    fail(Fault::input,
         "--set overrides a config, and {} is data: training writes a config that can be changed",
         config_file);
  const std::filesystem::path model_file = is_data && !arguments.has("model")
                                               ? std::filesystem::path(config_file).stem().string() + ".model"
                                               : arguments.required("model");
  const std::filesystem::path log_file =
      arguments.has("log") ? arguments.get<std::string>("log") : std::string();
  require_writable(model_file);
  if (context.ranks.is_first()) sweep_leftovers(model_file);
  for (const auto& other : {std::filesystem::path(config_file), log_file})
    if (!other.empty() &&
        std::filesystem::weakly_canonical(other) == std::filesystem::weakly_canonical(model_file))
      fail(Fault::input, About{"--model " + model_file.string(), model_file.string()},
           "this file is named twice on the command line");

  Dataset train;
  if (is_data) {
    const DataSource source = source_for(arguments, config_file);
    train = read_dataset(source);
    config_file = model_file.string() + ".toml";
    write_automatic_config(source, train, arguments, config_file);
  }
  Config config = read_config(config_file, arguments.list("set"));
  Registry registry = registry_for(arguments, context, config.plugin_dirs);
  const DataSettings& source = config.cells.front().settings.data;
  if (source.train.empty())
    fail(Fault::input, About{config_file, "data.train"}, "data.train is missing; it names the training data");
  if (!is_data) train = read_dataset(source.source());
  join_scores(config.cells, train);

  TrainRun run;
  std::optional<Shard> shard;
  if (arguments.has("shard")) shard = parse_shard(arguments.get<std::string>("shard"));
  const std::filesystem::path shard_file =
      shard ? fmt::format("{}.shard-{}-of-{}", model_file.string(), shard->index, shard->count)
            : model_file.string();
  run.checkpoint = shard_file.string() + ".checkpoint";
  for (const std::string& file : arguments.list("merge")) run.merge.emplace_back(file);
  run.resume = arguments.has("resume");
  run.restart = arguments.has("restart");
  run.ranks = &context.ranks;
  const bool speaks = context.ranks.is_first();  // of all that would say and write the same
  Progress progress(arguments.has("quiet"), speaks ? log_file : std::filesystem::path(), run.resume);
  if (speaks) run.event = [&](const Json& event) { progress(event); };
  if (arguments.has("threads")) {
    const int threads = parse_threads(arguments.get<std::string>("threads"));
    for (GridPoint& cell : config.cells) cell.settings.run.threads = threads;
  }
  const auto with_remedy = [&](const auto& work) {
    try {
      return work();
    } catch (const Error& error) {
      if (error.subject() != kCheckpointSubject && error.subject() != kShardSubject) throw;
      throw Error(error.kind(), error.reason(), {error.place(), error.subject(), remedy_of(error, run)});
    }
  };
  if (shard) {
    const size_t cells = with_remedy(
        [&] { return train_shard(registry, config.cells, train, run, *shard, shard_file, context.control); });
    if (speaks) std::filesystem::remove(run.checkpoint);  // not before the shard is on the disk
    if (arguments.has("json"))
      context.out.write(to_line({{"shard", shard_file.string()}, {"cells", cells}}));
    else
      context.out.write(fmt::format("shard       {}: {} cells tried\n", shard_file.string(), cells));
    return Exit::done;
  }
  const Trained trained =
      with_remedy([&] { return train_model(registry, config.cells, train, run, context.control); });
  if (!speaks) return trained.interrupted ? Exit::interrupted : Exit::done;
  save_model(trained.model, model_file);
  if (!trained.interrupted) std::filesystem::remove(run.checkpoint);  // not before the model is on the disk
  if (arguments.has("json")) {
    Json json = {{"model", model_file.string()}};
    json.update(trained.model.record);
    json["plugins"] = trained.plugins;  // typed, as every verb has them
    json["config"] = settings_json(trained.model.settings);
    context.out.write(to_line(json));
  } else {
    context.out.write(summary(trained.model, model_file.string()));
  }
  if (!trained.interrupted) return Exit::done;
  say(fmt::format("concord: {}: the model is what the refit had reached; --resume continues after epoch {}\n",
                  trained.cut_off ? "the time limit ended training" : "interrupted",
                  trained.resumable_epochs));
  return Exit::interrupted;
}

}  // namespace concord
