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
#include "folder.hpp"

namespace concord::test {

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
