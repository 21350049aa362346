// SPDX-License-Identifier: MIT
#pragma once
// What the benchmarks share: the right OpenBLAS kernels on one thread, and CPU times by name for the tables.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include <concord/abi.h>
#include <concord/kit/numeric_environment.hpp>
#include <concord/sdk/build_tag.hpp>

namespace bench {

/// For calls of a plugin that nobody stops: it may say what it likes.
inline const concord_env quiet{sizeof(concord_env),
                               1,
                               nullptr,
                               [](void*) -> int32_t { return 0; },
                               [](void*) { return std::numeric_limits<double>::infinity(); },
                               [](void*, int32_t, const char* text) { fmt::print(stderr, "{}\n", text); },
                               nullptr};

/// The kernels that OpenBLAS really uses. A comparison against LAPACK with its SSE3 fallback would flatter
/// us.
inline std::string openblas_core() {
  using Name = char* (*)();
  const auto name = reinterpret_cast<Name>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  if (name == nullptr) throw std::runtime_error("LAPACK is not OpenBLAS: install libopenblas-dev");
  const std::string core = name();
  if (core == "Prescott") throw std::runtime_error("OpenBLAS uses its SSE3 kernels: set OPENBLAS_CORETYPE");
  return core;
}

/// Prints as usual and keeps the median CPU seconds per item of every benchmark.
class Times : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.aggregate_name != "median" && run.repetitions != 1) continue;
      const auto items = run.counters.find("items");
      const double count = items == run.counters.end() ? 1 : static_cast<double>(items->second);
      seconds_[run.run_name.function_name] =
          run.GetAdjustedCPUTime() / benchmark::GetTimeUnitMultiplier(run.time_unit) / count;
      for (const auto& [name, counter] : run.counters) counters_[run.run_name.function_name][name] = counter;
    }
  }
  double seconds(const std::string& name) const { return seconds_.at(name); }
  double counter(const std::string& name, const std::string& which) const {
    return counters_.at(name).at(which);
  }

 private:
  std::map<std::string, double> seconds_;
  std::map<std::string, std::map<std::string, double>> counters_;
};

/// Runs the registered benchmarks and writes what `table` makes of the times into the file named by
/// --out=FILE.
template <class Table>
int run(int argc, char** argv, Table&& table) {
  concord::kit::fix_numeric_environment(argv);
  std::string out;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--out=")) {
      out = argument.substr(6);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  const std::string core = openblas_core();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Times times;
  benchmark::RunSpecifiedBenchmarks(&times);
  if (out.empty()) return 0;
  std::ofstream file(out);
  file << table(times)
       << fmt::format("\nOne thread, median CPU time. OpenBLAS core type {}; {}.\n", core,
                      concord::sdk::build_tag());
  if (!file.flush()) throw std::runtime_error("cannot write " + out);
  return 0;
}

}  // namespace bench
