// SPDX-License-Identifier: MIT
#pragma once
// A model and data for it in files, and what the core computes from them in memory. Of plain types: a test that
// calls concord() cannot see the namespace of that name.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

class ModelFixture {
 public:
  enum class Prior { none, weak, with_diagonal };
  static constexpr int64_t instances = 150, features = 4, labels = 5;

  /// Writes its files to `folder`. Features are multiples of 1/8, which every format holds exactly.
  explicit ModelFixture(const std::string& folder, Prior prior = Prior::weak);

  std::string model, libsvm, arff, xml;
  std::string unlabelled;  ///< the ARFF file without its label attributes
  std::string libsvm_text;

  /// What predict writes, with the options of that name.
  std::string predicted(const std::string& output, const std::string& form,
                        const std::string& decoder = "spectral") const;
  /// Names and values of all metrics.
  std::vector<std::pair<std::string, double>> metrics() const;
  std::vector<double> scores(int64_t row) const;
  std::vector<int> predicted_labels(int64_t row, const std::string& decoder) const;

 private:
  struct Memory;
  std::shared_ptr<Memory> memory_;
};
