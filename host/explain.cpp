// SPDX-License-Identifier: MIT
// concord explain: why a model gives an instance its labels.
#include <algorithm>
#include <cmath>
#include <set>

#include "plugin/records.hpp"
#include "predict/evaluation.hpp"
#include "predict/explain_text.hpp"
#include "prediction_setup.hpp"
#include "process/state.hpp"

namespace concord {
namespace po = boost::program_options;
namespace {

/// The instance to explain among those that `predict` takes together with it.
struct Found {
  Features X;
  KnownLabels known;
  int64_t first = 0, row = 0;
};

Found find_row(InstanceReader& reader, KnownReader* known, int64_t row, const std::string& data) {
  for (int64_t first = 0;; first += Predictor::kChunk) {
    const Dataset block = reader.read(Predictor::kChunk);
    const KnownLabels given = known != nullptr ? known->read(block.instances()) : partly_known(block.Y);
    if (row < first + block.instances()) return {block.X, given, first, row - first};
    if (block.instances() < Predictor::kChunk)
      fail(Fault::input, About{fmt::format("--row {}", row), data}, "{} has {} instances, counted from 0",
           data, first + block.instances());
  }
}

/// How an explanation is written: names of labels, and no more than `most` parts of a sum.
class ExplanationWriter {
 public:
  ExplanationWriter(const PredictionSetup& setup, const Found& found, const Explanation& why, int64_t most)
      : setup_(setup), found_(found), why_(why), most_(static_cast<size_t>(most)) {}

  std::string text(const std::string& data) const {
    std::string text = fmt::format("instance {} of {}: {}\n{}\n\n", found_.first + found_.row, data,
                                   named(why_.labels), PredictionRule(setup_.model, setup_.plan).text);
    for (const int64_t v : labels_worth_telling(why_)) text += label_text(v);
    text += "\n";
    if (setup_.model.has_prior()) text += prior_text();
    text += fmt::format("objective  {:.6g}", why_.objective);
    if (std::isfinite(why_.bound))
      text += fmt::format("; no labelling has more than {:.6g}, says {}", why_.bound,
                          setup_.plan.decoder.plugin->name());
    text += "\n";
    if (why_.runner_up)
      text +=
          fmt::format("runner-up  {}: {}\n", named(why_.runner_up->labels), difference_text(*why_.runner_up));
    return text;
  }

  Json json(const std::string& data) const {
    Json labels = Json::array();
    for (int64_t v = 0; v < setup_.model.labels(); ++v) {
      const LabelReasons& why = reasons(v);
      labels.push_back({{"label", name(v)},
                        {"predicted", why_.labels(v) > 0},
                        {"predicted_without_prior", why_.without_prior(v) > 0},
                        {"known", is_known(v)},
                        {"score", why.score},
                        {"score_from", parts_json(why.parts)},
                        {"prior", why.prior},
                        {"prior_from", parts_json(why.pulls)},
                        {"ranking", is_known(v) ? Json(nullptr) : Json(why.ranking)}});
    }
    Json json{{"model", setup_.model_file},
              {"data", data},
              {"row", found_.first + found_.row},
              {"rule", PredictionRule(setup_.model, setup_.plan).text},
              {"labels", names_of(why_.labels)},
              {"labels_without_prior", names_of(why_.without_prior)},
              {"objective", why_.objective},
              {"bound", number_or_null(why_.bound)},
              {"runner_up", nullptr},
              {"explained", labels},
              {"seed", setup_.seed},
              {"plugins", Json::array({plugin_record(setup_.plan.decoder)})},
              {"host", host_record()}};
    if (why_.runner_up)
      json["runner_up"] = {{"labels", names_of(why_.runner_up->labels)},
                           {"difference", why_.runner_up->difference},
                           {"measure", name_of(why_.runner_up->measure)}};
    return json;
  }

 private:
  const std::string& name(int64_t v) const { return setup_.model.label_names[static_cast<size_t>(v)]; }
  const LabelReasons& reasons(int64_t v) const { return why_.reasons[static_cast<size_t>(v)]; }
  bool is_known(int64_t v) const { return found_.known(v, found_.row) != 0; }

  std::vector<std::string> names_of(const LabelVector& labels) const {
    std::vector<std::string> names;
    for (int64_t v = 0; v < labels.size(); ++v)
      if (labels(v) > 0) names.push_back(name(v));
    return names;
  }
  static std::string listed(const std::vector<std::string>& names) {
    return names.empty() ? "no label" : one_line(fmt::format("{}", fmt::join(names, ", ")));
  }
  std::string named(const LabelVector& labels) const { return listed(names_of(labels)); }
  std::string named(const std::vector<int64_t>& labels) const {
    std::vector<std::string> names;
    for (const int64_t v : labels) names.push_back(name(v));
    return listed(names);
  }

  std::string label_text(int64_t v) const {
    const LabelReasons& why = reasons(v);
    std::string text = fmt::format("{:<20} {:<4} score {:+.4f}", one_line(name(v)),
                                   why_.labels(v) > 0 ? "yes" : "no", why.score);
    if (setup_.model.has_prior()) text += fmt::format(", prior {:+.4f}", why.prior);
    text += is_known(v) ? ", known" : fmt::format(", the rule sees {:.4f}", why.ranking);
    if (!is_known(v) && why.threshold) text += fmt::format(" (threshold {:.4f})", *why.threshold);
    text += fmt::format("\n    score  {}\n", sum_text(why.parts));
    if (!why.pulls.empty()) text += fmt::format("    prior  {}\n", sum_text(why.pulls));
    return text;
  }

  std::string sum_text(const std::vector<Contribution>& parts) const {
    std::vector<std::string> shown;
    for (const Contribution& part : largest_parts(parts, most_))
      shown.push_back(fmt::format("{} {:+.4f}", one_line(part.name), part.amount));
    return shown.empty() ? "nothing" : fmt::format("{}", fmt::join(shown, ", "));
  }

  std::string prior_text() const {
    const PriorChange change = prior_change(why_);
    if (!change.any()) return "prior      changed no label: the same rule with A = 0 predicts the same\n";
    std::string text = "prior     ";
    if (!change.added.empty()) text += " added " + named(change.added);
    if (!change.added.empty() && !change.taken_away.empty()) text += ",";
    if (!change.taken_away.empty()) text += " took away " + named(change.taken_away);
    return text + "; compared with the same rule with A = 0\n";
  }

  Json parts_json(const std::vector<Contribution>& parts) const {
    Json all = Json::array();
    for (size_t i = 0; i < std::min(most_, parts.size()); ++i) {
      Json part{{"name", parts[i].name}, {"amount", parts[i].amount}};
      if (parts[i].value) part["value"] = *parts[i].value;
      all.push_back(part);
    }
    return all;
  }

  const PredictionSetup& setup_;
  const Found& found_;
  const Explanation& why_;
  size_t most_;
};

}  // namespace

Exit run_explain(const Strings& words, Context& context) {
  Arguments arguments(
      "explain --model FILE --data FILE|- --row N [OPTIONS]",
      R"(Says why a model gives an instance its labels: what each score is made of, what the prior adds to it
given the other labels, what the same rule predicts without the prior, a bound on the objective, and
the labelling that came next.)");
  add_prediction_options(arguments);
  arguments.add()("row", po::value<int64_t>()->value_name("N"), "the instance, counted from 0")(
      "top", po::value<int64_t>()->default_value(5)->value_name("N"),
      "so many parts of each sum, the largest")("known", po::value<std::string>()->value_name("FILE"),
                                                "labels that are known, as for predict")(
      "json", "one JSON object on standard output, with every label");
  if (!arguments.parse(words, context)) return Exit::done;

  ErrorList errors;
  const std::string data = arguments.required("data");
  const PredictionSetup setup = set_up_prediction(arguments, context, errors);
  if (!arguments.has("row"))
    errors.add(Fault::input, "--row N says which instance is to be explained, counted from 0");
  const int64_t row = arguments.has("row") ? arguments.get<int64_t>("row") : 0;
  if (row < 0) errors.add(Fault::input, "instances are counted from 0", {fmt::format("--row {}", row)});
  const auto most = arguments.get<int64_t>("top");
  if (most < 1) errors.add(Fault::input, "must be at least 1", {fmt::format("--top {}", most)});
  PredictionInput input(arguments, errors);
  errors.throw_if_any();

  const auto reader = input.instances(setup);
  auto known = input.known(setup);
  const Found found = find_row(*reader, known ? &*known : nullptr, row, data);
  const Explanation why = explain(setup.model, setup.plan, {found.X, found.known, found.first}, found.row,
                                  setup.seed, context.control);
  const ExplanationWriter writer(setup, found, why, most);
  context.out.write(arguments.has("json") ? to_line(writer.json(data)) : writer.text(data));
  return Exit::done;
}

}  // namespace concord
