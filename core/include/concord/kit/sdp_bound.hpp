// SPDX-License-Identifier: MIT
#pragma once
// The dual bound of the SDP for any y (and mu), rounding included: a proof whatever the solver that found y.
#include <concord/kit/sdp.hpp>

namespace concord::kit {

/// A number that lambda_max(S) does not exceed, above it by a few units of rounding.
double proven_lambda_max(const Matrix& S);

/// sum y + n lambda_max(C - Diag y), see sdp.hpp: no labelling has a larger objective.
double proven_bound(const SdpProblem& problem, const Vector& y, double mu = 0);

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/sdp_bound.hpp>
#endif
