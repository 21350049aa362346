// SPDX-License-Identifier: MIT
#include "train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>

#include <concord/kit/rng.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "plugin/records.hpp"
#include "train/bases.hpp"
#include "train/checkpoint.hpp"
#include "train/facts.hpp"
#include "train/fit.hpp"
#include "train/ovr.hpp"
#include "train/plan.hpp"
#include "train/selection.hpp"
#include "train/validation.hpp"
#include "train/verdict.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

class Trainer {
 public:
  Trainer(Registry& registry, const std::vector<GridPoint>& cells, const Dataset& train, const TrainRun& run,
          const Shard& shard, const RunControl& control)
      : train_(train),
        run_(run),
        ranks_(run.ranks != nullptr ? *run.ranks : alone_),
        own_control_(control),
        control_(ranks_.agreed(control)),
        shard_(shard),
        cells_(plan_cells(registry, cells)),
        scale_(choose_scale(cells_, train)),
        pool_(thread_count(cells.front().settings.run, ranks_)),
        seed_(cells.front().settings.run.seed),
        shape_(shape_if_needed()),
        checkpoint_(ranks_.is_first() ? run.checkpoint : std::filesystem::path(), shape_) {
    require_same_run(ranks_, shape_);
    require_data(cells_, train, control);
    for (const CellPlan& cell : cells_) require_kernel_memory(cell.settings, train.instances());
    opponents_ = opponents_of(registry, cells_);  // here, as their plugins must be there when they are needed
    if (run.restart) checkpoint_.remove();
    if (ranks_.is_first()) begin_state();
    if (!ranks_.is_alone())
      state_ = parse_state(ranks_.of_first(state_bytes(state_, shape_.identity)), shape_);
  }

  Trained train() {
    tell_scale();
    warn_of_contradictions();
    require_writable();
    make_splits_if_possible();
    select_cell();
    const std::optional<Json> verdict = compare_without_prior();
    Trained trained = refit();
    if (verdict) trained.model.record["prior"] = *verdict;
    if (!warnings_.empty()) trained.model.record["warnings"] = warnings_;
    return trained;
  }

  size_t leave_shard(const std::filesystem::path& file) {
    require_writable();
    make_splits_if_possible();
    if (splits_.empty())
      fail(Fault::input, "there is no selection to divide: select.holdout and select.folds hold nothing out");
    try_cells("selection", cells_, state_.cells);
    if (has_prior()) try_cells("without a prior", opponents_.cells, state_.opponents);
    if (ranks_.is_first()) write_file_atomically(file, shard_bytes(shard_, state_, shape_));
    const auto tried = [](const CellResults& results) {
      return static_cast<size_t>(
          std::count_if(results.begin(), results.end(), [](const auto& r) { return r; }));
    };
    return tried(state_.cells) + tried(state_.opponents);
  }

 private:
  /// As many as were asked for, or this rank's share of the processors.
  static int thread_count(const RunSettings& run, const Ranks& ranks) {
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    return run.threads > 0 ? run.threads : std::max(1, processors / ranks.on_this_machine());
  }

  /// Costs a copy of the data.
  RunShape shape_if_needed() const {
    const bool needed =
        !run_.checkpoint.empty() || !run_.merge.empty() || shard_.count > 1 || !ranks_.is_alone();
    return needed ? shape_of(cells_, train_) : RunShape();
  }

  /// From a checkpoint, from shards, or from nothing.
  void begin_state() {
    if (run_.resume) {
      if (!checkpoint_.exists())
        fail(Fault::input, About{"", kCheckpointSubject}, "there is no checkpoint {} to continue from",
             run_.checkpoint.string());
      state_ = checkpoint_.load();
    } else if (checkpoint_.exists()) {
      fail(Fault::input, About{"", kCheckpointSubject}, "{} is there from an unfinished run",
           run_.checkpoint.string());
    } else if (!run_.merge.empty()) {
      state_ = merge_shards(run_.merge, shape_);
    }
    state_.cells.resize(cells_.size());
  }

  bool has_prior() const {
    return std::any_of(cells_.begin(), cells_.end(),
                       [](const CellPlan& cell) { return cell.train.prior != PriorSign::none; });
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

  void tell_scale() {
    if (scale_ && scale_->scale != Scale::none)
      say({{"event", "scale"}, {"scale", name_of(scale_->scale)}, {"reason", scale_->reason}});
  }

  void warn_of_contradictions() {
    const DataFacts facts = facts_of(train_);
    std::set<std::string> said;  // the cells of a grid share most of them
    for (const CellPlan& cell : cells_)
      for (const std::string& text : contradictions_of(cell.settings, facts))
        if (said.insert(text).second) say({{"event", "warning"}, {"text", text}});
  }

  void say(const Json& event) {
    const std::lock_guard lock(saying_);
    if (event.at("event") == "warning") warnings_.push_back(event.at("text"));
    if (run_.event) run_.event(event);
  }

  void try_cells(const char* stage, const std::vector<CellPlan>& cells, CellResults& results) {
    const bool is_grid = &cells == &cells_;
    const SelectionRun run{train_,
                           splits_,
                           has_prior(),
                           kit::derive(seed_, 12),
                           pool_,
                           ranks_,
                           own_control_,
                           shard_,
                           [&](const Json& event) { say(event); }};
    concord::try_cells(run, stage, cells, results, [&](const std::vector<size_t>& found) {
      for (size_t c : found)
        if (is_grid) tell_cell(c);
      checkpoint_.save(state_);
    });
    require_not_stopped("during selection");
  }

  void tell_cell(size_t c) {
    say({{"event", "cell"},
         {"cell", c},
         {"of", cells_.size()},
         {"chosen", chosen_json(cells_[c])},
         {"value", number_or_null(state_.cells[c]->value)},
         {"error", number_or_null(state_.cells[c]->error)}});
  }

  void select_cell() {
    if (splits_.empty()) return;
    try_cells("selection", cells_, state_.cells);
    const LabelMetric& metric = *cells_.front().metric;
    for (size_t c = 1; c < cells_.size(); ++c)
      if (metric.is_better(state_.cells[c]->value, state_.cells[winner_]->value)) winner_ = c;
    say({{"event", "winner"},
         {"cell", winner_},
         {"of", cells_.size()},
         {"metric", metric.name()},
         {"chosen", chosen_json(cells_[winner_])},
         {"value", number_or_null(state_.cells[winner_]->value)},
         {"error", number_or_null(state_.cells[winner_]->error)}});
  }

  /// Did the prior help? Nothing if no cell has one.
  std::optional<Json> compare_without_prior() {
    if (!has_prior()) return std::nullopt;
    Json verdict = {{"measured", false}};
    if (!splits_.empty()) {
      try_cells("without a prior", opponents_.cells, state_.opponents);
      verdict = prior_verdict(cells_, state_.cells, opponents_, state_.opponents, winner_);
    }
    Json event = {{"event", "prior"}};
    event.update(verdict);
    say(event);
    return verdict;
  }

  void require_not_stopped(const char* when) {
    if (!ranks_.any(own_control_.stop_requested() || control_.stop_requested())) return;
    checkpoint_.save(state_);
    fail(Fault::interrupted, About{"", run_.checkpoint.empty() ? "" : kCheckpointSubject},
         "{} {}: there is no model yet",
         ranks_.is_cut_off() ? "the time limit ended training" : "interrupted", when);
  }

  Trained refit() {
    const CellPlan& cell = cells_[winner_];
    const CellResult* selected = splits_.empty() ? nullptr : &*state_.cells[winner_];
    Trained trained;
    Model& model = trained.model;
    model.settings = cell.settings;
    model.settings.run.threads = 0;  // the model does not depend on them
    model.settings.run.checkpoint = RunSettings().checkpoint;
    const FitInput input(cell.settings, train_.X, train_.Y, seed_, pool_, own_control_);
    require_not_stopped("while the bases of scores were fitted");
    model.preprocess = input.preprocess();
    model.feature_names = train_.feature_names;
    model.label_names = train_.label_names;
    if (selected != nullptr) model.calibration = selected->calibration;
    if (selected != nullptr)
      model.thresholds = selected->thresholds;
    else if (cell.settings.predict.threshold == ThresholdKind::fixed)
      model.thresholds = Eigen::VectorXd::Constant(1, cell.settings.predict.threshold_value);
    FitData data = input.data();
    data.ranks = &ranks_;
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
    trained.cut_off = trained.interrupted && ranks_.is_cut_off();
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
      const bool is_due = ranks_.any(checkpoint_.is_due(cell.settings.run.checkpoint));
      if (!interrupted && !reached_tol && e < epochs && is_due) {
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
  Alone alone_;
  Ranks& ranks_;
  RunControl own_control_;  ///< of what this rank does by itself
  RunControl control_;      ///< of what all ranks do together
  Shard shard_;
  std::vector<CellPlan> cells_;
  std::optional<ChosenScale> scale_;
  Opponents opponents_;
  ThreadPool pool_;
  uint64_t seed_;
  RunShape shape_;
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
  return Trainer(registry, cells, train, run, {}, control).train();
}

size_t train_shard(Registry& registry, const std::vector<GridPoint>& cells, const Dataset& train,
                   const TrainRun& run, const Shard& shard, const std::filesystem::path& file,
                   const RunControl& control) {
  return Trainer(registry, cells, train, run, shard, control).leave_shard(file);
}

}  // namespace concord
