// SPDX-License-Identifier: MIT
#include "compare/examples.hpp"

#include <algorithm>

#include "predict/evaluation.hpp"
#include "predict/explain_text.hpp"

namespace concord::compare {
namespace {

constexpr size_t kMostLabels = 24, kMostParts = 5;  // that are told of

Json parts_json(const std::vector<Contribution>& parts) {
  Json json = Json::array();
  for (const Contribution& part : parts) json.push_back({{"name", part.name}, {"amount", part.amount}});
  return json;
}

std::vector<Contribution> parts_from_json(const Json& json) {
  return list_from_json(json, [](const Json& part) {
    return Contribution{text_at(part, "name"), number_at(part, "amount")};
  });
}

Json example_json(const Example& example) {
  const Explanation& why = example.why;
  Json labels = Json::array();
  for (size_t v = 0; v < example.names.size(); ++v) {
    const LabelReasons& reasons = why.reasons[v];
    const auto at = static_cast<int64_t>(v);
    Json label = {{"label", example.names[v]},
                  {"true", example.truth(at) > 0},
                  {"predicted", why.labels(at) > 0},
                  {"predicted_without_prior", why.without_prior(at) > 0},
                  {"score", number_or_null(reasons.score)},
                  {"score_from", parts_json(reasons.parts)},
                  {"prior", number_or_null(reasons.prior)},
                  {"prior_from", parts_json(reasons.pulls)},
                  {"ranking", number_or_null(reasons.ranking)}};
    if (reasons.threshold) label["threshold"] = number_or_null(*reasons.threshold);
    if (why.runner_up) label["runner_up"] = why.runner_up->labels(at) > 0;
    labels.push_back(std::move(label));
  }
  Json json = {{"kind", name_of(example.kind)},
               {"row", example.row},
               {"labels", labels},
               {"left_out", example.left_out},
               {"objective", number_or_null(why.objective)},
               {"bound", number_or_null(why.bound)},
               {"runner_up", nullptr}};
  if (why.runner_up)
    json["runner_up"] = {{"difference", number_or_null(why.runner_up->difference)},
                         {"measure", name_of(why.runner_up->measure)}};
  return json;
}

Example example_from_json(const Json& json) {
  Example example;
  for (const Example::Kind kind : {Example::Kind::changed, Example::Kind::right, Example::Kind::wrong})
    if (json.at("kind") == name_of(kind)) example.kind = kind;
  example.row = integer_at(json, "row");
  example.left_out = integer_at(json, "left_out");
  Explanation& why = example.why;
  why.objective = number_at(json, "objective");
  why.bound = number_at(json, "bound");
  const Json& labels = json.at("labels");
  const auto count = static_cast<int64_t>(labels.size());
  for (LabelVector* each : {&example.truth, &why.labels, &why.without_prior}) each->resize(count);
  if (const Json& next = json_at(json, "runner_up"); next.is_object()) {
    why.runner_up = {LabelVector(count), number_at(next, "difference"), RuleMeasure::objective};
    for (const RuleMeasure measure :
         {RuleMeasure::objective, RuleMeasure::threshold_distance, RuleMeasure::expected_f1})
      if (text_at(next, "measure") == name_of(measure)) why.runner_up->measure = measure;
  }
  for (int64_t v = 0; v < count; ++v) {
    const Json& label = labels.at(static_cast<size_t>(v));
    const auto has = [&](const char* key) { return static_cast<int8_t>(flag_at(label, key) ? 1 : -1); };
    example.names.push_back(text_at(label, "label"));
    example.truth(v) = has("true");
    why.labels(v) = has("predicted");
    why.without_prior(v) = has("predicted_without_prior");
    if (why.runner_up) why.runner_up->labels(v) = has("runner_up");
    LabelReasons& reasons = why.reasons.emplace_back();
    reasons.score = number_at(label, "score");
    reasons.parts = parts_from_json(json_at(label, "score_from"));
    reasons.prior = number_at(label, "prior");
    reasons.pulls = parts_from_json(json_at(label, "prior_from"));
    reasons.ranking = number_at(label, "ranking");
    if (label.contains("threshold")) reasons.threshold = number_at(label, "threshold");
  }
  return example;
}

/// The labels that are worth telling of, and those that are true.
Example told(Example::Kind kind, int64_t row, const Model& model, LabelMatrix::ConstColXpr truth,
             const Explanation& why) {
  std::vector<int64_t> chosen = labels_worth_telling(why);
  for (const int64_t v : positives(truth))
    if (std::find(chosen.begin(), chosen.end(), v) == chosen.end()) chosen.push_back(v);
  std::sort(chosen.begin(), chosen.end());
  Example example;
  example.kind = kind;
  example.row = row;
  if (chosen.size() > kMostLabels) {
    example.left_out = static_cast<int64_t>(chosen.size() - kMostLabels);
    chosen.resize(kMostLabels);
  }
  example.truth = truth(chosen);
  example.why = {why.labels(chosen), why.without_prior(chosen), why.objective, why.bound, {}, {}};
  for (const int64_t v : chosen) {
    example.names.push_back(model.label_names[static_cast<size_t>(v)]);
    LabelReasons reasons = why.reasons[static_cast<size_t>(v)];
    reasons.parts = largest_parts(reasons.parts, kMostParts);
    reasons.pulls = largest_parts(reasons.pulls, kMostParts);
    example.why.reasons.push_back(std::move(reasons));
  }
  if (why.runner_up)
    example.why.runner_up = {why.runner_up->labels(chosen), why.runner_up->difference,
                             why.runner_up->measure};
  return example;
}

}  // namespace

const char* name_of(Example::Kind kind) {
  return kind == Example::Kind::changed ? "changed" : kind == Example::Kind::right ? "right" : "wrong";
}

Json to_json(const Examples& examples) {
  Json all = Json::array();
  for (const Example& example : examples.all) all.push_back(example_json(example));
  return {{"rule", examples.rule},
          {"decoder", examples.decoder},
          {"changed", examples.changed},
          {"examples", all}};
}

Examples examples_from_json(const Json& json) {
  return {text_at(json, "rule"), text_at(json, "decoder"), integer_at(json, "changed"),
          list_from_json(json.at("examples"), example_from_json)};
}

Examples examples_of(const Model& model, const SolvePlan& plan, const Dataset& test,
                     const LabelMatrix& predicted, const RunControl& control) {
  const uint64_t seed = model.settings.run.seed;
  const Model bare = without_prior(model);
  const LabelMatrix plain = ModelPredictor(bare, plan, seed, control, 1).predict_labels(test.X);
  Examples examples{PredictionRule(model, plan).text, plan.decoder.plugin->name(), 0, {}};
  for (int64_t i = 0; i < test.instances(); ++i)
    examples.changed += (predicted.col(i) != plain.col(i)).any() ? 1 : 0;

  const auto is_right = [&](int64_t i) { return (predicted.col(i) == test.Y.col(i)).all(); };
  const auto is = [&](Example::Kind kind, int64_t i) {
    switch (kind) {
      case Example::Kind::changed:
        return (predicted.col(i) != plain.col(i)).any();
      case Example::Kind::right:  // that there are no labels is no example
        return is_right(i) && (test.Y.col(i) > 0).any();
      case Example::Kind::wrong:
        break;
    }
    return !is_right(i);
  };
  std::vector<int64_t> taken;
  for (const Example::Kind kind : {Example::Kind::changed, Example::Kind::right, Example::Kind::wrong}) {
    int64_t i = 0;
    while (i < test.instances() && (!is(kind, i) || std::find(taken.begin(), taken.end(), i) != taken.end()))
      ++i;
    if (i == test.instances()) continue;
    taken.push_back(i);
    const int64_t first = i - i % Predictor::kChunk;
    const Features block = test.X.middle_rows(first, std::min(Predictor::kChunk, test.instances() - first));
    const KnownLabels none = KnownLabels::Zero(model.labels(), block.rows());
    examples.all.push_back(told(kind, i, model, test.Y.col(i),
                                explain(model, plan, {block, none, first}, i - first, seed, control)));
  }
  return examples;
}

}  // namespace concord::compare
