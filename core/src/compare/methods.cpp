// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "compare/plan_parts.hpp"
#include "config/entries.hpp"
#include "config/keys.hpp"
#include "config/readers.hpp"

namespace concord::compare {
namespace {

/// The values of some keys: each combination is a column of the comparison.
struct AxisPoint {
  Entries entries;
  NamedTexts texts;  ///< in the order of the axes
};

/// One point without entries if there are no axes. Fault::input where an axis is not a list.
std::vector<AxisPoint> points_of(const Entries& axes) {
  std::vector<size_t> counts;
  for (const ConfigEntry& axis : axes) {
    if (!axis.value.is_list() || axis.value.list.empty())
      axis.value.refuse("a list of values: every one of them becomes a column");
    counts.push_back(axis.value.list.size());
  }
  if (!fits_in_grid(counts))
    fail(Fault::input, About{axes.front().value.place}, "more than {} columns", kMostCells);
  std::vector<AxisPoint> points;
  for_product(counts, [&](const std::vector<size_t>& indices) {
    AxisPoint point;
    for (size_t i = 0; i < axes.size(); ++i) {
      const ConfigValue& value = axes[i].value.list[indices[i]];
      point.entries.push_back({axes[i].key, value, axes[i].at});
      point.texts.emplace_back(axes[i].key->name(), value.text());
    }
    points.push_back(std::move(point));
  });
  return points;
}

class CellMaker {
 public:
  CellMaker(const TrainingPart& part, ComparePlan& plan, ErrorList& errors)
      : part_(part), plan_(plan), errors_(errors) {}

  void add_cells() {
    for (const MethodEntry& method : part_.methods) {
      std::vector<AxisPoint> points;
      errors_.attempt([&] { points = points_of(method.axes); });
      for (const AxisPoint& point : points) add_column(method, point);
    }
    add_repeats();
    for (const auto& [key, place] : left_out_)
      if (!used_.contains(key))
        errors_.add(Fault::input, fmt::format("{}: all methods are one-versus-rest, which does not use {}",
                                              place, key->name()));
  }

 private:
  void add_column(const MethodEntry& method, const AxisPoint& point) {
    std::string column = method.name;
    for (const auto& [key, text] : point.texts) column += " " + text;
    plan_.outline.methods.push_back({column, method.name, point.texts});
    for (const DatasetEntry& dataset : part_.datasets) {
      const auto& only = method.datasets;
      if (!only.empty() && std::find(only.begin(), only.end(), dataset.name) == only.end()) continue;
      try {
        plan_.cells.push_back(
            {CellName::of(CellKind::training, dataset.name, column), request_of(dataset, method, point)});
      } catch (const Error& e) {  // methods and datasets share their faults
        if (said_.insert(e.what()).second) errors_.add(e);
      }
    }
  }

  /// After all first repeats, so that a run that is stopped early has a whole table. What labels are revealed is asked of
  /// the first alone.
  void add_repeats() {
    const size_t count = plan_.cells.size();
    for (int64_t repeat = 2; repeat <= plan_.outline.repeats; ++repeat)
      for (size_t i = 0; i < count; ++i) {
        const Cell& first = plan_.cells[i];
        TrainingRequest request = first.training();
        request.reveal.clear();
        plan_.cells.push_back({CellName::of(CellKind::training, first.name.row, first.name.column, repeat),
                               std::move(request)});
      }
  }

  TrainingRequest request_of(const DatasetEntry& dataset, const MethodEntry& method, const AxisPoint& point) {
    Entries own = method.settings;
    if (const auto here = method.per_dataset.find(dataset.name); here != method.per_dataset.end())
      own = layered(std::move(own), here->second);
    own = layered(std::move(own), point.entries);
    Entries entries = layered(layered(part_.common, dataset.settings), own);
    ErrorList errors;
    apply_overrides(part_.overrides, entries, errors);
    leave_out_unused(entries, own);
    for (const ConfigEntry& entry : entries)
      if (entry.key->section == std::string("data"))
        errors.add(Fault::input,
                   fmt::format("{}: the data of a comparison are in [dataset.NAME]", entry.value.place));
    if (plan_.outline.repeats > 1)
      for (const ConfigEntry& entry : entries)
        if (entry.key->name() == "scores.given" || entry.key->name() == "scores.file")
          errors.add(Fault::input,
                     fmt::format("{}: these scores were made for the given split, and know labels that "
                                 "other splits test on; take compare.repeats or the scores out",
                                 entry.value.place));
    Config config = config_of(entries, plan_.outline.config.file, errors);
    return {point.texts,        part_.metric,      dataset.train, dataset.test,
            std::move(entries), std::move(config), part_.reveal};
  }

  /// Entries for all methods come from sections of their own or from --set. Of these, a method does
  /// not get what it has no use for. What a method says itself stays, and is refused.
  void leave_out_unused(Entries& entries, const Entries& own) {
    std::string method;
    for (const ConfigEntry& entry : entries)
      if (entry.key->name() == "train.method") method = entry.value.text();
    std::erase_if(entries, [&](const ConfigEntry& entry) {
      const auto& by = entry.key->unused_by;
      const bool is_unused =
          std::any_of(by.begin(), by.end(), [&](Method one) { return method == name_of(one); }) &&
          !sets(own, entry.key);
      if (is_unused)
        left_out_.emplace(entry.key, entry.value.place);
      else
        used_.insert(entry.key);
      return is_unused;
    });
  }

  const TrainingPart& part_;
  ComparePlan& plan_;
  ErrorList& errors_;
  std::set<std::string> said_;
  std::set<const SettingKey*> used_;                   ///< by the settings of some cell
  std::map<const SettingKey*, std::string> left_out_;  ///< of the settings of some cell; where it was given
};

}  // namespace

MethodEntry read_method(const ConfigMember& member, const std::vector<MethodEntry>& above,
                        const std::vector<std::string>& datasets, ErrorList& errors) {
  if (!member.value.is_table()) member.value.refuse("a table: [method.NAME]");
  require_known(member.value, fmt::format("[method.{}]", member.key), {"like", "datasets", "axes", "dataset"},
                true, errors);
  MethodEntry method;
  if (const ConfigMember* like = member.value.find("like")) {
    const std::string other = read_string(like->value, "the name of a method above");
    std::vector<std::string> names;
    for (const MethodEntry& known : above) names.push_back(known.name);
    const auto found = std::find(names.begin(), names.end(), other);
    if (found == names.end())
      fail(Fault::input, About{like->value.place}, "there is no method {} above this one{}", quote(other),
           did_you_mean(other, names));
    method = above[static_cast<size_t>(found - names.begin())];
  }
  method.name = member.key;
  const Entries own = read_sections(member.value, errors);
  method.settings = layered(std::move(method.settings), own);
  // What a method sets for all datasets is not undone by what its model set for one of them.
  for (auto& [dataset, entries] : method.per_dataset)
    std::erase_if(entries, [&](const ConfigEntry& entry) { return sets(own, entry.key); });
  std::erase_if(method.axes, [&](const ConfigEntry& axis) { return sets(own, axis.key); });
  const Entries axes = read_entries(table_member(member.value, "axes"), errors);
  for (const ConfigEntry& axis : axes)
    if (sets(own, axis.key))
      errors.add(Fault::input,
                 fmt::format("{}: {} is both set and an axis", axis.value.place, axis.key->name()));
  method.axes = layered(std::move(method.axes), axes);
  for (const ConfigMember& one : table_member(member.value, "dataset").table) {
    if (!one.value.is_table()) one.value.refuse("a table with sections");
    require_name(one.key, "dataset", datasets, one.place, errors);
    require_known(one.value, "a method's dataset", {}, true, errors);
    Entries& entries = method.per_dataset[one.key];
    entries = layered(std::move(entries), read_sections(one.value, errors));
  }
  if (const ConfigMember* only = member.value.find("datasets")) {
    method.datasets = read_names(only->value, "names of datasets");
    for (const std::string& name : method.datasets)
      require_name(name, "dataset", datasets, only->value.place, errors);
  }
  return method;
}

void add_training_cells(const TrainingPart& part, ComparePlan& plan, ErrorList& errors) {
  CellMaker(part, plan, errors).add_cells();
}

}  // namespace concord::compare
