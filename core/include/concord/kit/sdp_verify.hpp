// SPDX-License-Identifier: MIT
#pragma once
// What came back from an SDP solver: checked, and made exactly feasible. Each fault is an exception with a
// sentence of its own. Violations below `kSdpSlack` are repaired, since every interior-point method leaves
// some. Whoever uses the repaired point computes its value anew.
#include <concord/kit/sdp_answer.hpp>

namespace concord::kit {

inline constexpr double kSdpSlack = 1e-4;

/// u'c - <A, FF'>
double factor_value(const SdpProblem& problem, const Matrix& F);

/// A factor X that is feasible but for rounding, made feasible; what is left of the residual is the caller's
/// to judge.
Matrix repaired(const SdpProblem& problem, Matrix X);

/// The answer, checked, as F = [u, G] with at most V + 1 columns. Eigenvalues of M below tol times the largest
/// are what an interior-point method keeps away from zero: they are dropped, unless that costs value or
/// feasibility.
Matrix verified_factor(const SdpProblem& problem, const SdpAnswer& answer, double tol);

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/sdp_verify.hpp>
#endif
