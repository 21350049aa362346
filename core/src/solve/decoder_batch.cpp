// SPDX-License-Identifier: MIT
#include "solve/decoder_batch.hpp"

#include <limits>

#include "base/error.hpp"
#include "plugin/foreign.hpp"

namespace concord {
namespace {

constexpr size_t kMessageBytes = 512;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

DecoderBatch::DecoderBatch(std::span<const Instance> instances,
                           std::span<const std::vector<concord_row>> rows,
                           std::span<const FamilyData> families, int64_t labels, int64_t max_rank)
    : labels_(labels),
      instances_(instances),
      family_data_(families.begin(), families.end()),
      families_(families.size()),
      requests_(instances.size()),
      results_(instances.size()) {
  for (size_t i = 0; i < families.size(); ++i) families_[i] = family_data_[i].view();
  for (const Instance& instance : instances) {
    if (instance.c.size() != labels)
      fail(Fault::input, "the linear term has {} entries, and the prior {} labels", instance.c.size(),
           labels);
    vectors_.push_back(instance.c);
    F_.emplace_back(static_cast<size_t>(labels * max_rank), kNan);  // what is not filled must look wrong
    messages_.emplace_back(kMessageBytes);
  }
  for (size_t i = 0; i < instances.size(); ++i) {
    const Instance& instance = instances[i];
    requests_[i] = request_view(vectors_[i], nullptr, 0);
    requests_[i].seed = instance.seed;
    requests_[i].warm = instance.warm == nullptr || instance.warm->empty() ? nullptr : instance.warm->data();
    concord_result& r = results_[i];
    r.size = sizeof r;
    r.status = CONCORD_OK;
    r.F = F_[i].data();
    r.F_columns = max_rank;
    r.value = r.bound = kNan;
    r.message = messages_[i].data();
    r.message_bytes = kMessageBytes;
  }
  if (families.empty()) lend_rows(rows);
}

void DecoderBatch::lend_rows(std::span<const std::vector<concord_row>> rows) {
  for (const auto& of_one : rows) rows_.insert(rows_.end(), of_one.begin(), of_one.end());
  for (concord_row& row : rows_) {
    if (row.coefficients == nullptr) continue;
    vectors_.emplace_back(Eigen::Map<const Eigen::VectorXd>(row.coefficients, labels_));
    row.coefficients = vectors_.back().data();  // a vector that moves keeps its numbers where they are
  }
  size_t first = 0;
  for (size_t i = 0; i < rows.size(); first += rows[i++].size()) {
    requests_[i].rows = rows_.data() + first;
    requests_[i].row_count = static_cast<uint32_t>(rows[i].size());
  }
}

void DecoderBatch::require_intact(const std::string& plugin) const {
  concord::require_intact(requests_, plugin, "its requests");
  concord::require_intact(families_, plugin, "its families");
  concord::require_intact(results_, plugin, "its results");
  for (size_t i = 0; i < size(); ++i) {
    concord::require_intact(F_[i], plugin, "the factor F");
    concord::require_intact(messages_[i], plugin, "its message");
    if (instances_[i].warm != nullptr) concord::require_intact(*instances_[i].warm, plugin, "its warm block");
  }
}

std::string DecoderBatch::message(size_t i) const {
  return foreign_line(messages_[i].data(), kMessageBytes);
}

}  // namespace concord
