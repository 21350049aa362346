// SPDX-License-Identifier: MIT
// When a fit is looked at, when it ends, and how many epochs it is told to need.
#include <catch2/catch.hpp>
#include <cmath>

#include "base/files.hpp"
#include "folder.hpp"
#include "train/checkpoint.hpp"
#include "train/fit.hpp"
#include "train/trainer.hpp"
#include "train_support.hpp"

namespace concord::convergence_test {

using namespace concord::test;

namespace {

Model trained(const std::string& toml, const Dataset& data, const TrainRun& run = {}) {
  return train_model(builtin(), parse_config(toml, "test.toml", ".", {}).cells, data, run, {}).model;
}

}  // namespace

TEST_CASE("epochs are extrapolated by the power of the epoch that the gap falls with") {
  for (const double power : {1.0, 1.5, 2.5})
    for (const double scale : {20.0, 70.0, 1000.0}) {
      std::vector<GapPoint> gaps;
      for (int64_t epoch = 3; epoch <= 60; epoch += 3)
        gaps.push_back({epoch, scale * std::pow(static_cast<double>(epoch), -power)});
      const double needed = std::pow(scale / 0.1, 1 / power);
      const auto found = static_cast<double>(epochs_for(gaps));
      CAPTURE(power, scale, needed);
      CHECK(found >= needed * (1 - 1e-9));
      CHECK(found <= std::max(needed * 1.1, needed + 1) + 1e-9);  // two digits
    }
  CHECK(epochs_for({{20, 0.8}}) == 160);  // nothing is known of its fall
  CHECK(epochs_for({{10, 0.5}, {20, 0.5}, {40, 0.6}}) == 240);
}

TEST_CASE(
    "the objective is evaluated after the last epoch, and every train.report epochs or a tenth of all") {
  TrainSettings settings;
  for (int64_t last = 1; last <= 120; ++last) {
    int64_t points = 0;
    for (int64_t epoch = 1; epoch <= last; ++epoch) points += is_report_point(settings, epoch, last) ? 1 : 0;
    CHECK(is_report_point(settings, last, last));
    CHECK(points <= 20);
    CHECK(points >= std::min<int64_t>(last, 10));
  }
  settings.report = 7;
  for (int64_t epoch = 1; epoch <= 30; ++epoch)
    CHECK(is_report_point(settings, epoch, 30) == (epoch % 7 == 0 || epoch == 30));
}

TEST_CASE("train.tol ends a fit at a proven gap, in selection as in the refit") {
  kit::Rng rng(71);
  const Dataset data = random_dataset(rng, 60, 4, 5, false);
  const std::string common = "[train]\nlambda_w = 0.1\nlambda_a = 1\n";
  const Model early = trained(common + "epochs = 500\ntol = 0.05\nreport = 3\n", data);
  const auto done = early.record.at("epochs").get<int64_t>();
  INFO(early.record.dump(1));
  CHECK(done < 500);
  CHECK(done % 3 == 0);
  CHECK(early.record.at("gap").get<double>() <= 0.05);
  CHECK(early.record.at("converged") == true);
  CHECK(early.record.at("try_epochs").is_null());
  const Model whole = trained(common + "epochs = " + std::to_string(done) + "\n", data);
  CHECK(early.W == whole.W);
  CHECK(early.A == whole.A);
  // A tolerance that is never reached changes nothing.
  const Model never = trained(common + "epochs = 6\ntol = 1e-12\nreport = 2\n", data);
  const Model plain = trained(common + "epochs = 6\n", data);
  CHECK(never.W == plain.W);
  CHECK(never.record.at("selection").at("cells") == plain.record.at("selection").at("cells"));
}

TEST_CASE("a decoder without bounds proves no gap, so no tolerance is reached") {
  TrainSettings settings;
  settings.tol = 0.5;
  FitReport report;
  report.objective = 1;
  report.dual = 0.99;
  CHECK(has_reached_tol(settings, report));
  report.estimate = true;
  CHECK_FALSE(has_reached_tol(settings, report));
  report.estimate = false;
  report.dual = std::nan("");
  CHECK_FALSE(has_reached_tol(settings, report));
}

TEST_CASE("a fit that is far from its optimum is said to be, with the epochs to try") {
  kit::Rng rng(72);
  const Dataset data = random_dataset(rng, 80, 4, 5, false);
  const Model model = trained("[train]\nlambda_w = 1e-3\nlambda_a = 1e-2\nepochs = 4\n", data);
  INFO(model.record.dump(1));
  REQUIRE(model.record.at("gap").get<double>() > 0.1);
  CHECK(model.record.at("converged") == false);
  CHECK(model.record.at("try_epochs").get<int64_t>() > 4);
  const Model ovr = trained("[train]\nmethod = \"ovr\"\n", data);
  CHECK(ovr.record.at("converged").is_null());
  CHECK(ovr.record.at("epochs").is_null());
}

TEST_CASE("a checkpoint of the first version is read: its cells, epochs and fit") {
  kit::Rng rng(73);
  const Dataset data = random_dataset(rng, 20, 3, 4, false);
  const auto plans =
      plan_cells(builtin(), parse_config("[train]\nlambda_w = [1, 2]\n", "test.toml", ".", {}).cells);
  const Folder folder;
  const auto file = folder.path() / "m.checkpoint";
  Checkpoint checkpoint(file, shape_of(plans, data));
  TrainState state;
  CellResult cell;
  cell.value = 0.25;
  cell.error = 0.5;
  cell.gap = 0.125;
  cell.losses = Eigen::VectorXd::LinSpaced(20, 0, 1);
  cell.otherwise = HeldOutLosses{0.75, 0.0625, cell.losses};
  state.cells = {cell, std::nullopt};
  state.opponents = {std::nullopt, cell};
  state.epochs = 7;
  state.fit = "bytes";
  state.gaps = {{3, 0.5}, {6, 0.25}};
  checkpoint.save(state);
  const TrainState now = checkpoint.load();
  REQUIRE(now.cells.size() == 2);
  CHECK(now.cells[0]->gap == 0.125);
  CHECK(now.cells[0]->otherwise->error == 0.0625);
  CHECK_FALSE(now.cells[1]);
  REQUIRE(now.opponents.size() == 2);
  CHECK(now.opponents[1]->losses == cell.losses);
  REQUIRE(now.gaps.size() == 2);
  CHECK(now.gaps[1].epoch == 6);
  CHECK(now.gaps[1].gap == 0.25);

  const std::string magic = "CONCORD checkpoint 1\n";
  const std::string bytes = read_whole_file(file);
  ArchiveReader identity(std::string_view(bytes).substr(magic.size() + 64));
  ArchiveWriter out;
  out.put(identity.get_text());
  out.put(uint64_t{2});
  for (const bool there : {true, false, true}) {  // two cells and the twin of the winner
    out.put(static_cast<uint8_t>(there));
    if (!there) continue;
    out.put(cell.value);
    out.put(cell.error);
    for (const auto* v : {&cell.thresholds, &cell.lambdas, &cell.losses}) out.put_array(*v);
  }
  out.put(int64_t{7});
  out.put(std::string("bytes"));
  write_file_atomically(file, magic + sha256_hex(out.bytes()) + out.bytes());
  const TrainState old = checkpoint.load();
  REQUIRE(old.cells.size() == 2);
  CHECK(old.cells[0]->losses == cell.losses);
  CHECK(std::isnan(old.cells[0]->gap));
  CHECK_FALSE(old.cells[1]);
  CHECK(old.opponents.empty());
  CHECK(old.epochs == 7);
  CHECK(old.fit == "bytes");
}

}  // namespace concord::convergence_test
