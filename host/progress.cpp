// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <unistd.h>

namespace concord {

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 6000) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string chosen_text(const Json& chosen) {
  Strings parts;
  for (const auto& [key, value] : chosen.items())
    parts.push_back(fmt::format("{} = {}", key, value.get<std::string>()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string error_text(const Json& error) {
  return error.is_null() ? "" : fmt::format(" +- {:.4f}", error.get<double>());
}

namespace {

/// "82 %", or a dash.
std::string gap_text(const Json& gap) {
  return gap.is_null() ? "-" : fmt::format("{:.2g} %", 100 * gap.get<double>());
}

/// The verdict with the figures of one share of known labels.
std::string figures_text(const Json& verdict, const Json& figures, const std::string& when) {
  const std::string metric = verdict.at("metric"), paired_on = verdict.at("paired_on");
  const std::string better = figures.at("better");
  return fmt::format(
      "{}{}{}: validation {} {:.4f} with it, {:.4f} with A = 0 (paired difference{} {:+.4f} +- {:.4f}), {:.4f} by "
      "one-versus-rest",
      better == "with"      ? "yes"
      : better == "without" ? "no, it hurt"
                            : "cannot be told",
      when, better == "neither" ? ", as " + figures.at("why").get<std::string>() : "", metric,
      figures.at("with").get<double>(), figures.at("without").get<double>(),
      paired_on == metric ? "" : " of " + paired_on, figures.at("difference").get<double>(),
      figures.at("error").get<double>(), figures.at("ovr").at("value").get<double>());
}

}  // namespace

std::string verdict_text(const Json& verdict) {
  if (!verdict.at("measured").get<bool>()) return "not measured: no data is held out to measure it on";
  std::string text;
  if (verdict.contains("known"))
    text = figures_text(
               verdict, verdict,
               fmt::format(", with {:.3g} % of the labels known", 100 * verdict.at("known").get<double>())) +
           "\n  " + figures_text(verdict, verdict.at("nothing_known"), ", with nothing known");
  else
    text = figures_text(verdict, verdict, "");
  if (verdict.contains("half_known"))
    text += "\n  " + figures_text(verdict, verdict.at("half_known"), ", with half of the labels known");
  if (verdict.at("converged") == false)
    text += fmt::format("\n  not converged in selection: gap {} with the prior, {} with A = 0",
                        gap_text(verdict.at("gaps").at("with")), gap_text(verdict.at("gaps").at("without")));
  if (verdict.at("selected") == "without") text += "\n  validation has chosen A = 0";
  return text;
}

Progress::Progress(bool quiet, const std::filesystem::path& log, bool append)
    : quiet_(quiet), terminal_(::isatty(2) == 1), log_(nullptr, &std::fclose) {
  if (log.empty()) return;
  log_.reset(std::fopen(log.c_str(), append ? "ae" : "we"));
  if (!log_) fail(Fault::io, About{"--log " + log.string(), log.string()}, "{}", std::strerror(errno));
}

Progress::~Progress() {
  finish_line();
}

void Progress::finish_line() {
  if (open_line_) std::fputs("\n", stderr);
  open_line_ = false;
}

/// A passing line is replaced by the next one on a terminal.
void Progress::line(const std::string& text, bool passing) {
  std::fputs((terminal_ ? "\r\033[K" + text : text + "\n").c_str(), stderr);
  open_line_ = terminal_;
  if (!passing) finish_line();
  std::fflush(stderr);
  last_line_ = std::chrono::steady_clock::now();
}

void Progress::operator()(const Json& event) {
  if (log_) {
    std::fputs(to_line(event).c_str(), log_.get());
    std::fflush(log_.get());
  }
  const std::string kind = event.at("event");
  if (quiet_ && kind != "warning") return;
  const auto number = [&](const char* key) { return event.at(key).get<double>(); };
  const auto has = [&](const char* key) { return event.contains(key) && !event.at(key).is_null(); };
  if (kind == "split") {
    // Off a terminal not every fit is worth a line.
    if (terminal_ || std::chrono::steady_clock::now() - last_line_ > std::chrono::seconds(10))
      line(fmt::format("{}: {} of {} fits, {} left", event.at("stage").get<std::string>(),
                       event.at("done").get<int64_t>(), event.at("of").get<int64_t>(),
                       duration_text(number("left"))),
           true);
  } else if (kind == "cell" && event.at("of").get<int64_t>() > 1) {
    line(fmt::format("  {:.4f}{}  {}", number("value"), error_text(event.at("error")),
                     chosen_text(event.at("chosen"))),
         false);
  } else if (kind == "winner") {
    const std::string chosen = chosen_text(event.at("chosen"));
    line(fmt::format("validation {} {:.4f} +- {:.4f}{}", event.at("metric").get<std::string>(),
                     number("value"), number("error"),
                     chosen.empty() ? "" : ", the best of the grid: " + chosen),
         false);
  } else if (kind == "epoch") {
    std::string text =
        fmt::format("epoch {}/{}", event.at("epoch").get<int64_t>(), event.at("epochs").get<int64_t>());
    if (has("objective")) text += fmt::format("  objective {:.5f}", number("objective"));
    if (has("gap"))
      text += fmt::format("  gap {:.3g} %{}", 100 * number("gap"), event.at("estimate") ? " (estimate)" : "");
    if (has("pruned") && number("solved") + number("pruned") > 1)
      text += fmt::format("  solved {:.1f} of {:.0f}", number("solved"), number("solved") + number("pruned"));
    // Off a terminal only the lines with news.
    if (terminal_ || has("objective"))
      line(text + fmt::format("  {} left", duration_text(number("left"))), true);
  } else if (kind == "scale") {
    line(fmt::format("preprocess.scale = \"{}\": {}", event.at("scale").get<std::string>(),
                     event.at("reason").get<std::string>()),
         false);
  } else if (kind == "warning") {
    line("concord: " + event.at("text").get<std::string>(), false);
  }
}

}  // namespace concord
