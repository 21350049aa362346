// SPDX-License-Identifier: MIT
// About how long a training cell takes.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "compare/run_cell.hpp"
#include "train/validation.hpp"
#include "train/verdict.hpp"

namespace concord::compare {
namespace {

constexpr int64_t kPilotInstances = 100;

}  // namespace

Work work_of(const std::vector<CellPlan>& plans, int64_t instances) {
  const SelectSettings& select = plans.front().settings.select;
  const double splits = select.folds > 0     ? static_cast<double>(select.folds * select.repeats)
                        : select.holdout > 0 ? static_cast<double>(select.repeats)
                                             : 0;
  const double part = select.folds > 0 ? 1 - 1 / static_cast<double>(select.folds) : 1 - select.holdout;
  const auto passes = [](const CellPlan& plan, int64_t epochs) {
    return is_one_pass(plan.settings.train.method) ? 1.0 : static_cast<double>(epochs);
  };
  Work work;
  double longest = 0;
  std::vector<CellPlan> tried = plans;
  for (CellPlan& twin : twins_of(plans)) tried.push_back(std::move(twin));  // one-versus-rest is cheap
  for (const FitGroup& group : group_cells(tried)) {
    const double lambdas = static_cast<double>(std::max<size_t>(1, group.lambdas.size()));
    const double epochs =
        passes(tried[group.cells.front()], group.epochs.empty() ? 1 : group.epochs.back()) * lambdas;
    work.visits += epochs * splits * part;
    work.fits += static_cast<int64_t>(splits * lambdas);
    longest = std::max(longest, epochs);
  }
  work.visits = (work.visits + longest) * static_cast<double>(instances);
  work.fits += 1;
  return work;
}

double visit_seconds(const CellPlan& plan, const Dataset& train, const RunControl& control) {
  const int64_t count = std::min(train.instances(), kPilotInstances);
  std::vector<int64_t> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  const Dataset few = train.select(rows);
  const Features X = Preprocessor::fit(plan.settings.preprocess, few.X, plan.settings.run.seed).apply(few.X);
  ThreadPool pool(1);
  const auto begin = std::chrono::steady_clock::now();
  make_fit(plan.train, {X, few.Y}, plan.settings.run.seed, pool, control)->epoch();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
         static_cast<double>(count);
}

}  // namespace concord::compare
