// SPDX-License-Identifier: MIT
#include "train/checkpoint.hpp"

#include "base/files.hpp"

namespace concord {
namespace {

constexpr std::string_view kMagic = "CONCORD checkpoint 2\n";
constexpr std::string_view kFirstMagic = "CONCORD checkpoint 1\n";  // of version 0.1

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

void put_results(ArchiveWriter& out, const std::vector<std::optional<CellResult>>& results) {
  out.put(static_cast<uint64_t>(results.size()));
  for (const auto& result : results) {
    out.put(static_cast<uint8_t>(result.has_value()));
    if (result) put_result(out, *result);
  }
}

std::vector<std::optional<CellResult>> get_results(ArchiveReader& in, uint64_t count, bool first_version) {
  std::vector<std::optional<CellResult>> results(count);
  for (auto& result : results)
    if (in.get<uint8_t>() != 0) result = get_result(in, first_version);
  return results;
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
    : file_(std::move(file)) {
  if (file_.empty()) return;
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
  const std::string bytes = read_whole_file(file_);
  const auto refuse = [&](const char* why) {
    fail(Fault::input, About{file_.string(), kCheckpointSubject}, "{}", why);
  };
  const size_t head = kMagic.size() + 64;
  const bool first_version = bytes.starts_with(kFirstMagic);
  if (bytes.size() < head || !(first_version || bytes.starts_with(kMagic)))
    refuse("this is no checkpoint of training");
  const std::string_view body = std::string_view(bytes).substr(head);
  if (bytes.compare(kMagic.size(), 64, sha256_hex(body)) != 0) refuse("the checkpoint is damaged");
  ArchiveReader in(body);
  if (in.get_text() != identity_)
    refuse("the checkpoint belongs to a run with another config, other data or other plugins");
  TrainState state;
  state.cells = get_results(in, in.get<uint64_t>(), first_version);
  // The first version had one opponent, by other rules: it is measured again.
  state.opponents = get_results(in, first_version ? 1 : in.get<uint64_t>(), first_version);
  if (first_version) state.opponents.clear();
  state.epochs = in.get<int64_t>();
  state.fit = in.get_text();
  if (first_version) return state;
  for (auto left = in.get<uint64_t>(); left > 0; --left) {
    const auto epoch = in.get<int64_t>();
    state.gaps.push_back({epoch, in.get<double>()});
  }
  return state;
}

void Checkpoint::save(const TrainState& state) {
  if (file_.empty()) return;
  ArchiveWriter out;
  out.put(identity_);
  put_results(out, state.cells);
  put_results(out, state.opponents);
  out.put(state.epochs);
  out.put(state.fit);
  out.put(static_cast<uint64_t>(state.gaps.size()));
  for (const GapPoint& point : state.gaps) {
    out.put(point.epoch);
    out.put(point.gap);
  }
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
