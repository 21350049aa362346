// SPDX-License-Identifier: MIT
#include "predict/text.hpp"

#include <iterator>
#include <numeric>

#include <concord/kit/conventions.hpp>

#include "base/error.hpp"

namespace concord {
namespace {

template <class Choice>
Choice parse_choice(const std::string& option, const std::string& text,
                    const std::vector<std::pair<std::string, Choice>>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, choice] : choices) {
    if (name == text) return choice;
    names.push_back(name);
  }
  fail(Fault::input, About{option + " " + text}, "expected one of {}{}", fmt::join(names, ", "),
       did_you_mean(text, names));
}

}  // namespace

PredictionOutput parse_prediction_output(const std::string& option, const std::string& text) {
  return parse_choice<PredictionOutput>(option, text,
                                        {{"labels", PredictionOutput::labels},
                                         {"scores", PredictionOutput::scores},
                                         {"ranked", PredictionOutput::ranked}});
}

PredictionForm parse_prediction_form(const std::string& option, const std::string& text) {
  return parse_choice<PredictionForm>(option, text,
                                      {{"csv", PredictionForm::csv}, {"libsvm", PredictionForm::libsvm}});
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

PredictionText::PredictionText(PredictionOutput output, PredictionForm form,
                               std::vector<std::string> label_names)
    : output_(output), form_(form), names_(std::move(label_names)) {
  for (auto& name : names_) name = csv_cell(name);
}

std::string PredictionText::header() const {
  if (form_ == PredictionForm::libsvm) return "";
  if (output_ != PredictionOutput::ranked) return fmt::format("{}\n", fmt::join(names_, ","));
  std::vector<size_t> ranks(names_.size());
  std::iota(ranks.begin(), ranks.end(), size_t{1});
  return fmt::format("{}\n", fmt::join(ranks, ","));
}

std::string PredictionText::lines(const Prediction& prediction) const {
  const int64_t V = prediction.labels.rows();
  const bool csv = form_ == PredictionForm::csv;
  std::string text;
  const auto out = std::back_inserter(text);
  for (int64_t i = 0; i < prediction.labels.cols(); ++i) {
    const char* separator = "";
    const auto item = [&](const auto& value) {
      fmt::format_to(out, "{}{}", separator, value);
      separator = ",";
    };
    if (output_ == PredictionOutput::ranked) {
      for (const int64_t v : kit::descending(prediction.ranking.col(i)))
        csv ? item(names_[static_cast<size_t>(v)]) : item(v);
    } else if (csv) {
      for (int64_t v = 0; v < V; ++v)
        output_ == PredictionOutput::labels ? item(prediction.labels(v, i) > 0 ? 1 : 0)
                                            : item(prediction.ranking(v, i));
    } else {
      for (int64_t v = 0; v < V; ++v)
        if (prediction.labels(v, i) > 0) item(v);
      for (int64_t v = 0; output_ == PredictionOutput::scores && v < V; ++v)
        fmt::format_to(out, " {}:{}", v + 1, prediction.ranking(v, i));
    }
    text += '\n';
  }
  return text;
}

}  // namespace concord
