// SPDX-License-Identifier: MIT
// concord compare, stopped and killed, and run again.
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/file.h>
#include <unistd.h>

#include "comparing.hpp"

namespace cli::compare_resume_test {
using namespace comparing;

TEST_CASE("Ctrl-C keeps what is finished, and two runs do not share a folder") {
  const std::string file =
      config("slow.toml", "[method.quick]\ntrain.method = \"ovr\"\n[method.hang]\ntrain.decoder = \"" +
                              fake("hangs") + "\"\n");
  RunOptions options;
  options.interrupt_after = 2;
  const Ran ran = concord({"compare", file, "--out", folder("slow"), "--jobs", "2"}, options);
  INFO(ran.err);
  CHECK(ran.exit_code == 130);
  CHECK_THAT(ran.err, Contains("the same command continues"));
  CHECK(fs::exists(folder("slow") + "/cells/planted/quick/result.json"));
  CHECK_FALSE(fs::exists(folder("slow") + "/cells/planted/hang/result.json"));

  const int lock = ::open((folder("slow") + "/lock").c_str(), O_RDWR);
  REQUIRE(lock >= 0);
  REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
  const Ran second = concord({"compare", file, "--out", folder("slow")});
  ::close(lock);
  CHECK(second.exit_code == 2);
  CHECK_THAT(second.err, Contains("another comparison is running there"));
}

TEST_CASE("repeats: the first keeps its cells, all trainings count, and shards, resuming and records work") {
  const std::string out = folder("repeated"),
                    once = config("repeated.toml",
                                  "[compare]\nbaseline = \"ovr\"\n" + std::string(kMethods) + kSolvers);
  REQUIRE(concord({"compare", once, "--out", out, "--quiet"}).exit_code == 0);
  const json before = results_in(out);
  CHECK_FALSE(before.contains("repeats"));
  CHECK_THAT(bytes_of(out + "/results.csv"), !Contains(",repeat\r\n"));
  CHECK_THAT(bytes_of(out + "/tables.md"), Contains("bootstrap intervals over test instances"));
  CHECK_FALSE(fs::exists(out + "/trainings.csv"));

  const std::string file = config(
      "repeated.toml", "[compare]\nbaseline = \"ovr\"\nrepeats = 3\n" + std::string(kMethods) + kSolvers);
  const Ran ran = concord({"compare", file, "--out", out});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.err, Contains("[8/8]") &&
                          Contains("planted/spectral-any/3"));  // the first of each, and solvers, are kept
  CHECK_THAT(ran.out, Contains("means of 3 trainings") && Contains("95 % intervals over trainings"));
  const json results = results_in(out);
  REQUIRE(results["cells"].size() == 4);
  REQUIRE(results["further_trainings"].size() == 8);
  const std::string metric = "example-f1-loss";
  const auto value = [&](const std::string& method, int repeat) {
    for (const char* list : {"cells", "further_trainings"})
      for (const json& cell : results[list])
        if (cell["method"] == method && cell.value("repeat", 1) == repeat)
          return cell["metrics"][metric].get<double>();
    FAIL(method << " " << repeat);
    return 0.0;
  };
  for (size_t c = 0; c < 4; ++c) {
    const json &cell = results["cells"][c], &over = cell["over_trainings"];
    CHECK(cell["key"] == before["cells"][c]["key"]);
    CHECK(cell["metrics"] == before["cells"][c]["metrics"]);
    const std::string method = cell["method"];
    double mean = 0, difference = 0;
    for (int repeat = 1; repeat <= 3; ++repeat) {
      mean += value(method, repeat) / 3;
      difference += (value(method, repeat) - value("ovr", repeat)) / 3;
    }
    CHECK(over["trainings"] == 3);
    CHECK(over["metrics"][metric].get<double>() == Approx(mean));
    CHECK(over["intervals"][metric][0].get<double>() <= mean);
    if (method != "ovr")
      CHECK(over["versus"]["ovr"]["difference"].get<double>() == Approx(difference).margin(1e-12));
  }
  for (const json& cell : results["further_trainings"]) {
    CHECK(cell["seed"].get<int>() == results["cells"][0]["seed"].get<int>() + cell["repeat"].get<int>() - 1);
    CHECK(cell["instances"] == results["cells"][0]["instances"]);
    CHECK(cell["data_sha256"] != results["cells"][0]["data_sha256"]);
    CHECK(cell["metrics"] != results["cells"][0]["metrics"]);
  }
  for (const char* name : {"/tables.md", "/tables.tex"})
    CHECK_THAT(bytes_of(out + name), Contains("Means over 3 trainings") && !Contains("bootstrap"));
  CHECK_THAT(bytes_of(out + "/results.csv"),
             Contains(",repeat\r\n") && Contains("planted/ovr/3,planted,ovr,done"));
  CHECK_THAT(bytes_of(out + "/trainings.csv"),
             StartsWith("id,dataset,method,metric,trainings,mean,low,high,difference-to-ovr,") &&
                 Contains("planted/ovr,planted,ovr,micro-f1,3,"));
  CHECK_THAT(bytes_of(out + "/report.html"), Contains("<section id=\"trainings\">"));

  // One that is gone is trained again, to the same table.
  const std::string tables = bytes_of(out + "/tables.md"), place = out + "/repeats/planted/modular/2";
  fs::remove(place + "/result.json");
  CHECK_THAT(concord({"compare", file, "--out", out}).err, Contains("[1/1] planted/modular/2"));
  CHECK(bytes_of(out + "/tables.md") == tables);
  const Ran again = concord({"compare", "--cell", place});
  CHECK(again.exit_code == 0);
  CHECK_THAT(again.err, Contains("the same result as before"));
  // Shards have their parts of all repeats.
  std::vector<std::string> merge = {"compare", "--out", folder("repeated-merged"), "--quiet", "--merge"};
  for (const std::string part : {"1", "2"}) {
    merge.push_back(folder("repeated-part" + part));
    REQUIRE(concord({"compare", file, "--out", merge.back(), "--shard", part + "/2", "--quiet"}).exit_code ==
            0);
  }
  REQUIRE(concord(merge).exit_code == 0);
  for (const char* name : {"/tables.md", "/tables.tex", "/trainings.csv"})
    CHECK(bytes_of(folder("repeated-merged") + name) == bytes_of(out + name));
  // One that failed is said, and left out of the means.
  json failed = json::parse(bytes_of(place + "/result.json"));
  failed["status"] = "failed";
  failed["reason"] = "no more paper";
  std::ofstream(place + "/result.json") << failed;
  const Ran partial = concord({"compare", file, "--out", out, "--quiet"});
  CHECK_THAT(partial.out, Contains("2 of 3 trainings"));
  // Without repeats the table is what it was.
  const std::string plain =
      config("repeated.toml", "[compare]\nbaseline = \"ovr\"\n" + std::string(kMethods) + kSolvers);
  const Ran back = concord({"compare", plain, "--out", out});
  CHECK_THAT(back.err, !Contains("["));
  CHECK(results_in(out)["cells"] == before["cells"]);
}

TEST_CASE("kill -9 of a comparison at random moments, then the same command: the same table", "[.full]") {
  const std::string file =
      config("killed.toml",
             std::string(kMethods) + "[method.longer]\nlike = \"spectral\"\ntrain.epochs = 40\n" + kSolvers);
  REQUIRE(concord({"compare", file, "--out", folder("undisturbed")}).exit_code == 0);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const std::string out = folder("killed" + std::to_string(round));
    RunOptions options;
    Ran ran;
    for (int attempt = 0; attempt < 50; ++attempt) {
      options.kill_after = std::uniform_real_distribution<>(0.02, 0.3 + 0.1 * attempt)(random);
      ran = concord({"compare", file, "--out", out, "--jobs", "2"}, options);
      if (ran.exit_code == 0) break;
    }
    INFO(round << ": " << ran.err);
    REQUIRE(ran.exit_code == 0);
    CHECK(bytes_of(out + "/tables.md") == bytes_of(folder("undisturbed") + "/tables.md"));
    CHECK(bytes_of(out + "/tables.tex") == bytes_of(folder("undisturbed") + "/tables.tex"));
  }
}

}  // namespace cli::compare_resume_test
