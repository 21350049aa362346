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
      c_(labels, static_cast<int64_t>(instances.size())),
      family_data_(families.begin(), families.end()),
      families_(families.size()),
      requests_(instances.size()),
      results_(instances.size()),
      F_(instances.size(), static_cast<size_t>(labels * max_rank),
         kNan),  // what is not filled must look wrong
      messages_(instances.size(), kMessageBytes, '\0') {
  for (size_t i = 0; i < families.size(); ++i) families_[i] = family_data_[i].view();
  for (size_t i = 0; i < instances.size(); ++i) {
    const Instance& instance = instances[i];
    if (instance.c.size() != labels)
      fail(Fault::input, "the linear term has {} entries, and the prior {} labels", instance.c.size(),
           labels);
    c_.col(static_cast<int64_t>(i)) = instance.c;
    concord_request& q = requests_[i];
    q.size = sizeof q;
    q.labels = labels;
    q.c = c_.col(static_cast<int64_t>(i)).data();
    q.seed = instance.seed;
    q.warm = instance.warm == nullptr || instance.warm->empty() ? nullptr : instance.warm->data();
    concord_result& r = results_[i];
    r.size = sizeof r;
    r.status = CONCORD_OK;
    r.F = F_.data(i);
    r.F_columns = max_rank;
    r.value = r.bound = kNan;
    r.message = messages_.data(i);
    r.message_bytes = kMessageBytes;
  }
  if (families.empty()) lend_rows(rows);
}

void DecoderBatch::lend_rows(std::span<const std::vector<concord_row>> rows) {
  for (const auto& of_one : rows) rows_.insert(rows_.end(), of_one.begin(), of_one.end());
  for (concord_row& row : rows_) {
    if (row.coefficients == nullptr) continue;
    coefficients_.emplace_back(Eigen::Map<const Eigen::VectorXd>(row.coefficients, labels_));
    row.coefficients = coefficients_.back().data();  // a vector that moves keeps its numbers where they are
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
  concord::require_intact(F_, plugin, "the factor F");
  concord::require_intact(messages_, plugin, "its message");
  for (const Instance& instance : instances_)
    if (instance.warm != nullptr) concord::require_intact(*instance.warm, plugin, "its warm block");
}

std::string DecoderBatch::message(size_t i) const {
  return foreign_line(messages_.data(i), kMessageBytes);
}

}  // namespace concord
