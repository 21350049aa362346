// SPDX-License-Identifier: MIT
#include "train/state.hpp"

#include <algorithm>

#include "base/files.hpp"

namespace concord {
namespace {

constexpr std::string_view kMagic = "CONCORD checkpoint 1\n";
constexpr size_t kDigest = 64;

void put_optional(ArchiveWriter& out, const std::optional<CellResult>& result) {
  out.put(static_cast<uint8_t>(result.has_value()));
  if (!result) return;
  out.put(result->value);
  out.put(result->error);
  for (const auto* v : {&result->thresholds, &result->lambdas, &result->losses}) out.put_array(*v);
}

std::optional<CellResult> get_optional(ArchiveReader& in) {
  if (in.get<uint8_t>() == 0) return std::nullopt;
  CellResult result;
  result.value = in.get<double>();
  result.error = in.get<double>();
  for (auto* v : {&result.thresholds, &result.lambdas, &result.losses}) {
    const auto numbers = in.get_vector<double>();
    *v = Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<int64_t>(numbers.size()));
  }
  return result;
}

bool fits(const std::optional<CellResult>& cell, const RunShape& run) {
  if (!cell) return true;
  const int64_t thresholds = cell->thresholds.size(), lambdas = cell->lambdas.size();
  return (thresholds <= 2 || thresholds == run.labels || thresholds == run.labels + 1) &&
         (lambdas == 0 || lambdas == run.labels) && cell->losses.size() == run.instances;
}

bool fits(const TrainState& state, const RunShape& run) {
  return state.cells.size() == run.cells &&
         std::all_of(state.cells.begin(), state.cells.end(),
                     [&](const auto& cell) { return fits(cell, run); }) &&
         fits(state.without_prior, run) && state.epochs >= 0 && state.epochs <= run.epochs &&
         (state.epochs > 0) == !state.fit.empty();
}

}  // namespace

std::string state_bytes(const TrainState& state, const std::string& identity) {
  ArchiveWriter out;
  out.put(identity);
  out.put(static_cast<uint64_t>(state.cells.size()));
  for (const auto& cell : state.cells) put_optional(out, cell);
  put_optional(out, state.without_prior);
  out.put(state.epochs);
  out.put(state.fit);
  return std::string(kMagic) + sha256_hex(out.bytes()) + out.bytes();
}

TrainState parse_state(std::string_view bytes, const RunShape& run) {
  constexpr auto require = ArchiveReader::require;
  require(bytes.size() >= kMagic.size() + kDigest && bytes.starts_with(kMagic),
          "this is no checkpoint of training");
  const std::string_view digest = bytes.substr(kMagic.size(), kDigest);
  const std::string_view body = bytes.substr(kMagic.size() + kDigest);
  require(digest == sha256_hex(body), "the checkpoint is damaged");
  ArchiveReader in(body);
  require(in.get_text() == run.identity,
          "the checkpoint belongs to a run with another config, other data or other plugins");
  TrainState state;
  state.cells.resize(in.get_count(1));
  for (auto& cell : state.cells) cell = get_optional(in);
  state.without_prior = get_optional(in);
  state.epochs = in.get<int64_t>();
  state.fit = in.get_text();
  in.require_end();
  require(fits(state, run), "the checkpoint is damaged: what it holds does not fit the run");
  return state;
}

}  // namespace concord
