// SPDX-License-Identifier: MIT
// Reading a config: its keys, their values, then the cells of the grid; every error of a step is reported.
#include "config/config.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/files.hpp"
#include "config/entries.hpp"
#include "config/readers.hpp"

namespace concord {
namespace {

std::vector<std::filesystem::path> read_paths(const ConfigValue& value, ErrorList& errors) {
  if (!value.is_list()) value.refuse("a list of paths");
  std::vector<std::filesystem::path> paths;
  for (const ConfigValue& element : value.list) errors.attempt([&] { paths.push_back(read_path(element)); });
  return paths;
}

/// Says a sentence once: the cells of a grid share their faults.
class Complaints {
 public:
  explicit Complaints(ErrorList& errors) : errors_(errors) {}
  void operator()(const Error& error) {
    if (said_.insert(error.what()).second) errors_.add(error);
  }

 private:
  ErrorList& errors_;
  std::set<std::string> said_;
};

/// Where each key was given, by its name ("train.decoder").
using GivenKeys = std::map<std::string, std::string>;

/// Whether contradictions depend on the value of this key, so that none can be named while it is wrong.
bool is_rule_input(const std::string& name) {
  for (const SettingKey& key : setting_keys())
    for (const Contradiction& rule : key.contradictions)
      if (std::find(rule.inputs.begin(), rule.inputs.end(), name) != rule.inputs.end()) return true;
  return false;
}

/// Complains of each key that is given and refused at this point of the grid.
void check_contradictions(const Settings& settings, const GivenKeys& given, Complaints& complain) {
  for (const SettingKey& key : setting_keys()) {
    const auto place = given.find(key.name());
    if (place == given.end()) continue;
    for (const Contradiction& rule : key.contradictions)
      if (rule.holds(settings))
        complain(Error(Fault::input, rule.why(settings), {place->second, key.name()}));
  }
}

/// The values of one key.
struct Axis {
  const SettingKey* key;
  std::vector<Alternative> alternatives;
};

/// Expands an entry, reading every value once to find its faults.
std::vector<Alternative> alternatives_of(const ConfigEntry& entry, ErrorList& errors) {
  std::vector<Alternative> alternatives = expand(*entry.key, entry.value);
  Complaints complain(errors);
  for (const Alternative& alternative : alternatives) {
    try {
      Settings scratch;
      entry.key->read(alternative.value, scratch);
    } catch (const Error& error) {
      complain(error);
    }
  }
  return alternatives;
}

void refuse_large_grid(const std::vector<Axis>& axes, const std::string& name) {
  std::vector<size_t> counts;
  std::vector<std::string> factors;
  for (const Axis& axis : axes) {
    counts.push_back(axis.alternatives.size());
    if (counts.back() > 1) factors.push_back(fmt::format("{} ({})", axis.key->name(), counts.back()));
  }
  if (!fits_in_grid(counts))
    fail(Fault::input, About{name, name}, "the grid {} has more than {} cells", fmt::join(factors, " x "),
         kMostCells);
}

/// A cell of one-versus-rest for each bias that it chooses among.
void add_with_biases(const GridPoint& cell, std::vector<GridPoint>& cells) {
  for (const double bias : kOvrBiases) {
    GridPoint& one = cells.emplace_back(cell);
    one.settings.preprocess.bias = bias;
    one.chosen.emplace_back("preprocess.bias", fmt::format("{}", bias));
  }
}

std::vector<GridPoint> cells_of(const std::vector<Axis>& axes) {
  std::vector<size_t> counts;
  for (const Axis& axis : axes) counts.push_back(axis.alternatives.size());
  std::vector<GridPoint> cells;
  for_product(counts, [&](const std::vector<size_t>& indices) {
    GridPoint cell;
    bool holdout_given = false, bias_given = false, method_given = false;
    for (size_t i = 0; i < axes.size(); ++i) {
      const Alternative& alternative = axes[i].alternatives[indices[i]];
      axes[i].key->read(alternative.value, cell.settings);
      cell.chosen.insert(cell.chosen.end(), alternative.chosen.begin(), alternative.chosen.end());
      holdout_given = holdout_given || axes[i].key->name() == "select.holdout";
      bias_given = bias_given || axes[i].key->name() == "preprocess.bias";
      method_given = method_given || axes[i].key->name() == "train.method";
    }
    // Defaults that depend on other keys are for those who say nothing. What one label says about another has to be right in
    // size where labels are known, and likelihood has better losses there.
    if (cell.settings.train.known.value_or(0) > 0 && !method_given)
      cell.settings.train.method = Method::likelihood;
    const SelectSettings& select = cell.settings.select;
    if (select.folds > 0 && !holdout_given) cell.settings.select.holdout = 0;
    if (cell.settings.train.method == Method::ovr && !bias_given && (select.folds > 0 || select.holdout > 0))
      add_with_biases(cell, cells);
    else
      cells.push_back(std::move(cell));
  });
  return cells;
}

}  // namespace

Config parse_config(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                    const std::vector<std::string>& overrides) {
  ErrorList errors;
  std::vector<ConfigEntry> entries = read_entries(parse_toml(text, name, folder), errors);
  apply_overrides(overrides, entries, errors);
  return config_of(entries, name, errors);
}

Config config_from_json(const nlohmann::ordered_json& sections, const std::string& name,
                        const std::filesystem::path& folder) {
  ErrorList errors;
  const ConfigValue document = value_from_json(sections, name, folder);
  if (!document.is_table()) document.refuse("an object with the sections of a config");
  const std::vector<ConfigEntry> entries = read_entries(document, errors);
  return config_of(entries, name, errors);
}

Config config_of(const std::vector<ConfigEntry>& entries, const std::string& name, ErrorList errors) {
  Config config;
  config.file = name;
  std::vector<Axis> axes;  // without those that have faults
  GivenKeys given;
  bool rules_apply = errors.empty();  // a misspelt key is no contradiction to another
  for (const ConfigEntry& entry : entries) {
    given[entry.key->name()] = entry.value.place;
    ErrorList faults;
    faults.attempt([&] {
      if (entry.key->form == SettingKey::Form::paths)
        config.plugin_dirs = read_paths(entry.value, faults);
      else
        axes.push_back({entry.key, alternatives_of(entry, faults)});
    });
    if (faults.empty()) continue;
    rules_apply = rules_apply && !is_rule_input(entry.key->name());
    if (!axes.empty() && axes.back().key == entry.key) axes.pop_back();
    for (const Error& fault : faults.all()) errors.add(fault);
  }
  errors.attempt([&] {
    refuse_large_grid(axes, name);
    config.cells = cells_of(axes);
    Complaints complain(errors);
    for (const GridPoint& cell : config.cells)
      if (rules_apply) check_contradictions(cell.settings, given, complain);
  });
  errors.throw_if_any();
  return config;
}

Config read_config(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse_config(read_whole_file(file), file.string(), file.parent_path(), overrides);
}

}  // namespace concord
