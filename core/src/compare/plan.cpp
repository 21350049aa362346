// SPDX-License-Identifier: MIT
// Reading a comparison: [compare], [dataset.*], [method.*], [problems.*], [solver.*], [reference], and the sections
// of a training config, which hold for every method.
#include "compare/plan.hpp"

#include <algorithm>
#include <map>

#include "base/files.hpp"
#include "compare/plan_parts.hpp"
#include "config/readers.hpp"
#include "data/columns.hpp"
#include "metrics/label_metric.hpp"

namespace concord::compare {
namespace {

template <class Record>
std::vector<std::string> names_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const Record& record : records) names.push_back(record.name);
  return names;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& name, const std::filesystem::path& folder,
         const std::vector<std::string>& overrides)
      : document_(parse_toml(text, name, folder)), training_{{}, {}, {}, overrides} {
    outline_.config = {name, sha256_hex(text), text, overrides};
    outline_.title = std::filesystem::path(name).stem().string();
    outline_.metric = training_.metric.name;
  }

  ComparePlan read() {
    require_known(document_, "a comparison",
                  {"compare", "dataset", "method", "problems", "solver", "reference"}, true, errors_);
    training_.common = read_sections(document_, errors_);
    errors_.attempt([&] { read_compare(table_member(document_, "compare")); });
    errors_.attempt([&] { read_datasets(table_member(document_, "dataset")); });
    errors_.attempt([&] { read_methods(table_member(document_, "method")); });
    errors_.throw_if_any();  // what follows is made of these
    add_training_cells(training_, plan_, errors_);
    for (const std::string& name : outline_.baselines) require_column(name, baseline_place_);
    errors_.attempt([&] { read_reference(table_member(document_, "reference")); });
    errors_.attempt([&] {
      add_solver_cells(table_member(document_, "problems"), table_member(document_, "solver"),
                       training_.common, plan_, errors_);
    });
    if (errors_.empty() && plan_.cells.empty())
      errors_.add(Fault::input,
                  fmt::format("{}: there is nothing to compare: give [dataset.NAME] and [method.NAME], "
                              "or [problems.NAME] and [solver.NAME]",
                              outline_.config.file));
    check_ids();
    errors_.throw_if_any();
    return std::move(plan_);
  }

 private:
  void read_compare(const ConfigValue& table) {
    require_known(table, "[compare]",
                  {"title", "metric", "baseline", "reveal", "repeats", "seconds", "memory"}, false, errors_);
    for (const ConfigMember& member : table.table)
      errors_.attempt([&] {
        const ConfigValue& value = member.value;
        if (member.key == "title") outline_.title = read_string(value, "a line of text");
        if (member.key == "baseline") {
          outline_.baselines = read_names(value, "the name of a method, or a list of them");
          baseline_place_ = value.place;
        }
        if (member.key == "reveal") training_.reveal = read_shares(value);
        if (member.key == "repeats") outline_.repeats = read_integer(value, 1, kMostRepeats);
        if (member.key == "seconds") plan_.limits.seconds = read_positive(value);
        if (member.key == "memory") plan_.limits.mebibytes = read_positive(value);
        if (member.key == "metric") {
          training_.metric = read_metric(value);
          outline_.metric = MetricReference(training_.metric).name;
        }
      });
  }

  void read_datasets(const ConfigValue& table) {
    for (const ConfigMember& member : table.table) errors_.attempt([&] { read_dataset_entry(member); });
  }

  void read_dataset_entry(const ConfigMember& member) {
    if (!member.value.is_table()) member.value.refuse("a table: [dataset.NAME]");
    require_known(member.value, fmt::format("[dataset.{}]", member.key),
                  {"training", "test", "labels", "test_labels", "format"}, true, errors_);
    DatasetEntry dataset{member.key, {}, {}, read_sections(member.value, errors_)};
    const auto path = [&](const char* key, bool required) {
      std::filesystem::path file;
      const ConfigMember* found = member.value.find(key);
      if (found == nullptr && required)
        fail(Fault::input, About{member.place}, "[dataset.{}] has no {}; it names the {} data", member.key,
             key, key);
      if (found != nullptr) errors_.attempt([&] { file = existing_file(found->value); });
      return file;
    };
    const DataFormat format = read_format(member.value);
    const auto labels = [&](const char* key) {
      const ConfigMember* found = member.value.find(key);
      const bool columns = found != nullptr && !is_label_file(read_labels_place(found->value));
      return columns ? read_labels_place(found->value) : path(key, false);
    };
    dataset.train = {path("training", true), labels("labels"), format};
    dataset.test = {path("test", true), labels("test_labels"), format};
    // One XML names the labels of both files, unless the second has its own.
    if (dataset.test.labels.empty()) dataset.test.labels = dataset.train.labels;
    outline_.datasets.push_back(
        {member.key, dataset.train.file.string(), dataset.test.file.string(), {}, {}, {}, {}});
    training_.datasets.push_back(std::move(dataset));
  }

  void read_methods(const ConfigValue& table) {
    if (!table.table.empty() && training_.datasets.empty() && errors_.empty())
      fail(Fault::input, About{table.table[0].place},
           "there are methods and no [dataset.NAME] to try them on");
    if (table.table.empty() && !training_.datasets.empty())
      fail(Fault::input, About{outline_.config.file},
           "there are datasets and no [method.NAME] to try on them");
    for (const ConfigMember& member : table.table)
      errors_.attempt([&] {
        training_.methods.push_back(
            read_method(member, training_.methods, names_of(training_.datasets), errors_));
      });
  }

  void require_column(const std::string& name, const std::string& place) {
    require_name(name, "method", names_of(outline_.methods), place, errors_);
  }

  void read_reference(const ConfigValue& table) {
    if (table.table.empty()) return;
    require_known(table, "[reference]", {"name", "values"}, false, errors_);
    const ConfigMember* name = table.find("name");
    Reference reference{name == nullptr ? "reference" : read_string(name->value, "a name"), {}};
    for (const ConfigMember& method : table_member(table, "values").table) {
      require_column(method.key, method.place);
      if (!method.value.is_table()) method.value.refuse("a table: { DATASET = VALUE }");
      for (const ConfigMember& value : method.value.table) {
        require_name(value.key, "dataset", names_of(training_.datasets), value.place, errors_);
        if (value.value.kind != ConfigValue::Kind::scalar) value.value.refuse("a number, or a text");
        reference.values.push_back({method.key, value.key, value.value.scalar});
      }
    }
    outline_.reference = std::move(reference);
  }

  void check_ids() {
    std::map<std::string, std::string> seen;
    for (const auto& [name, request] : plan_.cells) {
      const std::string folder = name.folder().string();
      const auto [other, is_new] = seen.emplace(folder, name.row + ", " + name.column);
      if (!is_new)
        errors_.add(Fault::input,
                    fmt::format("{}: '{}, {}' and '{}' would both go to the folder {}; rename one of them",
                                outline_.config.file, name.row, name.column, other->second, folder));
    }
  }

  ConfigValue document_;
  ErrorList errors_;
  ComparePlan plan_;
  Outline& outline_ = plan_.outline;
  TrainingPart training_;
  std::string baseline_place_;
};

}  // namespace

const Cell* ComparePlan::training_cell(const std::string& id) const {
  const auto at = std::find_if(cells.begin(), cells.end(),
                               [&](const Cell& cell) { return cell.is_training() && cell.name.id == id; });
  return at == cells.end() ? nullptr : &*at;
}

ComparePlan parse_comparison(const std::string& text, const std::string& name,
                             const std::filesystem::path& folder, const std::vector<std::string>& overrides) {
  return Reader(text, name, folder, overrides).read();
}

ComparePlan read_comparison(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse_comparison(read_whole_file(file), file.string(), std::filesystem::absolute(file).parent_path(),
                          overrides);
}

}  // namespace concord::compare
