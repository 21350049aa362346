// SPDX-License-Identifier: MIT
#pragma once
// Small comparisons, for the tests of concord compare.
#include <string>

#include "commands.hpp"

namespace cli::comparing {

/// A planted dataset of 6 labels.
inline std::string data() {
  return planted_data("compared", 120, 60);
}

inline std::string config(const std::string& name, const std::string& text) {
  return scratch_file(name, "[dataset.planted]\ntraining = \"" + data() + "-train.arff\"\ntest = \"" +
                                data() + "-test.arff\"\n" + text);
}

const char* const kMethods =
    "[predict]\nthreshold = \"tuned\"\n"
    "[method.ovr]\ntrain.method = \"ovr\"\n"
    "[method.modular]\ntrain.decoder = \"modular\"\ntrain.epochs = 3\n"
    "[method.spectral]\nlike = \"modular\"\ntrain.decoder = \"spectral\"\n"
    "axes.train.prior = [\"attractive\", \"any\"]\n";
const char* const kSolvers =
    "[problems.drawn]\ncell = \"planted/spectral-any\"\nrows = \"0-4\"\n"
    "[solver.spectral]\ndecoder = \"spectral\"\n"
    "[solver.exact]\ndecoder = \"exact\"\n";

inline std::string folder(const std::string& name) {
  return scratch() + "/" + name;
}

inline json results_in(const std::string& out) {
  return json::parse(bytes_of(out + "/results.json"));
}

}  // namespace cli::comparing
