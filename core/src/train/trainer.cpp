// SPDX-License-Identifier: MIT
#include "train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>

#include <concord/kit/rng.hpp>

#include "base/text.hpp"
#include "plugin/records.hpp"
#include "train/bases.hpp"
#include "train/checkpoint.hpp"
#include "train/convergence.hpp"
#include "train/ovr.hpp"
#include "train/plan.hpp"
#include "train/validation.hpp"
#include "train/verdict.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

class Trainer {
 public:
  Trainer(Registry& registry, const std::vector<GridPoint>& cells, const Dataset& train, const TrainRun& run,
          const RunControl& control)
      : train_(train),
        run_(run),
        control_(control),
        cells_(plan_cells(registry, cells)),
        pool_(thread_count(cells.front().settings.run)),
        seed_(cells.front().settings.run.seed),
        checkpoint_(run.checkpoint, cells_, train) {
    require_data(cells_, train, control);
    for (const CellPlan& cell : cells_) require_kernel_memory(cell.settings, train.X, train.labels());
    opponents_ = opponents_of(registry, cells_);  // here, as their plugins must be there when they are needed
    if (run.restart) checkpoint_.remove();
    if (run.resume) {
      if (!checkpoint_.exists())
        fail(Fault::input, About{"", kCheckpointSubject}, "there is no checkpoint {} to continue from",
             run.checkpoint.string());
      state_ = checkpoint_.load();
    } else if (checkpoint_.exists()) {
      fail(Fault::input, About{"", kCheckpointSubject}, "{} is there from an unfinished run",
           run.checkpoint.string());
    }
    state_.cells.resize(cells_.size());
  }

  Trained train() {
    require_writable();
    make_splits_if_possible();
    select_cell();
    const std::optional<Json> verdict = compare_without_prior();
    Trained trained = refit();
    if (verdict) trained.model.record["prior"] = *verdict;
    if (!warnings_.empty()) trained.model.record["warnings"] = warnings_;
    return trained;
  }

 private:
  static int thread_count(const RunSettings& run) {
    return run.threads > 0 ? run.threads
                           : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }

  /// What the model file cannot hold (a name that is not UTF-8, say) is refused before the work, not after it.
  void require_writable() const {
    Model blank;
    blank.settings = cells_.front().settings;
    blank.settings.predict.threshold = ThresholdKind::none;  // its numbers come from validation
    blank.settings.scores = {};                              // nor are there bases yet
    blank.preprocess = Preprocessor::fit(blank.settings.preprocess, train_.X, seed_);
    blank.feature_names = train_.feature_names;
    blank.label_names = train_.label_names;
    blank.W.setZero(blank.preprocess.outputs(), train_.labels());
    blank.A.setZero(train_.labels(), train_.labels());
    model_bytes(blank);
  }

  /// A single instance can be trained on, if nothing has to be chosen.
  void make_splits_if_possible() {
    const Settings& settings = cells_.front().settings;
    // The bias of one-versus-rest is chosen where that is possible.
    const bool chooses = std::any_of(cells_.begin(), cells_.end(), [](const CellPlan& cell) {
      return std::any_of(cell.chosen.begin(), cell.chosen.end(),
                         [](const auto& choice) { return choice.first != "preprocess.bias"; });
    });
    if (train_.instances() == 1 && !chooses && !is_tuned(settings.predict.threshold)) {
      say({{"event", "warning"}, {"text", "a single instance leaves nothing to validate on"}});
      return;
    }
    splits_ = make_splits(train_.Y, settings.select, kit::derive(seed_, 11));
  }

  void say(const Json& event) {
    const std::lock_guard lock(saying_);
    if (event.at("event") == "warning") warnings_.push_back(event.at("text"));
    if (run_.event) run_.event(event);
  }

  /// Tries what is not tried yet. Splits of all groups run side by side; a group is summed up by whoever finishes
  /// its last split.
  void try_cells(const char* stage, const std::vector<CellPlan>& cells, const std::vector<FitGroup>& groups,
                 const std::function<void(size_t, CellResult)>& found) {
    struct Job {
      size_t group, split;
    };
    std::vector<Job> jobs;
    for (size_t g = 0; g < groups.size(); ++g)
      for (size_t s = 0; s < splits_.size(); ++s) jobs.push_back({g, s});
    std::vector<std::vector<SplitOutcome>> outcomes(groups.size(), std::vector<SplitOutcome>(splits_.size()));
    std::vector<size_t> left(groups.size(), splits_.size());
    std::mutex mutex;
    size_t finished = 0;
    const auto begin = std::chrono::steady_clock::now();
    pool_.run(static_cast<int64_t>(jobs.size()), [&](int64_t index) {
      if (control_.stop_requested()) return;
      const auto [g, s] = jobs[static_cast<size_t>(index)];
      ThreadPool own(1);  // one thread for each split; a single one may have them all
      SplitOutcome outcome = try_split(cells, groups[g], train_, splits_[s], has_verdict(),
                                       kit::derive(seed_, 12), jobs.size() == 1 ? pool_ : own, control_);
      if (!outcome.complete) return;
      bool last = false;
      {
        const std::lock_guard lock(mutex);
        outcomes[g][s] = std::move(outcome);
        last = --left[g] == 0;
        ++finished;
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        say({{"event", "split"},
             {"stage", stage},
             {"done", finished},
             {"of", jobs.size()},
             {"seconds", seconds},
             {"left",
              seconds / static_cast<double>(finished) * static_cast<double>(jobs.size() - finished)}});
      }
      if (!last) return;
      auto results = summarise(cells, groups[g], outcomes[g], train_, splits_);
      outcomes[g].clear();  // they are large
      const std::lock_guard lock(mutex);
      for (size_t j = 0; j < results.size(); ++j) found(groups[g].cells[j], std::move(results[j]));
      checkpoint_.save(state_);
    });
    require_not_stopped("during selection");
  }

  /// The groups of cells that lack a result.
  static std::vector<FitGroup> untried(const std::vector<CellPlan>& cells,
                                       const std::vector<std::optional<CellResult>>& results) {
    std::vector<FitGroup> groups = group_cells(cells);
    std::erase_if(groups, [&](const FitGroup& group) {
      return std::all_of(group.cells.begin(), group.cells.end(),
                         [&](size_t c) { return results[c].has_value(); });
    });
    return groups;
  }

  void select_cell() {
    if (splits_.empty()) return;
    try_cells("selection", cells_, untried(cells_, state_.cells), [&](size_t c, CellResult result) {
      say({{"event", "cell"},
           {"cell", c},
           {"of", cells_.size()},
           {"chosen", chosen_json(cells_[c])},
           {"value", number_or_null(result.value)},
           {"error", number_or_null(result.error)}});
      state_.cells[c] = std::move(result);
    });
    const Metric& metric = find_metric(cells_.front().settings.select.metric);
    for (size_t c = 1; c < cells_.size(); ++c)
      if (is_better(metric, state_.cells[c]->value, state_.cells[winner_]->value)) winner_ = c;
    say({{"event", "winner"},
         {"cell", winner_},
         {"of", cells_.size()},
         {"metric", metric.name},
         {"chosen", chosen_json(cells_[winner_])},
         {"value", number_or_null(state_.cells[winner_]->value)},
         {"error", number_or_null(state_.cells[winner_]->error)}});
  }

  bool has_verdict() const {
    return std::any_of(cells_.begin(), cells_.end(),
                       [](const CellPlan& cell) { return cell.train.prior != PriorSign::none; });
  }

  /// Did the prior help? Nothing if no cell has one.
  std::optional<Json> compare_without_prior() {
    if (!has_verdict()) return std::nullopt;
    Json verdict = {{"measured", false}};
    if (!splits_.empty()) {
      state_.opponents.resize(opponents_.cells.size());
      try_cells("without a prior", opponents_.cells, untried(opponents_.cells, state_.opponents),
                [&](size_t c, CellResult result) { state_.opponents[c] = std::move(result); });
      verdict = prior_verdict(cells_, state_.cells, opponents_, state_.opponents, winner_);
    }
    Json event = {{"event", "prior"}};
    event.update(verdict);
    say(event);
    return verdict;
  }

  void require_not_stopped(const char* when) {
    if (!control_.stop_requested()) return;
    checkpoint_.save(state_);
    fail(Fault::interrupted, About{"", run_.checkpoint.empty() ? "" : kCheckpointSubject},
         "{} {}: there is no model yet",
         control_.is_cut_off() ? "the time limit ended training" : "interrupted", when);
  }

  Trained refit() {
    const CellPlan& cell = cells_[winner_];
    const CellResult* selected = splits_.empty() ? nullptr : &*state_.cells[winner_];
    Trained trained;
    Model& model = trained.model;
    model.settings = cell.settings;
    model.settings.run.threads = 0;  // the model does not depend on them
    model.settings.run.checkpoint = RunSettings().checkpoint;
    const FitInput input(cell.settings, train_.X, train_.Y, seed_, pool_, control_);
    require_not_stopped("while the bases of scores were fitted");
    model.preprocess = input.preprocess();
    model.feature_names = train_.feature_names;
    model.label_names = train_.label_names;
    if (selected != nullptr) model.calibration = selected->calibration;
    if (selected != nullptr)
      model.thresholds = selected->thresholds;
    else if (cell.settings.predict.threshold == ThresholdKind::fixed)
      model.thresholds = Eigen::VectorXd::Constant(1, cell.settings.predict.threshold_value);
    const FitData data = input.data();
    FitReport report;
    if (selected != nullptr && selected->lambdas.size() > 0) {
      model.W = one_versus_rest(data, selected->lambdas, cell.settings.train.hinge, seed_, nullptr, pool_,
                                control_);
      model.A.setZero(train_.labels(), train_.labels());
      require_not_stopped("during one-versus-rest");
      report = unknown();
    } else {
      const auto fit = make_fit(cell.train, data, seed_, pool_, control_);
      require_not_stopped("before the refit");  // nor a warm start that was cut short
      report = run_epochs(*fit, cell, trained.interrupted);
      if (is_one_pass(cell.settings.train.method)) require_not_stopped("during the only pass of training");
      if (trained.interrupted) checkpoint_.save(state_);  // the last epoch that it holds is a whole one
      trained.resumable_epochs = state_.epochs;
      Parameters found = fit->parameters();
      model.bases = input.bases(found);
      model.W = std::move(found.W);
      model.A = std::move(found.A);
    }
    for (const BoundPlugin* bound : cell.plugins()) trained.plugins.push_back(plugin_record(*bound));
    model.record = training_record(cells_, winner_, state_, train_, report, trained.interrupted);
    trained.cut_off = trained.interrupted && control_.is_cut_off();
    return trained;
  }

  static FitReport unknown() {
    FitReport report;
    report.objective = report.dual = std::numeric_limits<double>::quiet_NaN();
    return report;
  }

  FitReport run_epochs(Fit& fit, const CellPlan& cell, bool& interrupted) {
    const TrainSettings& settings = cell.settings.train;
    const int64_t epochs = is_one_pass(settings.method) ? 1 : settings.epochs;
    const double start = fit.evaluate().objective;  // of W = 0 and A = 0, or of the warm start
    if (!state_.fit.empty()) {
      ArchiveReader in(state_.fit);
      fit.restore(in);
      in.require_end();
    }
    const int64_t before = state_.epochs;
    std::erase_if(state_.gaps, [&](const GapPoint& point) { return point.epoch > before; });
    const auto begin = std::chrono::steady_clock::now();
    FitReport report = unknown();
    bool reached_tol = false;
    int64_t e = before;
    while (e < epochs && !interrupted && !reached_tol) {
      fit.epoch();
      interrupted = control_.stop_requested();
      if (!interrupted) ++e;
      Json event = {{"event", "epoch"}, {"epoch", e}, {"epochs", epochs}};
      if (!interrupted && is_report_point(settings, e, epochs)) {
        report = fit.evaluate();
        if (control_.stop_requested()) {  // while it was computed: it is not to be trusted
          report = unknown();
          interrupted = e < epochs;
        }
        reached_tol = has_reached_tol(settings, report);
        require_convergence(report, start, e == epochs);
        if (report.relative_gap() > 0) state_.gaps.push_back({e, report.relative_gap()});
        event["objective"] = number_or_null(report.objective);
        event["dual"] = number_or_null(report.dual);
        event["gap"] = number_or_null(report.relative_gap());
        event["estimate"] = report.estimate;
        event["solved"] = number_or_null(report.solved);
        event["pruned"] = number_or_null(report.pruned);
      }
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      event["seconds"] = seconds;
      const auto left = static_cast<double>(reached_tol ? 0 : epochs - e);
      event["left"] = seconds / static_cast<double>(std::max<int64_t>(1, e - before)) * left;
      say(event);
      if (!interrupted && !reached_tol && e < epochs && checkpoint_.is_due(cell.settings.run.checkpoint)) {
        ArchiveWriter out;
        fit.save(out);
        state_.fit = out.bytes();
        state_.epochs = e;
        checkpoint_.save(state_);
      }
    }
    report.epochs = e;
    return report;
  }

  void require_convergence(const FitReport& report, double start, bool is_last) {
    if (control_.stop_requested()) return;
    if (!std::isfinite(report.objective))
      fail(Fault::input,
           "training diverged: the objective is not finite; larger train.lambda_w or train.lambda_a "
           "keep it in bounds");
    if (is_last && report.objective > start)
      say({{"event", "warning"},
           {"text",
            fmt::format(
                "training seems to diverge: the objective {:.4g} is above that of the start, {:.4g}; larger "
                "train.lambda_w or train.lambda_a, or more epochs, would help; so would a tighter decoder, "
                "as the objective is what its bounds prove",
                report.objective, start)}});
  }

  const Dataset& train_;
  const TrainRun& run_;
  RunControl control_;
  std::vector<CellPlan> cells_;
  Opponents opponents_;
  ThreadPool pool_;
  uint64_t seed_;
  Checkpoint checkpoint_;
  std::vector<Split> splits_;
  size_t winner_ = 0;
  TrainState state_;
  std::mutex saying_;
  Json warnings_ = Json::array();
};

}  // namespace

Trained train_model(Registry& registry, const std::vector<GridPoint>& cells, const Dataset& train,
                    const TrainRun& run, const RunControl& control) {
  return Trainer(registry, cells, train, run, control).train();
}

}  // namespace concord
