// SPDX-License-Identifier: MIT
#include "train/state.hpp"

#include <algorithm>

#include "base/files.hpp"

namespace concord {
namespace {

constexpr std::string_view kMagic = "CONCORD checkpoint 2\n";
constexpr std::string_view kFirstMagic = "CONCORD checkpoint 1\n";  // of version 0.1
static_assert(kMagic.size() == kFirstMagic.size());
constexpr std::string_view kShardMagic = "CONCORD shard 1\n";
constexpr size_t kDigest = 64;

Eigen::VectorXd get_numbers(ArchiveReader& in) {
  const auto numbers = in.get_vector<double>();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<int64_t>(numbers.size()));
}

void put_result(ArchiveWriter& out, const CellResult& result) {
  out.put(result.value);
  out.put(result.error);
  for (const auto* v : {&result.thresholds, &result.lambdas, &result.losses}) out.put_array(*v);
  out.put(result.gap);
  out.put(static_cast<uint8_t>(result.nothing_known.has_value()));
  if (!result.nothing_known) return;
  out.put(result.nothing_known->value);
  out.put(result.nothing_known->error);
  out.put_array(result.nothing_known->losses);
}

CellResult get_result(ArchiveReader& in, bool first_version) {
  CellResult result;
  result.value = in.get<double>();
  result.error = in.get<double>();
  for (auto* v : {&result.thresholds, &result.lambdas, &result.losses}) *v = get_numbers(in);
  if (first_version) return result;
  result.gap = in.get<double>();
  if (in.get<uint8_t>() == 0) return result;
  result.nothing_known.emplace();
  result.nothing_known->value = in.get<double>();
  result.nothing_known->error = in.get<double>();
  result.nothing_known->losses = get_numbers(in);
  return result;
}

void put_results(ArchiveWriter& out, const CellResults& results) {
  out.put(static_cast<uint64_t>(results.size()));
  for (const auto& result : results) {
    out.put(static_cast<uint8_t>(result.has_value()));
    if (result) put_result(out, *result);
  }
}

CellResults get_results(ArchiveReader& in, size_t count, bool first_version) {
  CellResults results(count);
  for (auto& result : results)
    if (in.get<uint8_t>() != 0) result = get_result(in, first_version);
  return results;
}

bool fits(const std::optional<CellResult>& cell, const RunShape& run) {
  if (!cell) return true;
  const int64_t thresholds = cell->thresholds.size(), lambdas = cell->lambdas.size();
  return (thresholds <= 2 || thresholds == run.labels || thresholds == run.labels + 1) &&
         (lambdas == 0 || lambdas == run.labels) && cell->losses.size() == run.instances &&
         (!cell->nothing_known || cell->nothing_known->losses.size() == run.instances);
}

bool fits(const TrainState& state, const RunShape& run) {
  const auto all_fit = [&](const auto& cells) {
    return std::all_of(cells.begin(), cells.end(), [&](const auto& cell) { return fits(cell, run); });
  };
  return state.cells.size() == run.cells && all_fit(state.cells) && all_fit(state.opponents) &&
         state.epochs >= 0 && state.epochs <= run.epochs && (state.epochs > 0) == !state.fit.empty();
}

}  // namespace

std::string state_bytes(const TrainState& state, const std::string& identity) {
  ArchiveWriter out;
  out.put(identity);
  put_results(out, state.cells);
  put_results(out, state.opponents);
  out.put(state.epochs);
  out.put(state.fit);
  out.put(static_cast<uint64_t>(state.gaps.size()));
  for (const GapPoint& point : state.gaps) {
    out.put(point.epoch);
    out.put(point.gap);
  }
  return std::string(kMagic) + sha256_hex(out.bytes()) + out.bytes();
}

TrainState parse_state(std::string_view bytes, const RunShape& run) {
  constexpr auto require = ArchiveReader::require;
  const bool first_version = bytes.starts_with(kFirstMagic);
  require(bytes.size() >= kMagic.size() + kDigest && (first_version || bytes.starts_with(kMagic)),
          "this is no checkpoint of training");
  const std::string_view digest = bytes.substr(kMagic.size(), kDigest);
  const std::string_view body = bytes.substr(kMagic.size() + kDigest);
  require(digest == sha256_hex(body), "the checkpoint is damaged");
  ArchiveReader in(body);
  require(in.get_text() == run.identity,
          "the checkpoint belongs to a run with another config, other data or other plugins");
  TrainState state;
  state.cells = get_results(in, in.get_count(1), first_version);
  // The first version had one opponent, by other rules: it is measured again.
  state.opponents = get_results(in, first_version ? 1 : in.get_count(1), first_version);
  if (first_version) state.opponents.clear();
  state.epochs = in.get<int64_t>();
  state.fit = in.get_text();
  for (size_t left = first_version ? 0 : in.get_count(sizeof(int64_t) + sizeof(double)); left > 0; --left) {
    const auto epoch = in.get<int64_t>();
    state.gaps.push_back({epoch, in.get<double>()});
  }
  in.require_end();
  require(fits(state, run), "the checkpoint is damaged: what it holds does not fit the run");
  return state;
}

std::string shard_bytes(const Shard& shard, const TrainState& state, const RunShape& run) {
  ArchiveWriter out;
  for (const auto* digest : {&run.data, &run.settings, &run.plugins}) out.put(*digest);
  out.put(static_cast<int64_t>(shard.index));
  out.put(static_cast<int64_t>(shard.count));
  put_results(out, state.cells);
  put_results(out, state.opponents);
  return std::string(kShardMagic) + sha256_hex(out.bytes()) + out.bytes();
}

ShardContent parse_shard(std::string_view bytes, const RunShape& run) {
  if (!bytes.starts_with(kShardMagic)) fail(Fault::input, "this is no shard of training");
  const std::string_view body = bytes.substr(std::min(bytes.size(), kShardMagic.size() + kDigest));
  if (bytes.substr(kShardMagic.size(), kDigest) != sha256_hex(body))
    fail(Fault::input, "the shard is damaged");
  ArchiveReader in(body);
  const std::pair<const std::string*, const char*> wanted[] = {
      {&run.data, "other data"},
      {&run.settings, "another config"},
      {&run.plugins, "other plugins or builds of them"}};
  for (const auto& [digest, difference] : wanted)
    if (in.get_text() != *digest) fail(Fault::input, "the shard belongs to a run with {}", difference);
  ShardContent content;
  const auto index = in.get<int64_t>(), count = in.get<int64_t>();
  content.state.cells = get_results(in, in.get_count(1), false);
  content.state.opponents = get_results(in, in.get_count(1), false);
  in.require_end();
  if (index < 1 || index > count || count > Shard::kMost || !fits(content.state, run))
    fail(Fault::input, "the shard is damaged: what it holds does not fit the run");
  content.shard = {static_cast<int>(index), static_cast<int>(count)};
  return content;
}

std::string results_bytes(const CellResults& results) {
  ArchiveWriter out;
  put_results(out, results);
  return out.bytes();
}

CellResults parse_results(std::string_view bytes) {
  ArchiveReader in(bytes);
  return get_results(in, in.get_count(1), false);
}

}  // namespace concord
