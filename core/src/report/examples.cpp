// SPDX-License-Identifier: MIT
// Single instances: what is true, what is predicted, and why, as `concord explain` says it.
#include <algorithm>

#include "predict/explain_text.hpp"
#include "report/parts.hpp"

namespace concord::report {
namespace {

using compare::Example;

constexpr size_t most_example_bytes = 250'000;

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back("<b>" + html(shortened(clean(name), 60)) + "</b>");
  return shown.empty() ? "no label" : fmt::format("{}", fmt::join(shown, ", "));
}

std::string named(const Example& example, const LabelVector& labels) {
  std::vector<std::string> names;
  for (int64_t v = 0; v < labels.size(); ++v)
    if (labels(v) > 0) names.push_back(example.names[static_cast<size_t>(v)]);
  return listed(names);
}

std::string named(const Example& example, const std::vector<int64_t>& labels) {
  std::vector<std::string> names;
  for (const int64_t v : labels) names.push_back(example.names[static_cast<size_t>(v)]);
  return listed(names);
}

std::string parts_text(const std::vector<Contribution>& parts) {
  std::vector<std::string> shown;
  for (const Contribution& part : parts)
    shown.push_back(html(shortened(clean(part.name), 40)) + "\u00a0" + typographic(with_sign(part.amount)));
  return shown.empty() ? "nothing" : fmt::format("{}", fmt::join(shown, ", "));
}

/// A number, and what it is made of.
std::string sum_td(double sum, const std::vector<Contribution>& parts) {
  return fmt::format(R"(<td class="sum">{}<small>{}</small></td>)", typographic(with_sign(sum)),
                     parts_text(parts));
}

std::string label_row(const Example& example, size_t v) {
  const LabelReasons& why = example.why.reasons[v];
  const auto at = static_cast<int64_t>(v);
  const bool is_true = example.truth(at) > 0, predicted = example.why.labels(at) > 0,
             plain = example.why.without_prior(at) > 0;
  const auto word = [](bool yes) { return yes ? "yes" : "no"; };
  return fmt::format(
      R"(<tr><th scope="row">{}</th><td class="name">{}</td><td class="name{}">{}{}</td><td class="name">{}</td>{}{}<td>{}{}</td></tr>)",
      html(shortened(clean(example.names[v]), 60)), word(is_true), predicted == is_true ? "" : " failed",
      word(predicted), predicted == is_true ? "" : "<small>wrong</small>", word(plain),
      sum_td(why.score, why.parts), sum_td(why.prior, why.pulls), typographic(fixed(why.ranking)),
      why.threshold ? "<small>threshold " + typographic(fixed(*why.threshold)) + "</small>" : "");
}

std::string heading(const Example& example) {
  const bool is_right = (example.why.labels == example.truth).all() && example.left_out == 0;
  const bool was_right = (example.why.without_prior == example.truth).all() && example.left_out == 0;
  switch (example.kind) {
    case Example::Kind::changed:
      return is_right    ? "Changed by the prior, to what is right"
             : was_right ? "Changed by the prior, away from what is right"
                         : "Changed by the prior";
    case Example::Kind::right:
      return "Right";
    case Example::Kind::wrong:
      break;
  }
  return "Wrong";
}

std::string prior_sentence(const Example& example) {
  const PriorChange change = prior_change(example.why);
  if (!change.any()) return "The prior changed no label: the same rule with A = 0 predicts the same.";
  std::string text = "The prior ";
  if (!change.added.empty()) text += "added " + named(example, change.added);
  if (!change.added.empty() && !change.taken_away.empty()) text += " and ";
  if (!change.taken_away.empty()) text += "took away " + named(example, change.taken_away);
  return text + ", compared with the same rule with A = 0.";
}

std::string example_html(const Example& example, const std::string& decoder) {
  const Explanation& why = example.why;
  std::string text = fmt::format("<h4>{}: instance {}</h4>\n<p>True: {}. Predicted: {}. {}</p>\n",
                                 heading(example), example.row, named(example, example.truth),
                                 named(example, why.labels), prior_sentence(example));
  std::string rows;
  for (size_t v = 0; v < example.names.size(); ++v) rows += label_row(example, v) + "\n";
  if (!rows.empty())
    text += fmt::format(
        R"(<div class="box" tabindex="0" role="region" aria-label="{}: instance {}"><table class="main example">)"
        "\n<thead><tr><th scope=\"col\">label</th><th scope=\"col\" class=\"name\">true</th><th scope=\"col\" "
        "class=\"name\">predicted</th><th scope=\"col\" class=\"name\">with A\u00a0=\u00a00</th><th scope=\"col\" class=\"name\">score</th><th "
        "scope=\"col\" class=\"name\">prior</th><th scope=\"col\">the rule sees</th></tr></thead><tbody>\n{}</tbody></table></div>\n",
        heading(example), example.row, rows);
  text += R"(<p class="caption">)";
  if (example.left_out > 0) text += fmt::format("{} more labels are left out. ", example.left_out);
  text += "Objective " + typographic(brief(why.objective));
  if (std::isfinite(why.bound))
    text +=
        fmt::format("; no labelling has more than {}, says {}", typographic(brief(why.bound)), html(decoder));
  text += ".";
  if (why.runner_up)
    text += fmt::format(" Runner-up: {}: {}.", named(example, why.runner_up->labels),
                        typographic(html(difference_text(*why.runner_up))));
  return text + "</p>\n";
}

std::string dataset_examples(const CellView& cell) {
  const compare::Examples& examples = *cell.result().examples;
  const int64_t total = cell.result().test_instances;
  std::string text = fmt::format(
      "<h3>{}: {}</h3>\n<p>The prior changes the labels of <b>{}</b> test instances. {}</p>\n",
      html(cell.dataset()), html(cell.method()),
      total > 0 ? fmt::format("{} of {}", examples.changed, total) : fmt::format("{}", examples.changed),
      examples.rule.empty() ? "" : "Predicted by " + html(examples.rule) + ".");
  for (const Example& example : examples.all) text += example_html(example, examples.decoder);
  const auto folder = compare::CellName::of(cell.cell->name.kind, cell.dataset(), cell.method()).folder();
  return text +
         fmt::format(
             "<p class=\"caption\">All labels and parts: <code>concord explain --model {}/model.concord "
             "--data FILE --row N</code></p>\n",
             html(folder.generic_string()));
}

}  // namespace

std::string examples_section(const ResultsView& view) {
  std::string text;
  size_t left_out = 0;
  for (const std::string& dataset : view.dataset_names()) {
    const CellView* best = nullptr;
    for (const CellView& cell : view.cells)
      if (cell.dataset() == dataset && cell.result().examples && !cell.result().examples->all.empty() &&
          std::isfinite(cell.value) && (!best || view.better(cell.value, best->value)))
        best = &cell;
    if (!best) continue;
    if (text.size() < most_example_bytes)
      text += dataset_examples(*best);
    else
      ++left_out;
  }
  if (text.empty()) return "";
  if (left_out > 0)
    text += fmt::format("<p class=\"caption\">The examples of {} more datasets are in results.json.</p>\n",
                        left_out);
  return "<p>For each dataset the best method that learns a prior: of its test data the first instance that the prior "
         "changes, then the first other one that is right and the first that is wrong. Nobody has picked them. A label "
         "counts in the objective by its score plus what the prior adds, given the other labels; below each sum are "
         "its largest parts.</p>\n" +
         text;
}

}  // namespace concord::report
