// SPDX-License-Identifier: MIT
#pragma once
// Training on several cores: an epoch on one thread against the same epoch on two, and the seconds that each method takes to a
// proven gap. Times on the wall: both fits of a pair take turns, and the least time of each counts.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>

#include "train_subjects.hpp"

namespace bench {

template <class Work>
double wall_seconds(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// yeast, bibtex with the default batch, and delicious.
inline std::array<Subject, 3> cores_subjects() {
  std::array<Subject, 3> chosen{subjects[0], subjects[3], subjects[4]};
  chosen[1].batch = concord::TrainSettings().batch;
  return chosen;
}

/// Times some epochs after the first, which verifies every answer.
inline void add_cores(const Subject& subject) {
  const int rounds = subject.name == "delicious" ? 2 : subject.name == "yeast" ? 50 : 10;
  add("cores/" + subject.name, 1, [=](benchmark::State& state) {
    const Data data(subject, whole);
    std::array<double, 2> least{1e9, 1e9};
    for (auto _ : state) {
      concord::ThreadPool one(1), two(2);
      std::array<std::unique_ptr<concord::Fit>, 2> fits;
      for (size_t t = 0; t < 2; ++t) {
        fits[t] =
            concord::make_fit(plan_of(subject, "spectral"), {data.X, data.Y}, 1, t == 0 ? one : two, {});
        fits[t]->epoch();
      }
      for (int round = 0; round < rounds; ++round)
        for (size_t t = 0; t < 2; ++t) least[t] = std::min(least[t], wall_seconds([&] { fits[t]->epoch(); }));
    }
    state.counters["one"] = least[0];
    state.counters["two"] = least[1];
  });
}

inline std::string cores_table(const Times& times) {
  std::string out =
      "\n## Two cores\n\nSeconds on the wall of an epoch with `spectral`, a repulsive prior and the F1 loss, "
      "on one thread and on two. "
      "Both\nfits take turns, epoch by epoch, and do the same work to the same bits; the least time of each "
      "counts. Wanted: "
      "bibtex at\nleast 1.6, delicious at least 1.7, yeast not below 1.\n\n"
      "| data | method | batch | 1 thread | 2 threads | ratio |\n|---|---|---|---|---|---|\n";
  for (const Subject& subject : cores_subjects()) {
    const std::string name = "cores/" + subject.name;
    const double one = times.counter(name, "one"), two = times.counter(name, "two");
    out += fmt::format("| {} | {} | {} | {:.3g} | {:.3g} | {:.2f} |\n", subject.name,
                       concord::name_of(subject.method), subject.batch, one, two, one / two);
  }
  return out;
}

inline constexpr std::array<double, 2> wanted_gaps{0.05, 0.01};
inline constexpr std::array<concord::Method, 3> gap_methods{concord::Method::bcfw, concord::Method::bundle,
                                                            concord::Method::subgradient};
inline constexpr double most_seconds = 120;

inline std::string gap_name(const Subject& subject, concord::Method method, int threads) {
  return "gap/" + subject.name + "/" + concord::name_of(method) + "/" + std::to_string(threads);
}

/// Seconds of epochs until the gap is proven, NaN where `most_seconds` are not enough. Looking at the objective does not count:
/// bundle knows it anyway. The gap of subgradient steps is that to the best dual of the others, which must have run before.
inline void add_gap(const Subject& subject, concord::Method method, int threads) {
  static std::map<std::string, double> best_dual;
  add(gap_name(subject, method, threads), 1, [=](benchmark::State& state) {
    const Data data(subject, whole);
    concord::TrainPlan plan = plan_of(subject, "spectral");
    plan.settings.method = method;
    std::array<double, 2> reached{NAN, NAN};
    int64_t epochs = 0;
    for (auto _ : state) {
      concord::ThreadPool pool(threads);
      const auto fit = concord::make_fit(plan, {data.X, data.Y}, 1, pool, {});
      double seconds = 0;
      for (int64_t next = 1; std::isnan(reached[1]) && seconds < most_seconds;) {
        seconds += wall_seconds([&] { fit->epoch(); });
        if (++epochs < next) continue;
        if (method == concord::Method::subgradient) next = epochs + epochs / 20 + 1;  // rarely, as it is slow
        const concord::FitReport report = fit->evaluate();
        double& dual = best_dual[subject.name];
        if (!std::isnan(report.dual)) dual = std::max(dual, report.dual);
        const double gap =
            std::isnan(report.dual) ? (report.objective - dual) / report.objective : report.relative_gap();
        for (size_t g = 0; g < wanted_gaps.size(); ++g)
          if (std::isnan(reached[g]) && gap <= wanted_gaps[g]) reached[g] = seconds;
      }
    }
    state.counters["five"] = reached[0];
    state.counters["one"] = reached[1];
    state.counters["epochs"] = static_cast<double>(epochs);
  });
}

inline std::string gap_table(const Times& times) {
  std::string out = fmt::format(
      "\n## Seconds to a gap\n\nSeconds on the wall, of epochs alone, until the relative gap is 5 % and 1 %: "
      "`spectral`, a repulsive prior and its\n"
      "diagonal, the F1 loss, the settings of the first table. The gaps of bcfw and bundle are proven; that "
      "of subgradient is to the\n"
      "best dual of both. –: not in {} s.\n\n"
      "| data | method | 5 %, 1 thread | 2 threads | 1 %, 1 thread | 2 threads | epochs to 1 % "
      "|\n|---|---|---|---|---|---|---|\n",
      most_seconds);
  const auto cell = [](double seconds) { return std::isnan(seconds) ? "–" : fmt::format("{:.3g}", seconds); };
  for (const Subject& subject : subjects) {
    if (subject.method != concord::Method::bcfw) continue;
    for (const concord::Method method : gap_methods) {
      const std::string one = gap_name(subject, method, 1), two = gap_name(subject, method, 2);
      out += fmt::format(
          "| {} | {} | {} | {} | {} | {} | {} |\n", subject.name, concord::name_of(method),
          cell(times.counter(one, "five")), cell(times.counter(two, "five")), cell(times.counter(one, "one")),
          cell(times.counter(two, "one")),
          std::isnan(times.counter(one, "one")) ? "–" : fmt::format("{}", times.counter(one, "epochs")));
    }
  }
  return out;
}

}  // namespace bench
