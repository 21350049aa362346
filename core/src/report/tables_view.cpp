// SPDX-License-Identifier: MIT
#include "report/tables_view.hpp"

#include <algorithm>

#include "report/tables_text.hpp"

namespace concord::report {
namespace {

Range range_of(const Json& pair) {
  if (!pair.is_array() || pair.size() != 2) return {};
  const auto end = [&](size_t i) { return pair[i].is_number() ? pair[i].get<double>() : unknown; };
  return {end(0), end(1)};
}

std::optional<Versus> versus_of(const Json& record) {
  if (!record.is_object()) return std::nullopt;
  return Versus{number_at(record, "difference"),
                number_at(record, "error"),
                {number_at(record, "low"), number_at(record, "high")},
                number_at(record, "instances")};
}

std::optional<PriorVerdict> prior_verdict_of(const Json& record) {
  if (!record.is_object()) return std::nullopt;
  const std::string better = text_at(record, "better");
  using Help = PriorVerdict::Help;
  return PriorVerdict{record.at("measured").get<bool>(),
                      text_at(record, "metric"),
                      text_at(record, "paired_on"),
                      number_at(record, "with"),
                      number_at(record, "without"),
                      number_at(record, "difference"),
                      number_at(record, "error"),
                      better == "with"      ? Help::yes
                      : better == "without" ? Help::hurt
                                            : Help::not_measurably};
}

Cell cell_of(const Json& json, const std::string& metric, const std::string& baseline) {
  Cell cell{};
  cell.json = &json;
  cell.id = json.at("id").get<std::string>();
  cell.dataset = json.at("dataset").get<std::string>();
  cell.method = json.at("method").get<std::string>();
  cell.reason = text_at(json, "reason");
  cell.status = status_of(json.at("status").get<std::string>());
  if (!cell.done()) return cell;
  cell.value = number_at(json.at("metrics"), metric);
  cell.interval = range_of(json_at(json_at(json, "intervals"), metric));
  cell.train_seconds = number_at(json_at(json, "seconds"), "train");
  cell.test_seconds = number_at(json_at(json, "seconds"), "test");
  cell.peak_mib = number_at(json, "peak_mib");
  cell.versus = versus_of(json_at(json_at(json, "versus"), baseline));
  cell.prior_verdict = prior_verdict_of(json_at(json, "prior_helped"));
  if (json_at(json, "prior").is_object()) cell.prior = &json.at("prior");
  return cell;
}

/// Neighbours of one method become a group, as "Spectral: A <= 0, A >= 0, any A" in the paper.
std::vector<MethodColumn> columns_of(const Json& methods) {
  std::vector<MethodColumn> columns;
  const auto method = [&](size_t m) { return methods[m].at("method").get<std::string>(); };
  for (size_t m = 0; m < methods.size(); ++m) {
    const auto name = methods[m].at("name").get<std::string>();
    const bool grouped =
        (m > 0 && method(m - 1) == method(m)) || (m + 1 < methods.size() && method(m + 1) == method(m));
    const std::string group = grouped ? method(m) : "";
    const bool has_prefix = grouped && name.size() > group.size() + 1 && name.starts_with(group + " ");
    columns.push_back({name, group, has_prefix ? name.substr(group.size() + 1) : name});
  }
  return columns;
}

void flatten(const Json& value, const std::string& prefix,
             std::vector<std::pair<std::string, std::string>>& into) {
  if (!value.is_object()) {
    into.emplace_back(prefix, plain(value));
    return;
  }
  for (const auto& [key, inner] : value.items())
    flatten(inner, prefix.empty() ? key : prefix + "." + key, into);
}

}  // namespace

Status status_of(const std::string& word) {
  if (word == "done") return Status::done;
  if (word == "failed") return Status::failed;
  if (word == "pending") return Status::pending;
  fail(Fault::input, "the results have a cell with status '{}'; there are done, failed and pending", word);
}

double number_at(const Json& object, const std::string& key) {
  const Json& value = json_at(object, key);
  return value.is_number() ? value.get<double>() : unknown;
}

std::string text_at(const Json& object, const std::string& key) {
  const Json& value = json_at(object, key);
  return value.is_null() ? "" : plain(value);
}

const Json& json_at(const Json& object, const std::string& key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto at = object.find(key);
  return at == object.end() ? none : *at;
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string settings_text(const Json& settings, const char* separator) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : flattened(settings)) parts.push_back(key + " = " + value);
  return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::pair<std::string, std::string>> flattened(const Json& settings) {
  std::vector<std::pair<std::string, std::string>> all;
  if (settings.is_object()) flatten(settings, "", all);
  return all;
}

std::string range_text(const Range& range, bool sign) {
  if (!range.known()) return "";
  const auto text = [&](double end) { return sign ? with_sign(end) : fixed(end); };
  return "[" + text(range.low) + ", " + text(range.high) + "]";
}

Versus::Verdict Versus::verdict() const {
  if (!range.known()) return Verdict::neither;
  return range.high < 0 ? Verdict::better : range.low > 0 ? Verdict::worse : Verdict::neither;
}

const char* verdict_words(Versus::Verdict verdict) {
  return verdict == Versus::Verdict::better  ? "better"
         : verdict == Versus::Verdict::worse ? "worse"
                                             : "no significant difference";
}

const char* help_words(const PriorVerdict& verdict) {
  if (!verdict.measured) return "not measured";
  return verdict.help == PriorVerdict::Help::yes    ? "yes"
         : verdict.help == PriorVerdict::Help::hurt ? "no, it hurt"
                                                    : "not measurably";
}

Comparison::Comparison(const Json& results, size_t which) : json(results) {
  if (text_at(results, "format") != "concord-comparison" || number_at(results, "version") != 1)
    fail(Fault::input, "the results are not a concord-comparison of version 1 (format '{}', version '{}')",
         text_at(results, "format"), text_at(results, "version"));
  title = text_at(results, "title");
  metric = results.at("metric").get<std::string>();
  convention = text_at(results, "convention");
  for (const Json& name : results.at("baselines")) baselines.push_back(name.get<std::string>());
  if (which < baselines.size()) baseline = baselines[which];
  is_loss = results.at("metric_is_loss").get<bool>();
  reference = text_at(json_at(results, "reference"), "name");
  for (const Json& dataset : results.at("datasets"))
    datasets.push_back(dataset.at("name").get<std::string>());
  methods = columns_of(results.at("methods"));
  for (const Json& cell : results.at("cells")) {
    cells.push_back(cell_of(cell, metric, baseline));
    index_.try_emplace({cells.back().dataset, cells.back().method}, cells.size() - 1);
  }
}

const Cell* Comparison::find(const std::string& dataset, const std::string& method) const {
  const auto at = index_.find({dataset, method});
  return at == index_.end() ? nullptr : &cells[at->second];
}

const Cell* Comparison::best(const std::string& dataset) const {
  const Cell* winner = nullptr;
  for (const Cell& cell : cells)
    if (cell.dataset == dataset && std::isfinite(cell.value) &&
        (!winner || better(cell.value, winner->value)))
      winner = &cell;
  return winner;
}

bool Comparison::marked(const Cell& cell) const {
  const Cell* winner = best(cell.dataset);
  return winner && std::isfinite(cell.value) && fixed(cell.value) == fixed(winner->value);
}

std::string Comparison::reference_text(const std::string& method, const std::string& dataset) const {
  const Json& value = json_at(json_at(json_at(json_at(json, "reference"), "values"), method), dataset);
  if (value.is_null()) return "";
  const std::string text = plain(value);
  const size_t point = text.find('.');
  // 0.4 is 0.40 beside 0.39
  return value.is_number() && (point == std::string::npos || text.size() < point + 3)
             ? fixed(value.get<double>(), 2)
             : text;
}

}  // namespace concord::report
