// SPDX-License-Identifier: MIT
// The program that the plugin starts, asks many times, and ends. It may crash, call exit() or print what it likes.
#include <concord/kit/sdp_worker.hpp>

#include "solver.hpp"

int main(int argc, char** argv) {
  return concord::kit::sdp_worker(argc, argv, solve, "ADMM 1.0");  // your solver's name and version
}
