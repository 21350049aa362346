// SPDX-License-Identifier: MIT
// Explained instances of the sample.
#include "compare/examples.hpp"
#include "tests/report/sample_results.hpp"

namespace concord::test {

using compare::Example;

nlohmann::ordered_json sample_examples(bool flawed) {
  const std::vector<std::string> names = {flawed ? "<script>alert(3)</script>" : "sea", "sand",
                                          "knowledge management", "snow"};
  const auto labelling = [](int a, int b, int c, int d) {
    LabelVector labels(4);
    labels << int8_t(a), int8_t(b), int8_t(c), int8_t(d);
    return labels;
  };
  const auto example = [&](Example::Kind kind, int64_t row, const LabelVector& truth,
                           const LabelVector& labels, const LabelVector& plain) {
    Example made;
    made.kind = kind, made.row = row, made.names = names, made.truth = truth;
    made.why = {labels, plain, 2.75, 2.9375, {}, RunnerUp{plain, .125, RuleMeasure::objective}};
    for (int64_t v = 0; v < 4; ++v) {
      const double score = .4 - .3 * static_cast<double>(v);
      made.why.reasons.push_back(
          {score,
           {{flawed ? "\" onerror='alert(4)'" : "blue", score + .3}, {"(constant)", -.2}, {"12 others", -.1}},
           .25,
           {{names[static_cast<size_t>(3 - v)], .35}, {"sand", -.1}},
           score + .25,
           v % 2 == 0 ? std::optional(.1) : std::nullopt});
    }
    return made;
  };
  const LabelVector truth = labelling(1, 1, -1, -1);
  compare::Examples examples{"decoder spectral, rounding threshold+local-search", "spectral", 123, {}};
  examples.all = {example(Example::Kind::changed, 3, truth, truth, labelling(1, -1, -1, -1)),
                  example(Example::Kind::right, 0, truth, truth, truth),
                  example(Example::Kind::wrong, 17, labelling(-1, -1, 1, 1), truth, truth)};
  examples.all.back().left_out = 2;
  examples.all.back().why.runner_up.reset();
  return to_json(examples);
}

}  // namespace concord::test
