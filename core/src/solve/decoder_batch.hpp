// SPDX-License-Identifier: MIT
#pragma once
// What one call of a decoder sees, in memory of its own: whatever the plugin does to its inputs reaches nobody, and writing
// beside its outputs is noticed.
#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "plugin/guarded.hpp"
#include "solve/decoder.hpp"

namespace concord {

class DecoderBatch {
 public:
  /// `rows` are those of each request. With families, which have rows of their own, they cross the border there.
  DecoderBatch(std::span<const Instance> instances, std::span<const std::vector<concord_row>> rows,
               std::span<const FamilyData> families, int64_t labels, int64_t max_rank);

  size_t size() const { return results_.size(); }
  const concord_request* requests() { return requests_.data(); }
  const concord_family* families() { return families_.data(); }
  concord_result* results() { return results_.data(); }

  /// Fault::plugin if the plugin wrote where it had nothing to write.
  void require_intact(const std::string& plugin) const;

  /// Of what the plugin filled, only numbers are to be read: its pointers and sizes may be anything.
  const concord_result& result(size_t i) const { return results_[i]; }
  auto factor(size_t i, int64_t rank) const {
    return Eigen::Map<const Eigen::MatrixXd>(F_.data(i), labels_, rank);
  }
  std::string message(size_t i) const;

 private:
  void lend_rows(std::span<const std::vector<concord_row>> rows);

  int64_t labels_;
  std::span<const Instance> instances_;
  Eigen::MatrixXd c_;  ///< a column for each request
  std::vector<concord_row> rows_;
  std::vector<Eigen::VectorXd> coefficients_;
  std::vector<FamilyData> family_data_;
  Guarded<concord_family> families_;
  Guarded<concord_request> requests_;
  Guarded<concord_result> results_;
  Guarded<double> F_;       ///< a piece for each request
  Guarded<char> messages_;  ///< a piece for each request
};

}  // namespace concord
