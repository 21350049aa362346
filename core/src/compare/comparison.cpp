// SPDX-License-Identifier: MIT
// Reading a comparison: [compare], [dataset.*], [method.*], [problems.*], [solver.*], [reference], and the sections
// of a training config, which hold for every method.
#include "compare/comparison.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "compare/layers.hpp"
#include "compare/problem_sets.hpp"
#include "config/readers.hpp"
#include "metrics/metrics.hpp"

namespace concord {
namespace {

using Entries = std::vector<ConfigEntry>;

const ConfigValue& empty_table() {
  static const ConfigValue empty = [] {
    ConfigValue value;
    value.kind = ConfigValue::Kind::table;
    return value;
  }();
  return empty;
}

/// Refuses members that are neither among `known` nor, where allowed, sections of a training config.
void require_known(const ConfigValue& table, const std::string& what, const std::vector<std::string>& known,
                   bool sections, ErrorList& errors) {
  for (const ConfigMember& member : table.table) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    if (sections && is_setting_section(member.key) && member.key != "data") continue;
    std::vector<std::string> all = known;
    if (sections)
      for (const std::string& section : setting_sections())
        if (section != "data") all.push_back(section);
    errors.add(Fault::input,
               fmt::format("{}: {} has no key {}{} (its keys: {})", member.place, what, quote(member.key),
                           did_you_mean(member.key, all), fmt::join(all, ", ")));
  }
}

const ConfigValue& table_member(const ConfigValue& table, const char* key) {
  const ConfigMember* member = table.find(key);
  if (member == nullptr) return empty_table();
  if (!member->value.is_table()) member->value.refuse("a table");
  return member->value;
}

std::vector<std::string> read_names(const ConfigValue& value, const std::string& expected) {
  std::vector<std::string> names;
  if (!value.is_list()) return {read_string(value, expected)};
  for (const ConfigValue& element : value.list) names.push_back(read_string(element, expected));
  return names;
}

struct DatasetEntry {
  std::string name;
  DataSource train, test;
  Entries settings;
};

struct MethodEntry {
  Entries settings;
  Entries axes;
  std::map<std::string, Entries> per_dataset;
  std::vector<std::string> datasets;  ///< empty: all
};

class Reader {
 public:
  Reader(const std::string& text, const std::string& name, const std::filesystem::path& folder,
         const std::vector<std::string>& overrides)
      : name_(name), overrides_(overrides), document_(parse_toml(text, name, folder)) {
    comparison_.config = {
        {"file", name}, {"sha256", sha256_hex(text)}, {"text", text}, {"overrides", overrides}};
    comparison_.title = std::filesystem::path(name).stem().string();
  }

  Comparison read() {
    require_known(document_, "a comparison",
                  {"compare", "dataset", "method", "problems", "solver", "reference"}, true, errors_);
    common_ = read_entries(sections_of(document_), errors_);
    errors_.attempt([&] { read_compare(table_member(document_, "compare")); });
    errors_.attempt([&] { read_datasets(table_member(document_, "dataset")); });
    errors_.attempt([&] { read_methods(table_member(document_, "method")); });
    errors_.throw_if_any();  // what follows is made of these
    add_training_cells();
    refuse_unused();
    check_baselines();
    errors_.attempt([&] { read_reference(table_member(document_, "reference")); });
    errors_.attempt([&] {
      add_solver_cells(table_member(document_, "problems"), table_member(document_, "solver"), common_,
                       comparison_, errors_);
    });
    if (errors_.empty() && comparison_.cells.empty())
      errors_.add(Fault::input,
                  fmt::format("{}: there is nothing to compare: give [dataset.NAME] and [method.NAME], "
                              "or [problems.NAME] and [solver.NAME]",
                              name_));
    check_ids();
    errors_.throw_if_any();
    return std::move(comparison_);
  }

 private:
  void read_compare(const ConfigValue& table) {
    require_known(table, "[compare]", {"title", "metric", "baseline", "seconds", "memory"}, false, errors_);
    comparison_.metric = "example-f1-loss";
    for (const ConfigMember& member : table.table)
      errors_.attempt([&] {
        const ConfigValue& value = member.value;
        if (member.key == "title") comparison_.title = read_string(value, "a line of text");
        if (member.key == "baseline") {
          comparison_.baselines = read_names(value, "the name of a method, or a list of them");
          baseline_place_ = value.place;
        }
        if (member.key == "seconds") comparison_.limits.seconds = read_positive(value);
        if (member.key == "memory") comparison_.limits.mebibytes = read_positive(value);
        if (member.key == "metric") {
          comparison_.metric = read_string(value, "the name of a metric");
          try {
            find_metric(comparison_.metric);
          } catch (const Error& e) {
            fail(Fault::input, "{}: {}", value.place, e.what());
          }
        }
      });
  }

  void read_datasets(const ConfigValue& table) {
    for (const ConfigMember& member : table.table)
      errors_.attempt([&] {
        if (!member.value.is_table()) member.value.refuse("a table: [dataset.NAME]");
        require_known(member.value, fmt::format("[dataset.{}]", member.key),
                      {"training", "test", "labels", "test_labels", "format"}, true, errors_);
        DatasetEntry dataset{member.key, {}, {}, read_entries(sections_of(member.value), errors_)};
        const auto path = [&](const char* key, bool required) -> std::filesystem::path {
          const ConfigMember* found = member.value.find(key);
          if (found == nullptr && required)
            fail(Fault::input, "{}: [dataset.{}] has no {}; it names the {} data", member.place, member.key,
                 key, key);
          if (found == nullptr) return {};
          const std::filesystem::path file =
              std::filesystem::absolute(read_path(found->value)).lexically_normal();
          if (!std::filesystem::is_regular_file(file))
            errors_.add(Fault::input,
                        fmt::format("{}: there is no file {}", found->value.place, file.string()));
          return file;
        };
        DataFormat format = DataFormat::detect;
        if (const ConfigMember* given = member.value.find("format"))
          format = read_choice(given->value, {DataFormat::arff, DataFormat::libsvm, DataFormat::detect});
        dataset.train = {path("training", true), path("labels", false), format};
        dataset.test = {path("test", true), path("test_labels", false), format};
        // One XML names the labels of both files, unless the second has its own.
        if (dataset.test.labels.empty()) dataset.test.labels = dataset.train.labels;
        datasets_.push_back(std::move(dataset));
        comparison_.datasets.push_back({{"name", member.key},
                                        {"train", datasets_.back().train.file.string()},
                                        {"test", datasets_.back().test.file.string()},
                                        {"instances", nullptr},
                                        {"test_instances", nullptr},
                                        {"features", nullptr},
                                        {"labels", nullptr}});
      });
  }

  void read_methods(const ConfigValue& table) {
    if (!table.table.empty() && datasets_.empty() && errors_.empty())
      fail(Fault::input, "{}: there are methods and no [dataset.NAME] to try them on", table.table[0].place);
    if (table.table.empty() && !datasets_.empty())
      fail(Fault::input, "{}: there are datasets and no [method.NAME] to try on them", name_);
    for (const ConfigMember& member : table.table) errors_.attempt([&] { read_method(member); });
  }

  void read_method(const ConfigMember& member) {
    if (!member.value.is_table()) member.value.refuse("a table: [method.NAME]");
    require_known(member.value, fmt::format("[method.{}]", member.key),
                  {"like", "datasets", "axes", "dataset"}, true, errors_);
    MethodEntry method;
    if (const ConfigMember* like = member.value.find("like")) {
      const std::string other = read_string(like->value, "the name of a method above");
      const auto found = methods_.find(other);
      std::vector<std::string> names;
      for (const auto& [known, ignored] : methods_) names.push_back(known);
      if (found == methods_.end())
        fail(Fault::input, "{}: there is no method {} above this one{}", like->value.place, quote(other),
             did_you_mean(other, names));
      method = found->second;
    }
    const Entries own = read_entries(sections_of(member.value), errors_);
    method.settings = layered(std::move(method.settings), own);
    // What a method sets for all datasets is not undone by what its model set for one of them.
    for (auto& [dataset, entries] : method.per_dataset)
      std::erase_if(entries, [&](const ConfigEntry& entry) { return sets(own, entry.key); });
    std::erase_if(method.axes, [&](const ConfigEntry& axis) { return sets(own, axis.key); });
    const Entries axes = read_entries(table_member(member.value, "axes"), errors_);
    for (const ConfigEntry& axis : axes)
      if (sets(own, axis.key))
        errors_.add(Fault::input,
                    fmt::format("{}: {} is both set and an axis", axis.value.place, axis.key->name()));
    method.axes = layered(std::move(method.axes), axes);
    for (const ConfigMember& one : table_member(member.value, "dataset").table) {
      if (!one.value.is_table()) one.value.refuse("a table with sections");
      require_dataset(one.key, one.place);
      require_known(one.value, "a method's dataset", {}, true, errors_);
      auto& entries = method.per_dataset[one.key];
      entries = layered(std::move(entries), read_entries(sections_of(one.value), errors_));
    }
    if (const ConfigMember* only = member.value.find("datasets")) {
      method.datasets = read_names(only->value, "names of datasets");
      for (const std::string& name : method.datasets) require_dataset(name, only->value.place);
    }
    methods_[member.key] = method;
    order_.push_back(member.key);
  }

  static bool sets(const Entries& entries, const SettingKey* key) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const ConfigEntry& entry) { return entry.key == key; });
  }

  void require_dataset(const std::string& name, const std::string& place) {
    std::vector<std::string> names;
    for (const DatasetEntry& dataset : datasets_) names.push_back(dataset.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      errors_.add(Fault::input, fmt::format("{}: there is no dataset {}{} (the datasets: {})", place,
                                            quote(name), did_you_mean(name, names), fmt::join(names, ", ")));
  }

  void add_training_cells() {
    std::set<std::string> said;
    for (const std::string& name : order_) {
      std::vector<AxisPoint> points;
      errors_.attempt([&] { points = points_of(methods_[name].axes); });
      for (const AxisPoint& point : points) {
        std::string column = name;
        Json axes = Json::object();
        for (size_t i = 0; i < point.texts.size(); ++i) {
          column += " " + point.texts[i];
          axes[point.entries[i].key->name()] = point.texts[i];
        }
        comparison_.methods.push_back({{"name", column}, {"method", name}, {"axes", axes}});
        for (const DatasetEntry& dataset : datasets_) {
          const auto& only = methods_[name].datasets;
          if (!only.empty() && std::find(only.begin(), only.end(), dataset.name) == only.end()) continue;
          try {
            comparison_.cells.push_back(training_cell(dataset, methods_[name], column, axes, point));
          } catch (const Error& e) {  // methods and datasets share their faults
            if (said.insert(e.what()).second) errors_.add(e.kind(), e.what());
          }
        }
      }
    }
  }

  CompareCell training_cell(const DatasetEntry& dataset, const MethodEntry& method, const std::string& column,
                            const Json& axes, const AxisPoint& point) {
    Entries own = method.settings;
    if (const auto here = method.per_dataset.find(dataset.name); here != method.per_dataset.end())
      own = layered(std::move(own), here->second);
    own = layered(std::move(own), point.entries);
    Entries entries = layered(layered(common_, dataset.settings), own);
    ErrorList errors;
    apply_overrides(overrides_, entries, errors);
    leave_out_unused(entries, own);
    for (const ConfigEntry& entry : entries)
      if (entry.key->section == std::string("data"))
        errors.add(Fault::input,
                   fmt::format("{}: the data of a comparison are in [dataset.NAME]", entry.value.place));
    CompareCell cell;
    cell.row = dataset.name;
    cell.column = column;
    cell.id = folder_name(dataset.name) + "/" + folder_name(column);
    cell.config = config_of(entries, name_, errors);
    cell.request = {{"kind", "train"},
                    {"id", cell.id},
                    {"dataset", dataset.name},
                    {"method", column},
                    {"axes", axes},
                    {"metric", comparison_.metric},
                    {"train", dataset.train.file.string()},
                    {"labels", dataset.train.labels.string()},
                    {"test", dataset.test.file.string()},
                    {"test_labels", dataset.test.labels.string()},
                    {"format", name_of(dataset.train.format)},
                    {"config", document_json(entries)}};
    return cell;
  }

  /// What is said to all methods, in sections of their own or by --set, is not said to one-versus-rest where it has
  /// no use for it. What a method says itself stays, and is refused.
  void leave_out_unused(Entries& entries, const Entries& own) {
    const bool is_ovr = std::any_of(entries.begin(), entries.end(), [](const ConfigEntry& entry) {
      return entry.key->name() == "train.method" && entry.value.text() == name_of(Method::ovr);
    });
    std::erase_if(entries, [&](const ConfigEntry& entry) {
      const bool is_unused = is_ovr && entry.key->is_unused_by_ovr && !sets(own, entry.key);
      if (is_unused)
        left_out_.emplace(entry.key, entry.value.place);
      else
        used_.insert(entry.key);
      return is_unused;
    });
  }

  void refuse_unused() {
    for (const auto& [key, place] : left_out_)
      if (!used_.contains(key))
        errors_.add(Fault::input, fmt::format("{}: all methods are one-versus-rest, which does not use {}",
                                              place, key->name()));
  }

  bool has_column(const std::string& name) const {
    return std::any_of(comparison_.methods.begin(), comparison_.methods.end(),
                       [&](const Json& method) { return method.at("name") == name; });
  }

  void require_column(const std::string& name, const std::string& place) {
    std::vector<std::string> names;
    for (const Json& method : comparison_.methods) names.push_back(method.at("name"));
    if (!has_column(name))
      errors_.add(Fault::input, fmt::format("{}: there is no method {}{} (the methods: {})", place,
                                            quote(name), did_you_mean(name, names), fmt::join(names, ", ")));
  }

  void check_baselines() {
    for (const std::string& name : comparison_.baselines) require_column(name, baseline_place_);
  }

  /// Values that others published, by method and dataset; a text where there is none ("N/A").
  void read_reference(const ConfigValue& table) {
    if (table.table.empty()) return;
    require_known(table, "[reference]", {"name", "values"}, false, errors_);
    const ConfigMember* name = table.find("name");
    comparison_.reference = {{"name", name == nullptr ? "reference" : read_string(name->value, "a name")},
                             {"values", Json::object()}};
    for (const ConfigMember& method : table_member(table, "values").table) {
      require_column(method.key, method.place);
      if (!method.value.is_table()) method.value.refuse("a table: { DATASET = VALUE }");
      for (const ConfigMember& value : method.value.table) {
        require_dataset(value.key, value.place);
        if (value.value.kind != ConfigValue::Kind::scalar) value.value.refuse("a number, or a text");
        comparison_.reference["values"][method.key][value.key] = value.value.scalar;
      }
    }
  }

  void check_ids() {
    std::map<std::string, std::string> seen;
    for (const CompareCell& cell : comparison_.cells) {
      const std::string folder = (cell.is_training() ? "cells/" : "solves/") + cell.id;
      const auto [other, is_new] = seen.emplace(folder, cell.row + ", " + cell.column);
      if (!is_new)
        errors_.add(Fault::input,
                    fmt::format("{}: '{}, {}' and '{}' would both go to the folder {}; rename one of them",
                                name_, cell.row, cell.column, other->second, folder));
    }
  }

  std::string name_;
  const std::vector<std::string>& overrides_;
  ConfigValue document_;
  ErrorList errors_;
  Comparison comparison_;
  std::string baseline_place_;
  Entries common_;
  std::vector<DatasetEntry> datasets_;
  std::map<std::string, MethodEntry> methods_;
  std::vector<std::string> order_;
  std::set<const SettingKey*> used_;                   ///< by the settings of some cell
  std::map<const SettingKey*, std::string> left_out_;  ///< of the settings of some cell; where it was given
};

}  // namespace

std::string folder_name(const std::string& name) {
  std::string result;
  for (const char letter : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' ||
                       letter == '_' || letter == '-';
    if (plain || (!result.empty() && result.back() != '-')) result += plain ? letter : '-';
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() || result.front() == '.' ? "cell" + result : result;
}

Comparison parse_comparison(const std::string& text, const std::string& name,
                            const std::filesystem::path& folder, const std::vector<std::string>& overrides) {
  return Reader(text, name, folder, overrides).read();
}

Comparison read_comparison(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse_comparison(read_whole_file(file), file.string(), std::filesystem::absolute(file).parent_path(),
                          overrides);
}

}  // namespace concord
