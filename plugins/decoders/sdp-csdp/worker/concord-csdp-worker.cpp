// SPDX-License-Identifier: MIT
// Runs CSDP for the decoder sdp-csdp.
#include <concord/kit/sdp_worker.hpp>

#include "../csdp.hpp"

int main(int argc, char** argv) {
  return concord::kit::sdp_worker(argc, argv, concord::csdp::solve, "CSDP");
}
