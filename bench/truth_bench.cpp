// SPDX-License-Identifier: MIT
// Relaxations against the truth on learned priors: a model is trained on each dataset, `exact` decodes its test
// instances, and what each relaxation says of the same problems is compared with the proven optimum.
#include <algorithm>
#include <ctime>
#include <map>
#include <vector>

#include "base/files.hpp"
#include "child.hpp"
#include "data/files.hpp"
#include "harness.hpp"
#include "model/model.hpp"
#include "predict/predictor.hpp"
#include "solve/pipeline.hpp"

namespace {

namespace fs = std::filesystem;
using concord::DecodeReport;

struct Subject {
  std::string name;
  const char* scale;
  double bias, lambda_w, lambda_a;
  int epochs, batch;
  int64_t most;  // test instances
};
const std::vector<Subject> subjects{{"yeast", "none", 3, 0.1, 0.1, 40, 10, 1000},
                                    {"medical", "none", 3, 0.1, 0.3, 60, 10, 1000},
                                    {"enron", "l2", 10, 0.01, 1, 40, 10, 1000},
                                    {"bibtex", "l2", 1, 0.003, 0.3, 15, 25, 500}};
const std::vector<std::string> signs{"repulsive", "any"};
const std::vector<std::string> relaxations{"spectral", "spectral-tight", "sdp-mixing", "tabu"};
constexpr double patience = 0.1;  // seconds, the time in which an instance should be proven

fs::path data(const std::string& name, const char* part) {
  const char* chosen = std::getenv("CONCORD_DATA");
  return fs::path(chosen != nullptr ? chosen : CONCORD_BENCH_DATA) / name / (name + part);
}

concord::Model trained(const Subject& s, const std::string& sign) {
  const std::string stem = s.name + "-" + sign;
  const std::string config = bench::scratch_file(stem + ".toml");
  const std::string model = bench::scratch_file(stem + ".model");
  concord::write_file_atomically(
      config,
      fmt::format("[data]\ntrain = \"{}\"\n[preprocess]\nscale = \"{}\"\nbias = {}\n[train]\ndecoder = "
                  "\"spectral\"\nloss = \"f-beta\"\nprior = \"{}\"\nlambda_w = {}\nlambda_a = {}\nepochs = "
                  "{}\nbatch = {}\n",
                  data(s.name, "-train.arff").string(), s.scale, s.bias, sign, s.lambda_w, s.lambda_a,
                  s.epochs, s.batch));
  const std::string program = (fs::read_symlink("/proc/self/exe").parent_path() / "concord").string();
  bench::run_child({program, "train", config, "--model", model, "--quiet"});
  return concord::load_model(model);
}

/// What one decoder did on all instances of a model.
struct Tally {
  double bound = 0, worst_bound = 0, value = 0, seconds = 0;
  int64_t count = 0, bounded = 0, missed = 0, changed = 0;

  void add(const DecodeReport& r, const DecodeReport& truth, double cpu) {
    const double scale = std::abs(truth.objective);
    ++count;
    seconds += cpu;
    if (!std::isnan(r.bound)) {
      ++bounded;
      bound += (r.bound - truth.objective) / scale;
      worst_bound = std::max(worst_bound, (r.bound - truth.objective) / scale);
    }
    const double below = (truth.objective - r.objective) / scale;
    value += std::max(0.0, below);
    missed += below > 1e-9 ? 1 : 0;
    changed += (r.labels != truth.labels).any() ? 1 : 0;
  }
  std::string row(const std::string& model, const std::string& decoder) const {
    const double n = static_cast<double>(count);
    return fmt::format(
        "| {} | {} | {} | {} | {:.3g} % | {:.1f} % | {:.1f} % | {:.3g} |\n", model, decoder,
        bounded > 0 ? fmt::format("{:.3g} %", 100 * bound / static_cast<double>(bounded)) : "none",
        bounded > 0 ? fmt::format("{:.3g} %", 100 * worst_bound) : "", 100 * value / n,
        100 * static_cast<double>(missed) / n, 100 * static_cast<double>(changed) / n, 1e3 * seconds / n);
  }
};

struct Tables {
  std::string proofs, relaxed;
};

void compare(const Subject& s, const std::string& sign, concord::Registry& registry, Tables& tables) {
  const concord::Model model = trained(s, sign);
  const concord::Dataset dataset =
      concord::read_dataset({data(s.name, "-test.arff").string(), "", concord::DataFormat::detect});
  const Eigen::MatrixXd scores = concord::problem_scores(model, dataset.X);
  concord::ErrorList errors;
  std::vector<std::string> names{"exact"};
  names.insert(names.end(), relaxations.begin(), relaxations.end());
  const auto plans =
      concord::plan_decodes(registry, names, {}, false, {{"exact", {"node_limit", "200", "bench"}}}, errors);
  errors.throw_if_any();
  std::map<std::string, Tally> tallies;
  std::vector<double> times;
  int64_t proven = 0;
  int64_t quick = 0;
  const int64_t count = std::min<int64_t>(s.most, dataset.instances());
  for (int64_t i = 0; i < count; ++i) {
    concord::CanonicalProblem problem;
    problem.A = concord::PriorMatrix(model.A);
    problem.c = scores.col(i);
    const auto timed = [&](const concord::SolvePlan& plan, double& cpu) {
      const std::clock_t start = std::clock();
      DecodeReport r = concord::run_decode(plan, problem, 1, {});
      cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      return r;
    };
    double cpu = 0;
    const DecodeReport truth = timed(plans[0], cpu);
    times.push_back(cpu);
    if (truth.status != CONCORD_OPTIMAL) continue;
    ++proven;
    quick += cpu <= patience ? 1 : 0;
    for (size_t d = 1; d < plans.size(); ++d) {
      const DecodeReport r = timed(plans[d], cpu);
      tallies[names[d]].add(r, truth, cpu);
    }
  }
  std::sort(times.begin(), times.end());
  const std::string name = fmt::format("{}, {}", s.name, sign);
  const double n = static_cast<double>(count);
  tables.proofs +=
      fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} % | {:.3g} | {:.3g} | {:.3g} |\n", name, model.labels(),
                  count, 100 * static_cast<double>(quick) / n, 100 * static_cast<double>(proven) / n,
                  1e3 * times[times.size() / 2], 1e3 * times[times.size() * 99 / 100], 1e3 * times.back());
  for (const std::string& d : relaxations) tables.relaxed += tallies[d].row(name, d);
  fmt::print("{}{}", tables.proofs, tables.relaxed);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    concord::kit::fix_numeric_environment(argv);
    bench::openblas_core();
    concord::Registry registry({}, {});
    Tables tables;
    for (const Subject& s : subjects)
      for (const std::string& sign : signs) compare(s, sign, registry, tables);
    if (argc < 2) return 0;
    const std::string text =
        "# Relaxations against the truth, measured\n\n"
        "Written by `scripts/bench truth`. For each dataset a model is trained with the F1 loss by the "
        "spectral relaxation "
        "(fixed\nsettings, a repulsive prior and one of any sign) and its test instances are decoded: all of "
        "them, of bibtex "
        "the first 500.\nTimes are CPU milliseconds on one thread for preparing, solving and rounding one "
        "instance.\n\n"
        "`exact` with at most 200 subproblems:\n\n"
        "| prior | V | instances | proven within 100 ms | proven | median ms | 99 % | largest "
        "|\n|---|---|---|---|---|---|---|---|\n" +
        tables.proofs +
        "\nThe relaxations on the proven instances. *Bound*: how far it lies above the optimum, on average "
        "and at worst; "
        "*value*: how\nfar the rounded labels (`threshold+local-search` unless the decoder gives labels) lie "
        "below it on average; "
        "*missed*: how\noften they are worse than the optimum; *changed*: how often the prediction differs "
        "from the optimal "
        "labelling. All relative\nto the optimum.\n\n"
        "| prior | decoder | bound | worst bound | value | missed | changed | ms "
        "|\n|---|---|---|---|---|---|---|---|\n" +
        tables.relaxed + fmt::format("\n{}.\n", concord::sdk::build_tag());
    concord::write_file_atomically(std::string(argv[1]).substr(6), text);  // --out=FILE
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "truth-bench: {}\n", e.what());
    return 1;
  }
}
