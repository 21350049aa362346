// SPDX-License-Identifier: MIT
#include "predict/text.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

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
                                         {"ranked", PredictionOutput::ranked},
                                         {"probabilities", PredictionOutput::probabilities}});
}

PredictionForm parse_prediction_form(const std::string& option, const std::string& text) {
  return parse_choice<PredictionForm>(
      option, text,
      {{"csv", PredictionForm::csv}, {"libsvm", PredictionForm::libsvm}, {"sparse", PredictionForm::sparse}});
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

PredictionText::PredictionText(PredictionOutput output, PredictionForm form,
                               std::vector<std::string> label_names, int64_t most)
    : output_(output), form_(form), names_(std::move(label_names)), most_(most) {
  for (auto& name : names_) name = csv_cell(name);
  if (output == PredictionOutput::suggestions && form != PredictionForm::csv)
    fail(Fault::input,
         "suggestions are names and probabilities, which have a form of their own: leave out --as");
  if (output != PredictionOutput::suggestions && most > 0 && output != PredictionOutput::ranked &&
      (form != PredictionForm::sparse || output == PredictionOutput::labels))
    fail(
        Fault::input, About{fmt::format("--top {}", most)},
        "the best labels are those of --output ranked, or with --as sparse of --output scores and probabilities");
}

std::string PredictionText::header() const {
  if (form_ != PredictionForm::csv) return "";
  std::vector<std::string> columns = names_;
  if (output_ == PredictionOutput::ranked && most_ > 0)
    columns.resize(std::min(columns.size(), static_cast<size_t>(most_)));
  if (output_ == PredictionOutput::ranked)
    for (size_t rank = 0; rank < columns.size(); ++rank) columns[rank] = fmt::format("{}", rank + 1);
  if (output_ == PredictionOutput::suggestions) {
    columns.clear();
    for (int64_t rank = 1; rank <= most_; ++rank)
      columns.push_back(fmt::format("label{0},probability{0}", rank));
  }
  return fmt::format("{}\n", fmt::join(columns, ","));
}

std::string PredictionText::lines(const Prediction& prediction) const {
  const int64_t V = prediction.labels.rows();
  const bool csv = form_ == PredictionForm::csv;
  const auto is_known = [&](int64_t v, int64_t i) {
    return prediction.known.size() > 0 && prediction.known(v, i) != 0;
  };
  const auto number = [&](int64_t v, int64_t i) {
    if (output_ == PredictionOutput::probabilities) return prediction.probabilities(v, i);
    constexpr double certain = std::numeric_limits<double>::infinity();
    return is_known(v, i) ? prediction.labels(v, i) * certain : prediction.ranking(v, i);
  };
  const bool has_numbers = output_ == PredictionOutput::scores || output_ == PredictionOutput::probabilities;
  std::string text;
  const auto out = std::back_inserter(text);
  for (int64_t i = 0; i < prediction.labels.cols(); ++i) {
    const char* separator = "";
    const auto item = [&](const auto& value) {
      fmt::format_to(out, "{}{}", separator, value);
      separator = ",";
    };
    if (output_ == PredictionOutput::suggestions) {
      int64_t left = most_;
      for (const int64_t v : kit::descending(Eigen::VectorXd(prediction.probabilities.col(i)))) {
        if (left == 0) break;
        if (is_known(v, i)) continue;
        item(names_[static_cast<size_t>(v)]);
        item(prediction.probabilities(v, i));
        --left;
      }
      for (; left > 0; --left) item(",");  // fewer are unknown
    } else if (output_ == PredictionOutput::ranked) {
      int64_t left = most_ > 0 ? most_ : V;
      for (const int64_t v : kit::descending(prediction.ranking.col(i))) {
        if (left-- == 0) break;
        form_ == PredictionForm::libsvm ? item(v) : item(names_[static_cast<size_t>(v)]);
      }
    } else if (form_ == PredictionForm::sparse) {
      Eigen::VectorXd numbers = Eigen::VectorXd::Zero(V);
      for (int64_t v = 0; has_numbers && v < V; ++v) numbers(v) = number(v, i);
      int64_t left = most_ > 0 ? most_ : V;
      for (const int64_t v : kit::descending(numbers)) {
        if (most_ == 0 && prediction.labels(v, i) < 0) continue;
        if (left-- == 0) break;
        item(names_[static_cast<size_t>(v)]);
        if (has_numbers) item(numbers(v));
      }
    } else if (csv) {
      for (int64_t v = 0; v < V; ++v)
        has_numbers ? item(number(v, i)) : item(prediction.labels(v, i) > 0 ? 1 : 0);
    } else {
      for (int64_t v = 0; v < V; ++v)
        if (prediction.labels(v, i) > 0) item(v);
      for (int64_t v = 0; has_numbers && v < V; ++v) fmt::format_to(out, " {}:{}", v + 1, number(v, i));
    }
    text += '\n';
  }
  return text;
}

}  // namespace concord
