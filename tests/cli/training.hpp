// SPDX-License-Identifier: MIT
#pragma once
// Small trainings, for the tests of concord train.
#include "commands.hpp"

namespace cli::training {

inline std::string data() {
  return planted_data("planted", 200, 100);
}

inline std::string config(const std::string& name, const std::string& text) {
  return scratch_file(name, "[data]\ntrain = \"" + data() + "-train.arff\"\n" + text);
}

const char* const kSmall =
    "[train]\nprior = \"any\"\nlambda_w = [0.1, 0.01]\nepochs = [3, 6]\n[predict]\nthreshold = "
    "\"tuned\"\nmin_labels = 1\n";

inline std::string model(const std::string& name) {
  return scratch() + "/" + name;
}

}  // namespace cli::training
