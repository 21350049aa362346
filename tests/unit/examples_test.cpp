// SPDX-License-Identifier: MIT
// Examples of a comparison's report: which instances, and that a file gives them back.
#include "compare/examples.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "model_support.hpp"
#include "support.hpp"

namespace concord::examples_test {

using namespace concord::test;
using compare::Example;
using compare::Examples;

TEST_CASE("examples: the first instance of each kind, with every label that is true or predicted") {
  kit::Rng rng(29);
  size_t seen[3] = {0, 0, 0};
  for (int trial = 0; trial < 60; ++trial) {
    const int64_t V = 2 + static_cast<int64_t>(rng.below(5)), d = 3,
                  N = 1 + static_cast<int64_t>(rng.below(90));
    const Model model = random_model(rng, d, V, Coupling::weak);
    ErrorList errors;
    const SolvePlan plan = plan_prediction(builtin(), model.settings, errors);
    errors.throw_if_any();
    Dataset test;
    test.X = random_features(rng, N, d, trial % 2 == 0);
    test.label_names = model.label_names;
    const uint64_t seed = model.settings.run.seed;
    const LabelMatrix predicted = ModelPredictor(model, plan, seed, {}, 1).predict_labels(test.X);
    const LabelMatrix plain = ModelPredictor(without_prior(model), plan, seed, {}, 1).predict_labels(test.X);
    test.Y = predicted;
    for (int8_t& label : test.Y.reshaped())
      if (rng.uniform() < 0.15) label = static_cast<int8_t>(-label);
    const Examples examples = compare::examples_of(model, plan, test, predicted, {});
    int64_t changed = 0;
    for (int64_t i = 0; i < N; ++i) changed += (predicted.col(i) != plain.col(i)).any() ? 1 : 0;
    CHECK(examples.changed == changed);
    CHECK((examples.all.empty() || examples.all.front().kind == Example::Kind::changed) ==
          (changed > 0 || examples.all.empty()));
    std::vector<int64_t> rows;
    for (const Example& example : examples.all) {
      const int64_t i = example.row;
      CHECK(std::find(rows.begin(), rows.end(), i) == rows.end());
      rows.push_back(i);
      ++seen[static_cast<int>(example.kind)];
      const bool right = (predicted.col(i) == test.Y.col(i)).all();
      if (example.kind == Example::Kind::changed) CHECK((predicted.col(i) != plain.col(i)).any());
      if (example.kind != Example::Kind::changed) CHECK(right == (example.kind == Example::Kind::right));
      CHECK((example.truth > 0).count() == (test.Y.col(i) > 0).count());
      CHECK((example.why.labels > 0).count() == (predicted.col(i) > 0).count());
      CHECK((example.why.without_prior > 0).count() == (plain.col(i) > 0).count());
      CHECK(static_cast<int64_t>(example.names.size()) == example.truth.size());
      for (const LabelReasons& why : example.why.reasons) {
        double score = 0, prior = 0;
        for (const Contribution& part : why.parts) score += part.amount;
        for (const Contribution& part : why.pulls) prior += part.amount;
        CHECK(score == Approx(why.score).margin(1e-9));
        CHECK(prior == Approx(why.prior).margin(1e-9));
      }
    }
    const compare::Json json = to_json(examples);
    CHECK(to_json(compare::examples_from_json(json)) == json);
  }
  for (const size_t count : seen) CHECK(count > 10);
}

}  // namespace concord::examples_test
