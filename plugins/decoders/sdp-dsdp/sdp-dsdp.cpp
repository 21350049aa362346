// SPDX-License-Identifier: MIT
// The semidefinite relaxation by DSDP. The library has a global variable: the host runs one call at a time.
#include <concord/kit/sdp_backend.hpp>

#include "dsdp.hpp"

namespace {

struct Dsdp {
  concord::kit::SdpAnswer solve(const concord::kit::SdpProblem& problem, double tol,
                                const concord::Env& env) const {
    return concord::dsdp::solve(problem, tol, [&] { return env.interruption().has_value(); });
  }
};

}  // namespace

CONCORD_EXPORT_DECODER(concord::kit::SdpDecoder<Dsdp>, "sdp-dsdp",
                       "semidefinite relaxation by the dual-scaling solver DSDP")
