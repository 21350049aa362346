// SPDX-License-Identifier: MIT
// Configs that are right: defaults, every key, grids, plugins with options, --set, paths.
#include "config/config.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <set>

#include <concord/kit/rng.hpp>

#include "base/files.hpp"
#include "config/entries.hpp"
#include "config/keys.hpp"
#include "tests/unit/places.hpp"

namespace concord::config_test {

using Catch::Matchers::Contains;

namespace {

Config parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_config(text, "c.toml", "conf", overrides);
}

/// The settings of a config without a grid.
Settings one(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const Config config = parse(text, overrides);
  REQUIRE(config.cells.size() == 1);
  CHECK(config.cells[0].chosen.empty());
  return config.cells[0].settings;
}

using Chosen = std::vector<std::pair<std::string, std::string>>;

std::vector<Chosen> choices(const Config& config) {
  std::vector<Chosen> all;
  for (const GridPoint& cell : config.cells) all.push_back(cell.chosen);
  return all;
}

using Options = std::vector<std::pair<std::string, std::string>>;

Options options_of(const PluginSpec& plugin) {
  Options options;
  for (const Setting& setting : plugin.settings) options.emplace_back(setting.key, setting.value);
  return options;
}

}  // namespace

TEST_CASE("An empty config is the defaults", "[config]") {
  CHECK(settings_json(one("")) == settings_json(Settings{}));
  CHECK(settings_json(one("[run]\n[train]\n# nothing\n")) == settings_json(Settings{}));
}

TEST_CASE("A '+' in the path of a plugin does not make a chain", "[config]") {
  const Settings s =
      one("[predict]\nrounding = { name = \"./c++/rounding-mine.so+rounding/sign\", mine.draws = 5 }\n");
  REQUIRE(s.predict.rounding.size() == 2);
  CHECK(s.predict.rounding[0].name == "conf/./c++/rounding-mine.so");
  CHECK(options_of(s.predict.rounding[0]) == Options{{"draws", "5"}});
  CHECK(s.predict.rounding[1].name == "rounding/sign");
  CHECK(one("", {"predict.rounding=/a+b/rounding-mine.so"}).predict.rounding.size() == 1);
}

TEST_CASE("--set reads the value of an option as it reads that of a key", "[config]") {
  for (const auto& [written, read] : Options{{"lifted", "lifted"},
                                             {"\"lifted\"", "lifted"},
                                             {"[1, 2.5]", "[1, 2.5]"},
                                             {"1,2.5", "1,2.5"},
                                             {" true", "true"},
                                             {"a=b", "a=b"}}) {
    const ScopedSetting scoped = scoped_setting(Assignment("decoder.x=" + written));
    CHECK(scoped.scope == "decoder");
    CHECK(scoped.setting.key == "x");
    CHECK(scoped.setting.value == read);
    CHECK(scoped.setting.origin == "--set decoder.x=" + written);
    if (written.front() == '[') continue;  // in a config a list of an option is a grid
    CHECK(options_of(one("", {"train.decoder.x=" + written}).train.decoder) == Options{{"x", read}});
  }
  // A plugin reads the number that the user wrote; in a config a number is one of TOML.
  CHECK(scoped_setting(Assignment("decoder.x=1e-3")).setting.value == "1e-3");
  CHECK(options_of(one("", {"train.decoder.x=1e-3"}).train.decoder) == Options{{"x", "0.001"}});
  CHECK_THROWS_WITH(scoped_setting(Assignment("decoder.x=\"lifted")), Contains("is not a value"));
  CHECK_THROWS_WITH(scoped_setting(Assignment("decoder=x")), Contains("expected SCOPE.OPTION=VALUE"));
  try {
    scoped_setting(Assignment("decoder"));
    FAIL("nothing was refused");
  } catch (const Error& e) {
    CHECK(e.place() == "--set decoder");
    CHECK(e.reason() == "expected SCOPE.OPTION=VALUE, as in decoder.tol=1e-4");
  }
}

TEST_CASE("Every key of a config arrives", "[config]") {
  const Config config = parse(R"(
[run]
seed = 9223372036854775807
threads = 3
checkpoint = 0
plugin_dirs = ["mine", "/theirs"]
[data]
train = "yeast-train.arff"
labels = "/data/yeast.xml"
format = "arff"
[preprocess]
scale = "standardise"
bias = 2.5
[train]
method = "subgradient"
decoder = { name = "sdp-mixing", tol = 1e-3, form = "lifted", deep = true, rank = 0x10 }
loss = { name = "weighted-hamming", label_weights = [[1, 2.5, 3e-7]] }
prior = "repulsive"
diagonal = false
lambda_w = 1
lambda_a = 0.3
epochs = 7
batch = 250
warm_start = true
hinge = "hinge"
[select]
folds = 4
repeats = 3
metric = "hamming-loss"
[predict]
decoder = "./decoders/decoder-mine.so"
rounding = { name = "gaussian+local-search", gaussian.draws = 50, "local-search.max_moves" = 9 }
threshold_on = "u"
min_labels = 1
)");
  CHECK(config.file == "c.toml");
  CHECK(config.plugin_dirs == std::vector<std::filesystem::path>{"conf/mine", "/theirs"});
  REQUIRE(config.cells.size() == 1);
  const Settings& s = config.cells[0].settings;
  CHECK(s.run.seed == 9223372036854775807u);
  CHECK(s.run.threads == 3);
  CHECK(s.run.checkpoint == 0);
  CHECK(s.data.train == "conf/yeast-train.arff");
  CHECK(s.data.labels == "/data/yeast.xml");
  CHECK(s.data.format == DataFormat::arff);
  CHECK(s.preprocess.scale == Scale::standardise);
  CHECK(s.preprocess.bias == 2.5);
  CHECK(s.train.method == Method::subgradient);
  CHECK(s.train.decoder.name == "sdp-mixing");
  CHECK(options_of(s.train.decoder) ==
        Options{{"tol", "0.001"}, {"form", "lifted"}, {"deep", "true"}, {"rank", "16"}});
  CHECK(s.train.decoder.origin == "c.toml:16:11: train.decoder");
  CHECK(s.train.decoder.settings[0].origin == "c.toml:16:40: train.decoder.tol");
  CHECK(s.train.loss.name == "weighted-hamming");
  CHECK(options_of(s.train.loss) == Options{{"label_weights", "[1, 2.5, 3e-07]"}});
  CHECK(s.train.prior == PriorSign::repulsive);
  CHECK(s.train.diagonal == false);
  CHECK(s.train.lambda_w == 1);
  CHECK(s.train.lambda_a == 0.3);
  CHECK(s.train.epochs == 7);
  CHECK(s.train.batch == 250);
  CHECK(s.train.warm_start);
  CHECK(s.train.hinge == HingeLoss::hinge);
  CHECK(s.select.folds == 4);
  CHECK(s.select.holdout == 0);  // not the default 0.25, as folds are given
  CHECK(s.select.repeats == 3);
  CHECK(s.select.metric.name == "hamming-loss");
  REQUIRE(s.predict.decoder);
  CHECK(s.predict.decoder->name == "conf/./decoders/decoder-mine.so");
  REQUIRE(s.predict.rounding.size() == 2);
  CHECK(s.predict.rounding[0].name == "gaussian");
  CHECK(options_of(s.predict.rounding[0]) == Options{{"draws", "50"}});
  CHECK(s.predict.rounding[1].name == "local-search");
  CHECK(options_of(s.predict.rounding[1]) == Options{{"max_moves", "9"}});
  CHECK(s.predict.threshold_on == ThresholdOn::u);
  CHECK(s.predict.min_labels == 1);

  CHECK(one("[select]\nlambda_per_label = true\n[train]\nmethod = 'ovr'\n[preprocess]\nbias = 1")
            .select.lambda_per_label);
  CHECK(one("[select]\nholdout = 0").select.holdout == 0);
  CHECK(one("[predict]\nthreshold = -0.5").predict.threshold_value == -0.5);
  CHECK(one("[predict]\nthreshold = 'none'").predict.threshold == ThresholdKind::none);
  CHECK(one("[predict]\nthreshold = 'tuned'").predict.threshold == ThresholdKind::tuned);
  CHECK(one("[predict]\nthreshold = 'per-label'").predict.threshold == ThresholdKind::per_label);
  CHECK(one("[predict]\nthreshold = 'expected-f1'").predict.threshold == ThresholdKind::expected_f1);
  CHECK(!s.preprocess.fourier);
  const PreprocessSettings waves = one("[preprocess]\nfourier = 500\nfourier_width = 0.75").preprocess;
  CHECK(waves.fourier == 500);
  CHECK(waves.fourier_width == 0.75);
  CHECK(options_of(one("[train.loss]\nname = 'weighted-hamming'\nlabel_weights = []").train.loss) ==
        Options{{"label_weights", "[]"}});
}

TEST_CASE("Lists are grids, the last key of the file varying fastest", "[config]") {
  CHECK(choices(
            parse("[train]\nlambda_w = [0.1, 1]\nlambda_a = [0.01]\n[preprocess]\nscale = ['l2', 'none']")) ==
        std::vector<Chosen>{
            {{"train.lambda_w", "0.1"}, {"train.lambda_a", "0.01"}, {"preprocess.scale", "l2"}},
            {{"train.lambda_w", "0.1"}, {"train.lambda_a", "0.01"}, {"preprocess.scale", "none"}},
            {{"train.lambda_w", "1"}, {"train.lambda_a", "0.01"}, {"preprocess.scale", "l2"}},
            {{"train.lambda_w", "1"}, {"train.lambda_a", "0.01"}, {"preprocess.scale", "none"}}});
  // A section may be scattered over the file.
  CHECK(choices(parse(
            "[train.decoder]\nname = 'spectral'\n[predict]\nmin_labels = [0, 1]\n[train]\nepochs = [5, 6]"))
            [1] == Chosen{{"predict.min_labels", "0"}, {"train.epochs", "6"}});

  const Config plugins =
      parse("[train]\ndecoder = ['spectral', { name = 'tight', tol = [1e-3, 1e-4], w = [[1, 2], []] }]");
  CHECK(choices(plugins) ==
        std::vector<Chosen>{{{"train.decoder", "spectral"}},
                            {{"train.decoder", "{ name = \"tight\", tol = 0.001, w = [[1, 2]] }"}},
                            {{"train.decoder", "{ name = \"tight\", tol = 0.001, w = [[]] }"}},
                            {{"train.decoder", "{ name = \"tight\", tol = 0.0001, w = [[1, 2]] }"}},
                            {{"train.decoder", "{ name = \"tight\", tol = 0.0001, w = [[]] }"}}});
  CHECK(options_of(plugins.cells[3].settings.train.decoder) == Options{{"tol", "0.0001"}, {"w", "[1, 2]"}});

  const Config options =
      parse("[train]\nepochs = [1, 2]\ndecoder = { name = 'tight', tol = [1e-3, 1e-4], w = [[1, 2]] }");
  CHECK(choices(options)[3] ==
        Chosen{{"train.epochs", "2"}, {"train.decoder.tol", "0.0001"}, {"train.decoder.w", "[[1, 2]]"}});
  const Config chains =
      parse("[predict]\nrounding = { name = 'gaussian+local-search', gaussian.draws = [5, 50] }");
  CHECK(choices(chains)[1] == Chosen{{"predict.rounding.gaussian.draws", "50"}});
  CHECK(options_of(chains.cells[1].settings.predict.rounding[0]) == Options{{"draws", "50"}});
}

TEST_CASE("A random grid has every combination once, and --set of a cell's choices is that cell",
          "[config]") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> known = {
      {"preprocess.scale", {"'none'", "'l2'", "'standardise'", "'idf'"}},
      {"preprocess.bias", {"0", "1", "2.5"}},
      {"train.decoder",
       {"'spectral'", "{ name = 'tight', tol = [1e-3, 2.0], mode = 'x' }", "'./decoder-a.so'"}},
      {"train.loss", {"'hamming'", "{ name = 'weighted-hamming', label_weights = [[1, 2], [0.5]] }"}},
      {"train.prior", {"'any'", "'none'"}},
      {"train.lambda_w", {"1e-3", "1", "1e300"}},
      {"train.epochs", {"5", "50"}},
      {"predict.threshold_on", {"'u'", "'scores'"}},
      {"predict.min_labels", {"0", "1"}}};
  kit::Rng rng(4);
  for (int round = 0; round < 100; ++round) {
    std::string text;
    size_t cells = 1;
    for (const auto& [key, values] : known) {
      const size_t count = rng.below(values.size() + 1);
      if (count == 0) continue;
      const size_t dot = key.find('.');
      std::string list;
      size_t alternatives = 0;
      for (size_t i = 0; i < count; ++i) {
        list += values[i] + ", ";
        alternatives += values[i].front() == '{' ? 2 : 1;
      }
      text += fmt::format("{} = [{}]\n", key, list);  // a dotted key is a key in a section
      cells *= alternatives;
      REQUIRE(dot != std::string::npos);
    }
    CAPTURE(text);
    const Config config = parse(text);
    CHECK(config.cells.size() == cells);
    std::set<Chosen> distinct;
    for (const GridPoint& cell : config.cells) {
      CHECK(distinct.insert(cell.chosen).second);
      if (rng.below(config.cells.size()) > 20) continue;
      std::vector<std::string> overrides;
      for (const auto& [key, value] : cell.chosen) overrides.push_back(key + "=" + value);
      Config again = parse(text, overrides);
      REQUIRE(again.cells.size() == 1);
      // A path given to --set is relative to the current directory, not to the config.
      auto& decoder = again.cells[0].settings.train.decoder.name;
      if (decoder == "./decoder-a.so") decoder = "conf/./decoder-a.so";
      CHECK(settings_json(again.cells[0].settings) == settings_json(cell.settings));
    }
  }
}

TEST_CASE("--set overrides keys, grids and options", "[config]") {
  const std::string text =
      "[train]\nlambda_w = [0.1, 1]\ndecoder = { name = 'tight', tol = [1e-3, 1e-4], steps = 5 }\n";
  CHECK(parse(text, {"train.lambda_w=3"}).cells.size() == 2);
  const Settings s = one(text, {"train.lambda_w = 3", "train.decoder.tol=1e-6", "train.prior=attractive"});
  CHECK(s.train.lambda_w == 3);
  CHECK(s.train.prior == PriorSign::attractive);
  CHECK(s.train.decoder.name == "tight");
  CHECK(options_of(s.train.decoder) == Options{{"tol", "1e-06"}, {"steps", "5"}});
  CHECK(s.train.decoder.settings[0].origin == "--set train.decoder.tol=1e-6");

  // options meet the new plugin, whatever comes first; without one in the file they meet the default
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{"train.decoder.a=x", "train.decoder=mine", "train.lambda_w=1"},
        std::vector<std::string>{"train.decoder=mine", "train.lambda_w=1", "train.decoder.a=x"}}) {
    const Settings mine = one(text, overrides);
    CHECK(mine.train.decoder.name == "mine");
    CHECK(options_of(mine.train.decoder) == Options{{"a", "x"}});
  }
  CHECK(one("", {"train.loss.beta=2"}).train.loss.name == "f-beta");
  CHECK(options_of(one("", {"train.loss.beta=2"}).train.loss) == Options{{"beta", "2"}});
  const Settings rounded = one("[predict]\nrounding = 'a+b'", {"predict.rounding.b.n=3"});
  CHECK(options_of(rounded.predict.rounding[1]) == Options{{"n", "3"}});

  // a list is a grid here too, and paths are relative to the current directory
  CHECK(choices(parse("[train]\nepochs = 3", {"train.epochs=[4, 5]"}))[1] == Chosen{{"train.epochs", "5"}});
  const Settings paths = one("", {"data.train=../my data.arff", "predict.decoder=./decoder-x.so"});
  CHECK(paths.data.train == "../my data.arff");
  CHECK(paths.predict.decoder->name == "./decoder-x.so");
  CHECK(one("", {"select.metric=\"hamming-loss\""}).select.metric.name == "hamming-loss");
  CHECK(one("[select]\nfolds = 4", {"select.folds=0", "select.holdout=0.5"}).select.holdout == 0.5);
}

TEST_CASE("A config is read from a file, and paths in it are relative to its folder", "[config]") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("concord-config-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  write_file_atomically(folder / "c.toml", "[data]\ntrain = 'x.arff'\n");
  const Config config = read_config(folder / "c.toml", {});
  CHECK(config.cells[0].settings.data.train == folder / "x.arff");
  CHECK(config.cells[0].settings.data.labels.empty());
  std::filesystem::remove_all(folder);
  CHECK_THROWS_WITH(read_config(folder / "c.toml", {}), Contains("c.toml"));
}

TEST_CASE("docs/config.md has every key of every section", "[config]") {
  const std::string page =
      read_whole_file(std::filesystem::path(places::tests()).parent_path() / "docs/config.md");
  for (const std::string& section : setting_sections()) {
    const size_t from = page.find("## [" + section + "]");
    REQUIRE(from != std::string::npos);
    const std::string part = page.substr(from, page.find("\n## ", from) - from);
    for (const SettingKey& key : setting_keys()) {
      if (key.section != section) continue;
      CAPTURE(key.name());
      const size_t row = part.find(fmt::format("\n| `{}` | ", key.key));
      REQUIRE(row != std::string::npos);
      const auto by_default = key.default_value();
      if (!by_default.is_null())
        CHECK_THAT(part.substr(row, part.find('\n', row + 1) - row),
                   Contains(fmt::format(" | `{}` | ", by_default.dump())));
    }
  }
}

TEST_CASE("The record of a key is what its reader takes", "[config]") {
  const auto takes = [](const SettingKey& key, const nlohmann::ordered_json& value) {
    Settings settings;
    try {
      key.read(value_from_json(value, "here"), settings);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  int ranges = 0, choices = 0;
  for (const SettingKey& key : setting_keys()) {
    if (!key.read) continue;
    CAPTURE(key.name());
    CHECK_FALSE(key.help.empty());
    CHECK_FALSE(key.domain().empty());
    if (const auto by_default = key.default_value(); !by_default.is_null()) CHECK(takes(key, by_default));
    for (const Choice& choice : key.choices) CHECK(takes(key, choice.name));
    choices += static_cast<int>(key.choices.size());
    if (!key.choices.empty()) CHECK_FALSE(takes(key, "no such word"));
    if (std::isfinite(key.minimum)) {
      ++ranges;
      const auto low = static_cast<int64_t>(key.minimum);
      CHECK(takes(key, low) != key.excludes_minimum);
      CHECK_FALSE(takes(key, low - 1));
      CHECK(takes(key, 0.5) == (key.type == "number"));
    }
    if (std::isfinite(key.maximum)) {
      CHECK(takes(key, key.type == "number" ? nlohmann::ordered_json(key.maximum)
                                            : nlohmann::ordered_json(static_cast<int64_t>(key.maximum))));
      CHECK_FALSE(takes(key, static_cast<int64_t>(key.maximum) + 1));
    }
  }
  CHECK(ranges > 10);
  CHECK(choices > 15);
}

TEST_CASE("The configs in the documentation are right", "[config]") {
  const auto docs = std::filesystem::path(places::tests()).parent_path() / "docs";
  int blocks = 0;
  for (const char* name : {"config.md", "options.md"}) {
    const std::string page = read_whole_file(docs / name);
    for (size_t at = page.find("```toml\n"); at != std::string::npos; at = page.find("```toml\n", at + 1)) {
      const size_t from = at + 8;
      std::string text = page.substr(from, page.find("```", from) - from);
      // The lines of options.md are those of a section.
      if (text.front() == '#')
        text = (text.find("\nrounding") != std::string::npos ? "[predict]\n" : "[train]\n") + text;
      CAPTURE(text);
      CHECK_NOTHROW(parse(text));
      ++blocks;
    }
  }
  CHECK(blocks > 10);
}

}  // namespace concord::config_test
