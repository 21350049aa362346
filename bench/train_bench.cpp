// SPDX-License-Identifier: MIT
// Training on published datasets: epochs against the same with the paper's eigensolver and without a prior,
// one-versus-rest against LIBLINEAR's own program, and the memory of `concord train`.
#include <array>
#include <ctime>
#include <vector>

#include "base/files.hpp"
#include "child.hpp"
#include "train/ovr.hpp"
#include "train_cores.hpp"

namespace {

using namespace bench;

const Subject& bibtex = subjects[3];
const Subject& delicious = subjects[4];
constexpr std::array<double, 5> ovr_lambdas{3e-5, 1e-4, 3e-4, 1e-3, 3e-3};
constexpr int64_t every_label = 16;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string epoch_name(const Subject& subject, const std::string& decoder) {
  return "epoch/" + subject.name + "/" + decoder;
}

/// Times the second epoch: the first one begins with A = 0, which flatters an eigensolver, and checks every
/// answer. spectral-qep takes over where `spectral` stands after its first epoch.
void add_epoch(const Subject& subject, const std::string& decoder, int64_t instances, int repetitions) {
  add(epoch_name(subject, decoder), repetitions, [=](benchmark::State& state) {
    const Data data(subject, instances);
    concord::ThreadPool pool(1);
    const auto fit_by = [&](const std::string& name) {
      return concord::make_fit(plan_of(subject, name), {data.X, data.Y}, 1, pool, {});
    };
    const bool is_qep = decoder == "spectral-qep";
    auto fit = fit_by(is_qep ? "spectral" : decoder);
    const double begin = thread_seconds();
    fit->epoch();
    state.counters["first"] = thread_seconds() - begin;
    if (is_qep) {
      concord::ArchiveWriter out;
      fit->save(out);
      concord::ArchiveReader in(out.bytes());
      fit = fit_by(decoder);
      fit->restore(in);
    }
    for (auto _ : state) fit->epoch();
    state.counters["items"] = static_cast<double>(data.Y.cols());
    state.counters["labels"] = static_cast<double>(data.Y.rows());
  });
}

/// One epoch of `concord train` by subgradient steps. A child's peak counts from before its exec, when it is a copy of
/// us: so these come first, while we are small.
void add_memory(const Subject& subject, bool with_validation) {
  add("memory/" + subject.name, 1, [=](benchmark::State& state) {
    const std::string config = scratch_file(subject.name + ".toml");
    concord::write_file_atomically(
        config,
        fmt::format("[run]\nthreads = 1\n[data]\ntrain = \"{}\"\n[preprocess]\nscale = \"l2\"\nbias = {}\n"
                    "[train]\nmethod = \"subgradient\"\nprior = \"repulsive\"\nlambda_w = {}\n"
                    "lambda_a = {}\nbatch = {}\nepochs = 1\n{}",
                    fs::absolute(train_file(subject.name)).string(), subject.bias, subject.lambda_w,
                    subject.lambda_a, subject.batch, with_validation ? "" : "[select]\nholdout = 0\n"));
    const std::string program = fs::read_symlink("/proc/self/exe").replace_filename("concord").string();
    rusage used{};
    for (auto _ : state)
      used =
          run_child({program, "train", config, "--model", scratch_file(subject.name + ".model"), "--quiet"});
    state.counters["MiB"] = static_cast<double>(used.ru_maxrss) / 1024;
    state.counters["seconds"] = concord::cpu_seconds(used);
  });
}

/// The labels of every `step`-th row.
concord::LabelMatrix some_labels(const concord::LabelMatrix& Y, int64_t step) {
  return Y(Eigen::seq(0, Y.rows() - 1, step), Eigen::all);
}

void add_one_versus_rest(const std::string& name, int64_t step, int repetitions) {
  add(name, repetitions, [=](benchmark::State& state) {
    const Data data(bibtex, whole);
    const concord::LabelMatrix Y = some_labels(data.Y, step);
    concord::ThreadPool pool(1);
    for (auto _ : state)
      for (const double lambda : ovr_lambdas)
        benchmark::DoNotOptimize(concord::one_versus_rest({data.X, Y}, Eigen::VectorXd::Constant(1, lambda),
                                                          concord::HingeLoss::squared_hinge, 1, nullptr, pool,
                                                          {}));
    state.counters["count"] = static_cast<double>(Y.rows());
  });
}

/// A file for each label, with six digits, as LIBLINEAR's kin write them: more would only slow its reading down.
void add_liblinear() {
  add("ovr/liblinear-train", 1, [](benchmark::State& state) {
    const Data data(bibtex, whole);
    const concord::LabelMatrix Y = some_labels(data.Y, every_label);
    const auto file = [](int64_t v) { return scratch_file(fmt::format("label-{}", v)); };
    for (int64_t v = 0; v < Y.rows(); ++v) {
      std::string text;
      for (int64_t i = 0; i < Y.cols(); ++i) {
        text += Y(v, i) > 0 ? "+1" : "-1";
        for (concord::SparseMatrix::InnerIterator it(data.X.sparse(), i); it; ++it)
          text += fmt::format(" {}:{:.6g}", it.col() + 1, it.value());
        text += '\n';
      }
      concord::write_file_atomically(file(v), text);
    }
    double seconds = 0;
    for (auto _ : state)
      for (int64_t v = 0; v < Y.rows(); ++v)
        for (const double lambda : ovr_lambdas) {
          const double C = 1 / (lambda * static_cast<double>(Y.cols()));
          seconds += concord::cpu_seconds(
              run_child({"liblinear-train", "-q", "-s", "2", "-e", "0.01", "-c", fmt::format("{:.17g}", C),
                         file(v), scratch_file("label.model")}));
        }
    state.counters["seconds"] = seconds;
  });
}

std::string table(const Times& times) {
  std::string out =
      R"(# Training, measured

Written by `scripts/bench train` on the training sets of the published splits. The epochs of `spectral` and `modular`
on the four smaller datasets and the sampled one-versus-rest are medians of three runs; everything else ran once.

## An epoch

CPU seconds of an epoch with the F1 loss: `spectral` with a repulsive prior and its diagonal, the same with
`spectral-qep` (the paper's eigensolver, cardinalities by elimination, its only exact way), and `modular` without a
prior. Each is the second epoch; `first` is the first of `spectral`, in which every answer is verified. A whole epoch
of `spectral-qep` on bibtex would take hours, so its time is an estimate: that of an epoch on the first instances of
the data, as many as the table says, times N over their number. It starts where `spectral` stands there after an epoch.
Later epochs of subgradient steps (delicious) may cost otherwise.

)"
      "| data | method | N | V | batch | spectral | first | spectral-qep | measured on | × | modular | "
      "spectral / modular |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Subject& subject : subjects) {
    const std::string spectral = epoch_name(subject, "spectral"), modular = epoch_name(subject, "modular");
    const double N = times.counter(spectral, "items");
    std::string qep = "– | – | –";
    if (subject.qep_instances > 0) {
      const double each = times.seconds(epoch_name(subject, "spectral-qep"));
      qep = fmt::format("{:.4g} | {} instances | {:.0f}", each * N, subject.qep_instances,
                        each / times.seconds(spectral));
    }
    out += fmt::format("| {} | {} | {} | {} | {} | {:.3g} | {:.3g} | {} | {:.3g} | {:.3g} |\n", subject.name,
                       concord::name_of(subject.method), N, times.counter(spectral, "labels"), subject.batch,
                       N * times.seconds(spectral), times.counter(spectral, "first"), qep,
                       N * times.seconds(modular), times.seconds(spectral) / times.seconds(modular));
  }
  const double all = times.seconds("ovr/all"), some = times.seconds("ovr/some");
  const double peer = times.counter("ovr/liblinear-train", "seconds");
  const double labels = times.counter("ovr/all", "count"), sampled = times.counter("ovr/some", "count");
  out += fmt::format(
      R"(
Wanted on bibtex: × at least 100 and `modular` below 0.5 s; on delicious an epoch below 120 s.

## One-versus-rest

The grid of bibtex, squared hinge, lambda_w = {}, against LIBLINEAR's program
(`liblinear-train -s 2 -e 0.01`, one call for each label and value, from files that hold the bias as a feature). CPU
seconds; wanted: ratio at least 1. Both use the same solver, which we do not speed up: most of a call goes into starting
the program and reading its file, and we have the features in memory once. The first row compares the same labels; the
second multiplies the program's time by the number of labels, and those of the sample are harder or easier than the rest.

)"
      "| labels | concord | liblinear-train | ratio |\n|---|---|---|---|\n"
      "| every {}th: {} | {:.3g} | {:.3g} | {:.2f} |\n| all {} | {:.3g} | {:.3g} (estimated from those) | "
      "{:.2f} |\n",
      fmt::join(ovr_lambdas, ", "), every_label, sampled, some, peer, peer / some, labels, all,
      peer * labels / sampled, peer * labels / sampled / all);
  out += cores_table(times) + gap_table(times);
  out += fmt::format(
      "\n## Memory\n\nThe peak of `concord train`, subgradient steps with `spectral`, one epoch.\n\n"
      "| data | validation | peak MiB | wanted | CPU seconds |\n|---|---|---|---|---|\n"
      "| bibtex | a quarter held out | {:.0f} | < 1024 | {:.3g} |\n| delicious, batch 200 | none | {:.0f} | "
      "< 4096 | {:.3g} |\n",
      times.counter("memory/bibtex", "MiB"), times.counter("memory/bibtex", "seconds"),
      times.counter("memory/delicious", "MiB"), times.counter("memory/delicious", "seconds"));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (const Subject& subject : subjects) train_file(subject.name);
    add_memory(bibtex, true);
    add_memory(delicious, false);
    for (const Subject& subject : subjects) {
      const int repetitions = subject.qep_instances > 0 ? 3 : 1;
      add_epoch(subject, "spectral", whole, repetitions);
      add_epoch(subject, "modular", whole, repetitions);
      if (subject.qep_instances > 0) add_epoch(subject, "spectral-qep", subject.qep_instances, 1);
    }
    for (const Subject& subject : cores_subjects()) add_cores(subject);
    for (const Subject& subject : subjects)
      if (subject.method == Method::bcfw)
        for (const Method method : gap_methods)
          for (const int threads : {1, 2}) add_gap(subject, method, threads);
    add_one_versus_rest("ovr/some", every_label, 3);
    add_liblinear();
    add_one_versus_rest("ovr/all", 1, 1);
    return bench::run(argc, argv, table);
  } catch (const concord::Error& e) {
    fmt::print(stderr, "train-bench: {}\n", e.what());
    return static_cast<int>(e.kind());
  }
}
