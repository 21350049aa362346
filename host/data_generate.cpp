// SPDX-License-Identifier: MIT
// concord data generate: a planted model, and data drawn from it.
#include "base/files.hpp"
#include "data.hpp"
#include "data/files.hpp"
#include "data/generate.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

Json planted_json(const PlantedModel& model, int64_t instances, int64_t test_instances) {
  const PlantedSettings& settings = model.settings;
  Json pairs = Json::array();
  for (const PlantedPair& pair : model.pairs)
    pairs.push_back(
        {{"labels",
          {model.label_names[static_cast<size_t>(pair.v)], model.label_names[static_cast<size_t>(pair.w)]}},
         {"A", pair.A}});
  return {{"instances", instances},
          {"test_instances", test_instances},
          {"features", settings.features},
          {"labels", settings.labels},
          {"seed", settings.seed},
          {"density", settings.density},
          {"coupling", settings.coupling},
          {"noise", settings.noise},
          {"label_names", model.label_names},
          {"b", std::vector<double>(model.b.data(), model.b.data() + model.b.size())},
          {"pairs", pairs}};
}

std::string wrote(const std::string& file, const Dataset& data) {
  return fmt::format("{}: {} instances, {} features, {} labels\n", file, data.instances(), data.features(),
                     data.labels());
}

}  // namespace

Exit run_data_generate(const Strings& words, Context& context) {
  const PlantedSettings defaults;
  Arguments arguments(
      "data generate --instances N --features D --labels V --seed S --out PREFIX [OPTIONS]",
      R"(Plants a model D(x,y) = y'W'x + y'b - y'Ay and draws labels from exp(D/T). Labels come in scenes of six: three
pairs that attract each other; labels of different pairs repel each other. Writes PREFIX-train.arff, PREFIX.xml,
PREFIX-planted.json (the pairs by name, with A) and PREFIX-test.arff if test instances are asked for.)");
  arguments.add()("instances", po::value<int64_t>()->value_name("N"), "training instances")(
      "test-instances", po::value<int64_t>()->default_value(0)->value_name("M"), "test instances")(
      "features", po::value<int64_t>()->value_name("D"), "number of features")(
      "labels", po::value<int64_t>()->value_name("V"), "number of labels")(
      "seed", po::value<std::string>()->default_value("1")->value_name("S"), "seed of all randomness")(
      "density", po::value<double>()->default_value(defaults.density)->value_name("P"),
      "share of the features that are not 0; below 1 the files are sparse")(
      "coupling", po::value<double>()->default_value(defaults.coupling)->value_name("A"),
      "strength of the planted pairs; the scores have a standard deviation of 2")(
      "noise", po::value<double>()->default_value(defaults.noise)->value_name("T"),
      "temperature; 0: the labels are the maximum of D")(
      "out", po::value<std::string>()->value_name("PREFIX"), "how the names of the files begin");
  if (!arguments.parse(words, context)) return Exit::done;
  for (const char* name : {"instances", "features", "labels"})
    if (!arguments.has(name))
      fail(Fault::input, "--{} is missing; 'concord data generate --help' explains it", name);
  const std::string prefix = arguments.required("out");
  const auto instances = arguments.get<int64_t>("instances"),
             test_instances = arguments.get<int64_t>("test-instances");
  if (test_instances < 0)
    fail(Fault::input, About{fmt::format("--test-instances {}", test_instances)}, "must be 0 or more");

  PlantedSettings settings;
  settings.features = arguments.get<int64_t>("features");
  settings.labels = arguments.get<int64_t>("labels");
  settings.seed = parse_seed(arguments.get<std::string>("seed"));
  settings.density = arguments.get<double>("density");
  settings.coupling = arguments.get<double>("coupling");
  settings.noise = arguments.get<double>("noise");
  const PlantedModel model = plant_model(settings);

  const Dataset train = draw_instances(model, instances, 0);
  write_arff(train, prefix + "-train.arff", prefix + ".xml");
  std::string text = wrote(prefix + "-train.arff", train);
  if (test_instances > 0) {
    const Dataset test = draw_instances(model, test_instances, 1);
    write_file_atomically(prefix + "-test.arff", arff_text(test));
    text += wrote(prefix + "-test.arff", test);
  }
  write_file_atomically(prefix + "-planted.json",
                        planted_json(model, instances, test_instances).dump(1) + "\n");
  context.out.write(
      text + fmt::format("{0}.xml, {0}-planted.json: {1} pairs planted\n", prefix, model.pairs.size()));
  return Exit::done;
}

}  // namespace concord
