// SPDX-License-Identifier: MIT
#pragma once
// What a model with a prior makes of single instances of the test data: one that it gets right, one that it gets wrong, and one
// that the prior changed, each explained as `concord explain` does it.
#include <string>
#include <vector>

#include "compare/json_fields.hpp"
#include "data/dataset.hpp"
#include "predict/explain.hpp"

namespace concord::compare {

/// An instance and its explanation, of the labels that are worth telling of alone.
struct Example {
  enum class Kind { changed, right, wrong } kind = Kind::right;
  int64_t row = 0;                 ///< of the test data, counted from 0
  std::vector<std::string> names;  ///< of the labels
  int64_t left_out = 0;            ///< labels for which there was no room
  LabelVector truth;
  Explanation why;  ///< parts of sums: the largest, and the others as one
};
const char* name_of(Example::Kind kind);

struct Examples {
  std::string rule, decoder;  ///< who predicts, and who proves the bounds
  int64_t changed = 0;        ///< test instances whose labels are others than with A = 0
  std::vector<Example> all;   ///< the first of each kind in the test data, as far as there is one
};
Json to_json(const Examples& examples);
/// Json::exception where a field is missing that every example has.
Examples examples_from_json(const Json& json);

/// `predicted` are the labels of all test instances by the model.
Examples examples_of(const Model& model, const SolvePlan& plan, const Dataset& test,
                     const LabelMatrix& predicted, const RunControl& control);

}  // namespace concord::compare
