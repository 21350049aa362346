// SPDX-License-Identifier: MIT
#include "train/state.hpp"

#include <algorithm>

#include "base/files.hpp"

namespace concord {
namespace {

constexpr int kVersion = 3;
constexpr std::string_view kMagic = "CONCORD checkpoint 3\n";
/// The number of a version stands before the end of the line. The first is that of version 0.1; the second knows opponents
/// and gaps, the third calibrations.
constexpr std::string_view kMagicName = kMagic.substr(0, kMagic.size() - 2);
constexpr std::string_view kShardMagic = "CONCORD shard 1\n";  // its results are those of version 3
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
  out.put_array(result.calibration);
  out.put(static_cast<uint8_t>(result.otherwise.has_value()));
  if (!result.otherwise) return;
  out.put(result.otherwise->value);
  out.put(result.otherwise->error);
  out.put_array(result.otherwise->losses);
}

CellResult get_result(ArchiveReader& in, int version) {
  CellResult result;
  result.value = in.get<double>();
  result.error = in.get<double>();
  for (auto* v : {&result.thresholds, &result.lambdas, &result.losses}) *v = get_numbers(in);
  if (version == 1) return result;
  result.gap = in.get<double>();
  if (version > 2) result.calibration = get_numbers(in);
  if (in.get<uint8_t>() == 0) return result;
  result.otherwise.emplace();
  result.otherwise->value = in.get<double>();
  result.otherwise->error = in.get<double>();
  result.otherwise->losses = get_numbers(in);
  return result;
}

void put_results(ArchiveWriter& out, const CellResults& results) {
  out.put(static_cast<uint64_t>(results.size()));
  for (const auto& result : results) {
    out.put(static_cast<uint8_t>(result.has_value()));
    if (result) put_result(out, *result);
  }
}

CellResults get_results(ArchiveReader& in, size_t count, int version) {
  CellResults results(count);
  for (auto& result : results)
    if (in.get<uint8_t>() != 0) result = get_result(in, version);
  return results;
}

bool fits(const std::optional<CellResult>& cell, const RunShape& run) {
  if (!cell) return true;
  const int64_t thresholds = cell->thresholds.size(), lambdas = cell->lambdas.size();
  return (thresholds <= 2 || thresholds == run.labels || thresholds == run.labels + 1) &&
         (lambdas == 0 || lambdas == run.labels) &&
         (cell->calibration.size() == 0 || cell->calibration.size() == run.labels + 1) &&
         cell->losses.size() == run.instances &&
         (!cell->otherwise || cell->otherwise->losses.size() == run.instances);
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
  require(bytes.size() >= kMagic.size() + kDigest && bytes.starts_with(kMagicName) &&
              bytes[kMagic.size() - 1] == '\n',
          "this is no checkpoint of training");
  const int version = bytes[kMagicName.size()] - '0';
  require(version >= 1 && version <= kVersion, "this is no checkpoint of training");
  const std::string_view digest = bytes.substr(kMagic.size(), kDigest);
  const std::string_view body = bytes.substr(kMagic.size() + kDigest);
  require(digest == sha256_hex(body), "the checkpoint is damaged");
  ArchiveReader in(body);
  require(in.get_text() == run.identity,
          "the checkpoint belongs to a run with another config, other data or other plugins");
  TrainState state;
  state.cells = get_results(in, in.get_count(1), version);
  // The first version had one opponent, by other rules: it is measured again.
  state.opponents = get_results(in, version == 1 ? 1 : in.get_count(1), version);
  if (version == 1) state.opponents.clear();
  state.epochs = in.get<int64_t>();
  state.fit = in.get_text();
  for (size_t left = version == 1 ? 0 : in.get_count(sizeof(int64_t) + sizeof(double)); left > 0; --left) {
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
  content.state.cells = get_results(in, in.get_count(1), kVersion);
  content.state.opponents = get_results(in, in.get_count(1), kVersion);
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
  return get_results(in, in.get_count(1), kVersion);
}

}  // namespace concord
