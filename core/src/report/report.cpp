// SPDX-License-Identifier: MIT
#include "report/report.hpp"

#include "base/files.hpp"
#include "report/parts.hpp"

namespace concord::report {
namespace {

/// Nothing may be fetched, and of all scripts only ours may run.
std::string policy() {
  return fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; "
      "form-action 'none'",
      sha256_base64(page_script));
}

/// "2026-11-16T18:00:00Z" as "2026-11-16 18:00 UTC"; anything else as it is.
std::string date_text(const std::string& iso) {
  const bool expected = iso.size() == 20 && iso[10] == 'T' && iso.back() == 'Z';
  return expected ? iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC" : iso;
}

std::string header(const ResultsView& view) {
  const Results& results = view.results;
  const size_t failed = results.count(Status::failed), pending = results.count(Status::pending);
  std::string text = "<header>\n<h1>" + html(view.outline.title) + "</h1>\n";
  if (!view.cells.empty())
    text += fmt::format("<p class=\"metric\"><b>{}</b>, {} is better. {}</p>\n", html(view.metric),
                        view.metric_is_loss ? "smaller" : "larger", html(view.results.convention));
  if (view.is_repeated() && !view.cells.empty())
    text += fmt::format(
        "<p class=\"metric\">Every method is trained <b>{} times</b> on each dataset: on the split as it is given, "
        "and on {} with all rows drawn anew, the same for all methods. Values are means over these trainings; "
        "their intervals, and those of differences, are over trainings. Convergence, times, priors and "
        "whatever else is of one model are those of the split as it is given.</p>\n",
        view.outline.repeats, view.outline.repeats - 1);
  text += fmt::format(
      "<p class=\"facts\"><span><time datetime=\"{}\">{}</time></span><span>Concord {}</span>"
      "<span>{}</span><span>{}</span></p>\n",
      html(results.created), html(date_text(results.created)), html(results.host.version),
      html(results.host.processor), html(results.host.system));
  if (failed > 0 || pending > 0)
    text +=
        fmt::format("<p class=\"failed\">Of {} cells, {} failed; {} not run yet.</p>\n",
                    results.cells.size() + results.repeats.size() + results.solves.size(), failed, pending);
  return text + "</header>\n";
}

}  // namespace

std::string report_html(const Results& results) {
  const ResultsView view(results);
  const struct {
    const char *id, *title, *in_contents;
    std::string body;
  } sections[] = {
      {"glance", "At a glance", "At a glance", glance_section(view)},
      {"results", "Results", "Results", results_section(view)},
      {"cells", "All cells", "All cells", cells_section(view)},
      {"baseline", "Against the baseline", "Baseline", baseline_section(view)},
      {"trainings", "Every training", "Trainings", trainings_section(view)},
      {"ranks", "Ranks over the datasets", "Ranks", ranks_section(view)},
      {"help", "Did the prior help?", "Did the prior help?", help_section(view)},
      {"known", "When labels are known", "Known labels", reveal_section(view)},
      {"ranking", "Rankings and probabilities", "Rankings", ranking_section(view)},
      {"pareto", "Time against loss", "Time", pareto_section(view)},
      {"convergence", "Convergence", "Convergence", convergence_section(view)},
      {"solvers", "Bounds and values of the solvers", "Solvers", solver_section(view)},
      {"prior", "The learned prior", "Prior", prior_section(view)},
      {"examples", "Examples", "Examples", examples_section(view)},
      {"provenance", "Where this comes from", "Provenance", provenance_section(view)},
  };
  std::string contents, body;
  for (const auto& section : sections) {
    if (section.body.empty()) continue;
    contents += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, section.in_contents);
    body += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", section.id, section.title,
                        section.body);
  }
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
             policy(), html(view.outline.title), page_style) +
         header(view) + "<nav aria-label=\"Contents\">\n" + contents + "</nav>\n<main>\n" + body +
         "</main>\n<script>" + page_script + "</script>\n</body>\n</html>\n";
}

}  // namespace concord::report
