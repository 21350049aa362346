// SPDX-License-Identifier: MIT
#pragma once
// The datasets of the benchmark of training, with settings that suit them.
#include <array>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "data/files.hpp"
#include "harness.hpp"
#include "model/model.hpp"
#include "named_plugins.hpp"
#include "train/fit.hpp"

namespace bench {

namespace fs = std::filesystem;
using concord::Method;

/// A dataset with settings that suit it.
struct Subject {
  std::string name;
  Method method;
  concord::Scale scale;
  double bias, lambda_w, lambda_a;
  int64_t batch;
  int64_t qep_instances;  ///< so many that spectral-qep takes a minute or so; 0: not even one
};
inline const std::array<Subject, 5> subjects{{
    {"yeast", Method::bcfw, concord::Scale::none, 3, 0.1, 0.1, 10, 100},
    {"enron", Method::bcfw, concord::Scale::l2, 10, 0.01, 1, 10, 100},
    {"medical", Method::bcfw, concord::Scale::none, 3, 0.1, 0.3, 10, 100},
    {"bibtex", Method::bcfw, concord::Scale::l2, 3, 0.003, 0.3, 25, 10},
    {"delicious", Method::subgradient, concord::Scale::l2, 3, 0.003, 0.3, 200, 0},
}};
inline fs::path train_file(const std::string& name) {
  const char* chosen = std::getenv("CONCORD_DATA");
  const fs::path folder = chosen != nullptr ? chosen : CONCORD_BENCH_DATA;
  const fs::path file = folder / name / (name + "-train.arff");
  if (!fs::exists(file))
    concord::fail(concord::Fault::input,
                  "there is no {}; CONCORD_DATA names the folder of the datasets, each in one of its own "
                  "(`concord data fetch` gets them)",
                  file.string());
  return file;
}

/// Preprocessed, whole or its first instances.
struct Data {
  concord::Features X;
  concord::LabelMatrix Y;
  Data(const Subject& subject, int64_t instances) {
    concord::Dataset all = concord::read_dataset({train_file(subject.name), {}});
    if (instances < all.instances()) {
      std::vector<int64_t> rows(static_cast<size_t>(instances));
      std::iota(rows.begin(), rows.end(), 0);
      all = all.select(rows);
    }
    X = concord::Preprocessor::fit({.scale = subject.scale, .bias = subject.bias}, all.X, 1).apply(all.X);
    Y = std::move(all.Y);
  }
};
inline constexpr int64_t whole = std::numeric_limits<int64_t>::max();

/// F1 loss; `modular` without a prior, the others with a repulsive one and its diagonal.
inline concord::TrainPlan plan_of(const Subject& subject, const std::string& decoder) {
  concord::TrainPlan plan;
  plan.settings.method = subject.method;
  plan.settings.lambda_w = subject.lambda_w;
  plan.settings.lambda_a = subject.lambda_a;
  plan.settings.batch = subject.batch;
  plan.decoder = chosen(CONCORD_DECODER, decoder);
  plan.loss = chosen(CONCORD_LOSS, "f-beta");
  const bool with_prior = decoder != "modular";
  plan.prior = with_prior ? concord::PriorSign::repulsive : concord::PriorSign::none;
  plan.diagonal = with_prior;
  return plan;
}

template <class Body>
void add(const std::string& name, int repetitions, Body&& body) {
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly(repetitions > 1);
}

}  // namespace bench
