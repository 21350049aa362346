// SPDX-License-Identifier: MIT
#pragma once
// Is a symmetric matrix positive definite?
#include <Eigen/Cholesky>

#include <concord/kit/conventions.hpp>

namespace concord::kit {

/// Only the lower triangle of S is read; it becomes the factor, or something in between if S is not positive definite.
using Definite = bool (*)(Matrix& S);

inline bool eigen_definite(Matrix& S) {
  return Eigen::LLT<Eigen::Ref<Matrix>>(S).info() == Eigen::Success;
}

}  // namespace concord::kit
