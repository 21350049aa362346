// SPDX-License-Identifier: MIT
#include "config/rules.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace concord {

bool is_rule_input(const std::string& key) {
  constexpr std::array inputs = {"preprocess.fourier",      "train.method", "train.warm_start",
                                 "select.lambda_per_label", "select.folds", "select.holdout",
                                 "predict.threshold"};
  return std::find(inputs.begin(), inputs.end(), key) != inputs.end();
}

bool is_unused_by_ovr(const std::string& key) {
  constexpr std::array unused = {"train.decoder",  "train.loss",   "train.prior", "train.diagonal",
                                 "train.lambda_a", "train.epochs", "train.batch"};
  return std::find(unused.begin(), unused.end(), key) != unused.end();
}

void check_rules(const Settings& settings, const GivenKeys& given,
                 const std::function<void(const std::string&)>& complain) {
  const TrainSettings& train = settings.train;
  const std::string method = name_of(train.method);
  const auto refuse = [&](const std::string& key, const std::string& why) {
    if (const auto place = given.find(key); place != given.end()) complain(place->second + ": " + why);
  };

  if (train.method == Method::ovr) {
    for (const auto& [key, place] : given)
      if (is_unused_by_ovr(key))
        complain(fmt::format(
            "{}: method ovr does not use {}: one-versus-rest has no prior, and LIBLINEAR trains it", place,
            key.substr(key.find('.') + 1)));
  } else {
    if (!train.warm_start)
      refuse("train.hinge",
             fmt::format("method {} without warm_start does not use hinge, the loss of one-versus-rest",
                         method));
    if (settings.select.lambda_per_label)
      refuse("select.lambda_per_label",
             fmt::format("only method ovr can choose lambda_w for each label; train.method is {}", method));
  }
  if (train.warm_start && train.method != Method::subgradient)
    refuse("train.warm_start",
           fmt::format("only method subgradient can start from one-versus-rest; train.method is {}", method));
  if (settings.select.folds > 0 && settings.select.holdout > 0)
    refuse("select.holdout", "select.folds is given too: choose one of them");
  if (!settings.preprocess.fourier)
    refuse("preprocess.fourier_width", "there are no Fourier features: give preprocess.fourier, how many");
  if (settings.predict.threshold != ThresholdKind::none)
    refuse("predict.rounding", "with a threshold there is nothing to round: choose one of them");
}

}  // namespace concord
