// SPDX-License-Identifier: MIT
#pragma once
// What the tests of data files share.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdlib.h>
#include <string>

#include "base/error.hpp"
#include "data/dataset.hpp"

namespace concord::test {

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "concord-data-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// <repository>/../shared/datasets, if it is there.
inline std::optional<std::filesystem::path> shared_datasets() {
  const auto folder =
      std::filesystem::path(CONCORD_TEST_DATA).parent_path().parent_path() / "shared" / "datasets";
  if (!std::filesystem::is_directory(folder)) return std::nullopt;
  return folder;
}

/// The message of the Error that `step` throws, which must be Fault::input; empty if it throws none.
template <class Step>
std::string refusal(Step&& step) {
  try {
    step();
  } catch (const Error& error) {
    return error.kind() == Fault::input ? error.what() : std::string("not Fault::input: ") + error.what();
  }
  return "";
}

inline Eigen::MatrixXd dense_of(const Features& X) {
  return X.is_sparse() ? Eigen::MatrixXd(X.sparse()) : Eigen::MatrixXd(X.dense());
}

/// The same numbers, bit for bit.
inline bool same_numbers(const Features& a, const Features& b) {
  const Eigen::MatrixXd left = dense_of(a), right = dense_of(b);
  return left.rows() == right.rows() && left.cols() == right.cols() &&
         std::memcmp(left.data(), right.data(), static_cast<size_t>(left.size()) * sizeof(double)) == 0;
}

}  // namespace concord::test
