// SPDX-License-Identifier: MIT
#pragma once
// LAPACK's factorisation, for certificates (kit/mixing.hpp). Who includes this needs lapack.h (of LAPACKE), and links LAPACK.
#include <lapack.h>

#include <concord/kit/dense.hpp>

namespace concord::kit {

/// By the faster of the two factorisations (measured: dpotrf takes four fifths of the time from n = 375 on; its
/// 32-bit indices end at about 30000).
inline bool fastest_definite(Matrix& S) {
  if (S.rows() < 128 || S.rows() > 30000) return eigen_definite(S);
  const int n = static_cast<int>(S.rows());
  int info = 0;
  LAPACK_dpotrf("L", &n, S.data(), &n, &info);
  return info == 0 && S.diagonal().allFinite();  // not every LAPACK stops at a NaN
}

}  // namespace concord::kit
