// SPDX-License-Identifier: MIT
#pragma once
// Predictions as text: CSV or LIBSVM lines.
#include <Eigen/Core>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace concord {

struct Prediction {
  LabelMatrix labels;
  Eigen::MatrixXd ranking;  ///< what thresholds and min_labels look at, V x n: the scores W'x, u or log-odds
  LabelMatrix known = {};   ///< -1 and +1 where a label was known; empty: none was
  Eigen::ArrayXXd probabilities = {};  ///< V x n, if they were asked for
  /// Whether u was -1 and +1 for some instance, which orders nothing, so that its ranking is the field c - 2Au.
  bool ranked_by_field = false;
};

enum class PredictionOutput { labels, scores, ranked, probabilities, suggestions };
enum class PredictionForm { csv, libsvm, sparse };
/// Fault::input with the choices; `option` is named in it.
PredictionOutput parse_prediction_output(const std::string& option, const std::string& text);
PredictionForm parse_prediction_form(const std::string& option, const std::string& text);

/// Predictions as text, a line for each instance; numbers are as short as they can be and still the same bits.
///           csv (first a line of names)                libsvm (labels from 0, features from 1)
/// labels    0 or 1 for each label                      l1,l2
/// scores    a number for each label                    l1,l2 1:score 2:score ...
/// ranked    the names of all labels, best first        all labels, best first
/// probabilities   a number for each label              l1,l2 1:probability ...
/// sparse has no first line, and only labels that are on, or the `most` best: names, each followed by its number if there are
/// numbers. It is shorter where labels are many.
/// suggestions     the likeliest unknown labels, each followed by its probability; csv only
/// Known labels have the scores inf and -inf, and the probabilities 1 and 0.
class PredictionText {
 public:
  /// `most` suggestions, or labels of a ranking, for an instance; 0: all of a ranking.
  PredictionText(PredictionOutput output, PredictionForm form, std::vector<std::string> label_names,
                 int64_t most = 0);

  bool needs_probabilities() const { return output_ >= PredictionOutput::probabilities; }

  std::string header() const;
  std::string lines(const Prediction& prediction) const;

 private:
  PredictionOutput output_;
  PredictionForm form_;
  std::vector<std::string> names_;
  int64_t most_;
};

/// A cell of a CSV file (RFC 4180): quoted if it holds a comma, a quote or a line break.
std::string csv_cell(const std::string& text);

}  // namespace concord
