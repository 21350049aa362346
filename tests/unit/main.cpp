// SPDX-License-Identifier: MIT
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include <concord/kit/numeric_environment.hpp>

// The tests compute with the BLAS that the program computes with: their bits are compared.
int main(int argc, char** argv) {
  concord::kit::fix_numeric_environment(argv);
  return Catch::Session().run(argc, argv);
}
