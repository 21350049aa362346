// SPDX-License-Identifier: MIT
// Further trainings of the sample, and what they are together.
#include <concord/kit/rng.hpp>

#include "compare/results.hpp"
#include "tests/report/sample_results.hpp"

namespace concord::test {

using Json = nlohmann::ordered_json;

Json with_repeats(const Json& sample, int64_t repeats) {
  kit::Rng rng(17);
  compare::Results results = compare::results_from_json(sample);
  results.outline.repeats = repeats;
  for (const compare::TrainedCell& cell : results.cells)
    for (int64_t repeat = 2; repeat <= repeats; ++repeat) {
      compare::TrainedCell again = cell;
      again.name =
          compare::CellName::of(compare::CellKind::training, cell.name.row, cell.name.column, repeat);
      again.result.instances = 1000, again.result.test_instances = 500;
      again.result.prior.reset();
      for (compare::MetricValue& metric : again.result.metrics) metric.value += .01 * rng.normal();
      const double fate = rng.uniform();
      if (fate < .02) {
        again.result = {};
        again.end.status = compare::Status::failed;
        again.end.reason = "took longer than 600 s <b>";
      } else if (fate < .04) {
        again.result = {};
        again.end.status = compare::Status::pending;
      }
      results.repeats.push_back(std::move(again));
    }
  for (compare::TrainedCell& cell : results.cells)
    cell.result.instances = 1000, cell.result.test_instances = 500;
  compare::take_together(results);
  return to_json(results);
}

}  // namespace concord::test
