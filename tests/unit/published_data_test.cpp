// SPDX-License-Identifier: MIT
// The duality gap on the published datasets, where they are at hand.
#include <catch2/catch.hpp>

#include "data/files.hpp"
#include "model/model.hpp"
#include "published.hpp"
#include "train_support.hpp"

namespace concord::published_data_test {

using namespace concord::test;

TEST_CASE("the proven gap is below 1 % within 100 epochs on yeast and medical", "[.published-full]") {
  const std::filesystem::path folder = published_folder();
  for (const std::string name : {"yeast", "medical"}) {
    const Dataset data = read_dataset({folder / name / (name + "-train.arff"), "", DataFormat::detect});
    const Preprocessor preprocess = Preprocessor::fit({.scale = Scale::none}, data.X, 1);
    const Features X = preprocess.apply(data.X);
    for (const bool with_prior : {false, true}) {
      CAPTURE(name, with_prior);
      TrainPlan plan = train_plan(Method::bcfw, with_prior ? "spectral" : "modular", "f-beta",
                                  with_prior ? PriorSign::any : PriorSign::none, with_prior);
      plan.settings.lambda_w = 0.03;
      plan.settings.lambda_a = 1;
      plan.settings.batch = 10;
      ThreadPool pool(2);
      const auto fit = make_fit(plan, {X, data.Y}, 1, pool, {});
      for (int e = 0; e < 100; ++e) fit->epoch();
      const FitReport report = fit->evaluate();
      CHECK_FALSE(report.estimate);
      CHECK(report.gap() >= 0);
      CHECK(report.relative_gap() < 0.01);
    }
  }
}

}  // namespace concord::published_data_test
