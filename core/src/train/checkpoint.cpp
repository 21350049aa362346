// SPDX-License-Identifier: MIT
#include "train/checkpoint.hpp"

#include <algorithm>

#include "base/files.hpp"

namespace concord {
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

RunShape shape_of(const std::vector<CellPlan>& cells, const Dataset& train) {
  RunShape run;
  run.cells = cells.size();
  run.labels = train.labels();
  run.instances = train.instances();
  run.data = dataset_digest(train);
  std::string all = run.data, settings, plugins;
  for (const CellPlan& cell : cells) {
    run.epochs = std::max(run.epochs, cell.settings.train.epochs);
    auto json = settings_json(cell.settings);
    json["run"].erase("threads");
    json["run"].erase("checkpoint");
    std::string used;
    for (const BoundPlugin* bound : cell.plugins())  // another build may give other bits
      used += bound->plugin->id() + bound->plugin->version() + bound->plugin->build_tag();
    all += json.dump() + used;
    settings += json.dump();
    plugins += used;
  }
  run.identity = sha256_hex(all);
  run.settings = sha256_hex(settings);
  run.plugins = sha256_hex(plugins);
  return run;
}

Checkpoint::Checkpoint(std::filesystem::path file, RunShape run)
    : file_(std::move(file)), run_(std::move(run)) {
  if (!file_.empty()) sweep_leftovers(file_);
}

bool Checkpoint::exists() const {
  return !file_.empty() && std::filesystem::exists(file_);
}

TrainState Checkpoint::load() const {
  try {
    return parse_state(read_whole_file(file_), run_);
  } catch (const Error& error) {
    if (error.subject() != kCheckpointSubject) throw;
    throw Error(error.kind(), error.reason(), About{file_.string(), kCheckpointSubject});
  }
}

void Checkpoint::save(const TrainState& state) {
  if (file_.empty()) return;
  write_file_atomically(file_, state_bytes(state, run_.identity));
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
