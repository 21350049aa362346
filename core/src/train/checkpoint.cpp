// SPDX-License-Identifier: MIT
#include "train/checkpoint.hpp"

#include <algorithm>

#include "base/files.hpp"

namespace concord {
namespace {

constexpr std::string_view kMagic = "CONCORD checkpoint 1\n";

void put_result(ArchiveWriter& out, const CellResult& result) {
  out.put(result.value);
  out.put(result.error);
  for (const auto* v : {&result.thresholds, &result.lambdas, &result.losses}) out.put_array(*v);
}

CellResult get_result(ArchiveReader& in) {
  CellResult result;
  result.value = in.get<double>();
  result.error = in.get<double>();
  for (auto* v : {&result.thresholds, &result.lambdas, &result.losses}) {
    const auto numbers = in.get_vector<double>();
    *v = Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<int64_t>(numbers.size()));
  }
  return result;
}

void put_optional(ArchiveWriter& out, const std::optional<CellResult>& result) {
  out.put(static_cast<uint8_t>(result.has_value()));
  if (result) put_result(out, *result);
}

std::optional<CellResult> get_optional(ArchiveReader& in) {
  if (in.get<uint8_t>() == 0) return std::nullopt;
  return get_result(in);
}

}  // namespace

std::string dataset_digest(const Dataset& dataset) {
  ArchiveWriter out;
  const Features& X = dataset.X;
  if (X.is_sparse()) {
    out.put_array(
        std::vector<int64_t>(X.sparse().outerIndexPtr(), X.sparse().outerIndexPtr() + X.rows() + 1));
    out.put_array(std::vector<int64_t>(X.sparse().innerIndexPtr(), X.sparse().innerIndexPtr() + X.stored()));
    out.put_array(std::vector<double>(X.sparse().valuePtr(), X.sparse().valuePtr() + X.stored()));
  } else {
    out.put_array(X.dense());
  }
  out.put_array(dataset.Y);
  for (const auto* names : {&dataset.feature_names, &dataset.label_names})
    for (const auto& name : *names) out.put(name);
  return sha256_hex(out.bytes());
}

Checkpoint::Checkpoint(std::filesystem::path file, const std::vector<CellPlan>& cells, const Dataset& train)
    : file_(std::move(file)), cells_(cells.size()), labels_(train.labels()), instances_(train.instances()) {
  if (file_.empty()) return;
  sweep_leftovers(file_);
  for (const CellPlan& cell : cells) epochs_ = std::max(epochs_, cell.settings.train.epochs);
  std::string all = dataset_digest(train);
  for (const CellPlan& cell : cells) {
    auto json = settings_json(cell.settings);
    json["run"].erase("threads");  // neither changes the model
    json["run"].erase("checkpoint");
    all += json.dump();
    for (const BoundPlugin* bound : cell.plugins())  // another build may give other bits
      all += bound->plugin->id() + bound->plugin->version() + bound->plugin->build_tag();
  }
  identity_ = sha256_hex(all);
}

bool Checkpoint::exists() const {
  return !file_.empty() && std::filesystem::exists(file_);
}

TrainState Checkpoint::load() const {
  try {
    return parse(read_whole_file(file_));
  } catch (const Error& error) {
    if (error.subject() != kCheckpointSubject) throw;
    throw Error(error.kind(), error.reason(), About{file_.string(), kCheckpointSubject});
  }
}

TrainState Checkpoint::parse(const std::string& bytes) const {
  constexpr auto require = ArchiveReader::require;
  const size_t head = kMagic.size() + 64;
  require(bytes.size() >= head && bytes.compare(0, kMagic.size(), kMagic) == 0,
          "this is no checkpoint of training");
  const std::string_view body = std::string_view(bytes).substr(head);
  require(bytes.compare(kMagic.size(), 64, sha256_hex(body)) == 0, "the checkpoint is damaged");
  ArchiveReader in(body);
  require(in.get_text() == identity_,
          "the checkpoint belongs to a run with another config, other data or other plugins");
  TrainState state;
  state.cells.resize(in.get_count(1));
  for (auto& cell : state.cells) cell = get_optional(in);
  state.without_prior = get_optional(in);
  state.epochs = in.get<int64_t>();
  state.fit = in.get_text();
  in.require_end();
  require(is_sound(state), "the checkpoint is damaged: what it holds does not fit the run");
  return state;
}

bool Checkpoint::is_sound(const TrainState& state) const {
  const auto fits = [&](const std::optional<CellResult>& cell) {
    if (!cell) return true;
    const int64_t thresholds = cell->thresholds.size(), lambdas = cell->lambdas.size();
    return (thresholds <= 2 || thresholds == labels_ || thresholds == labels_ + 1) &&
           (lambdas == 0 || lambdas == labels_) && cell->losses.size() == instances_;
  };
  return state.cells.size() <= cells_ && std::all_of(state.cells.begin(), state.cells.end(), fits) &&
         fits(state.without_prior) && state.epochs >= 0 && state.epochs <= epochs_ &&
         (state.epochs > 0) == !state.fit.empty();
}

void Checkpoint::save(const TrainState& state) {
  if (file_.empty()) return;
  ArchiveWriter out;
  out.put(identity_);
  out.put(static_cast<uint64_t>(state.cells.size()));
  for (const auto& cell : state.cells) put_optional(out, cell);
  put_optional(out, state.without_prior);
  out.put(state.epochs);
  out.put(state.fit);
  write_file_atomically(file_, std::string(kMagic) + sha256_hex(out.bytes()) + out.bytes());
  last_ = std::chrono::steady_clock::now();
}

bool Checkpoint::is_due(double seconds) const {
  return !file_.empty() &&
         std::chrono::duration<double>(std::chrono::steady_clock::now() - last_).count() >= seconds;
}

void Checkpoint::remove() const {
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

}  // namespace concord
