// SPDX-License-Identifier: MIT
#pragma once
// What `evaluate` does with a model and without one: the metrics that are asked for, and how they are shown.
#include <string>
#include <vector>

#include "cli.hpp"
#include "data/files.hpp"
#include "predict/evaluation.hpp"

namespace concord {

/// --bootstrap.
int64_t resamples_given(const Arguments& arguments, ErrorList& errors);
/// --data, --labels and --format.
DataSource data_given(const Arguments& arguments, ErrorList& errors);
/// Those of --metric, each once.
std::vector<LabelMetric> metrics_given(const Arguments& arguments, Registry& registry, ErrorList& errors);

/// The table of metrics, and what they mean.
std::string metrics_text(const Evaluation& scores, int64_t resamples, uint64_t seed);

/// evaluate --predicted FILE: the labels that somebody predicted, without a model.
Exit evaluate_predicted(const Arguments& arguments, Context& context);

}  // namespace concord
