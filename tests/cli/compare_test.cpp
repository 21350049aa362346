// SPDX-License-Identifier: MIT
// concord compare, as a user runs it.
#include <fstream>

#include "comparing.hpp"

namespace cli::compare_test {
using namespace comparing;

TEST_CASE("compare trains every method, solves every problem, and keeps what is finished") {
  const std::string file =
      config("all.toml", "[compare]\nbaseline = [\"ovr\", \"modular\"]\n" + std::string(kMethods) + kSolvers);
  static int run = 0;
  const std::string out = folder("all" + std::to_string(run++));
  const Ran ran = concord({"compare", file, "--out", out, "--jobs", "2"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("spectral any") && Contains("example-f1-loss") && Contains("bound excess"));
  CHECK_THAT(ran.err, Contains("[6/6]"));
  const json results = results_in(out);
  REQUIRE(results["cells"].size() == 4);
  for (const json& cell : results["cells"]) {
    CHECK(cell["status"] == "done");
    const double loss = cell["metrics"]["example-f1-loss"];
    CHECK(cell["intervals"]["example-f1-loss"][0].get<double>() <= loss);
    CHECK(cell["intervals"]["example-f1-loss"][1].get<double>() >= loss);
    CHECK(cell["peak_mib"].get<double>() > 1);
    // The paired difference is the difference of the figures.
    for (const json& other : results["cells"])
      if (cell["versus"].contains(other["method"].get<std::string>())) {
        const json& versus = cell["versus"][other["method"].get<std::string>()];
        CHECK(versus["difference"].get<double>() ==
              Approx(loss - other["metrics"]["example-f1-loss"].get<double>()).margin(1e-12));
        CHECK(versus["low"].get<double>() <= versus["difference"].get<double>());
        CHECK(versus["high"].get<double>() >= versus["difference"].get<double>());
      }
  }
  CHECK(results["cells"][2]["versus"].size() == 2);
  CHECK(results["cells"][0]["prior"].is_null());
  CHECK(results["cells"][3]["prior"]["names"].size() == 6);
  REQUIRE(results["solves"].size() == 2);
  CHECK(results["solves"][1]["summary"]["bound_excess"].get<double>() < 1e-9);
  CHECK(results["solves"][0]["summary"]["bound_excess"].get<double>() > 0);
  for (const char* name : {"results.csv", "solves.csv", "tables.md", "tables.tex", "report.html"})
    CHECK(fs::file_size(out + "/" + name) > 100);

  SECTION("as train and evaluate do it") {
    const std::string same =
        scratch_file("same.toml", "[data]\ntrain = \"" + data() +
                                      "-train.arff\"\n[train]\ndecoder = \"spectral\"\nprior = "
                                      "\"any\"\nepochs = 3\n[predict]\nthreshold = \"tuned\"\n");
    REQUIRE(concord({"train", same, "--model", folder("same.model")}).exit_code == 0);
    const Ran scored =
        concord({"evaluate", "--model", folder("same.model"), "--data", data() + "-test.arff", "--json"});
    CHECK(json::parse(scored.out)["example-f1-loss"] == results["cells"][3]["metrics"]["example-f1-loss"]);
  }
  SECTION("again: nothing runs, and the tables are the same") {
    const std::string tables = bytes_of(out + "/tables.md");
    const Ran again = concord({"compare", file, "--out", out});
    CHECK(again.exit_code == 0);
    CHECK_THAT(again.err, !Contains("["));
    CHECK(bytes_of(out + "/tables.md") == tables);
  }
  SECTION("another setting runs the cells that it changes, and only those") {
    std::string text = "[compare]\nbaseline = \"ovr\"\n" + std::string(kMethods) + kSolvers;
    text.replace(text.find("\"ovr\"\n[method.modular]"), 5, "\"ovr\"\ntrain.lambda_w = 0.5");
    const Ran one = concord({"compare", config("all.toml", text), "--out", out});
    INFO(one.err);
    CHECK_THAT(one.err, Contains("[1/1] planted/ovr"));
    const Ran changed = concord({"compare", file, "--out", out, "--set", "train.epochs=2"});
    INFO(changed.err);
    CHECK(changed.exit_code == 0);
    CHECK_THAT(changed.err, Contains("[5/5]") && !Contains("planted/ovr"));  // which has no epochs
    const Ran seed = concord({"compare", file, "--out", out, "--set", "run.seed=2"});
    CHECK_THAT(seed.err, Contains("[6/6]"));
  }
  SECTION("a cell again from its record") {
    const Ran again = concord({"compare", "--cell", out + "/cells/planted/spectral-any"});
    INFO(again.err);
    CHECK(again.exit_code == 0);
    CHECK_THAT(again.err, Contains("the same result as before"));
    CHECK(concord({"compare", "--cell", out + "/solves/drawn/exact"}).exit_code == 0);
  }
}

TEST_CASE("compare by a loss plugin, with paired differences, as evaluate has it") {
  const std::string name = "loss/weighted-hamming positive_weight=3", out = folder("by-loss");
  const std::string metric = "{ name = \"loss/weighted-hamming\", positive_weight = 3 }";
  const std::string file =
      config("by-loss.toml", "[compare]\nbaseline = \"ovr\"\nreveal = [0, 0.5]\nmetric = " + metric +
                                 "\n[method.ovr]\ntrain.method = \"ovr\"\n[method.modular]\n"
                                 "train.decoder = \"modular\"\ntrain.epochs = 3\n");
  const Ran ran = concord({"compare", file, "--out", out, "--quiet"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains(name));
  const json results = results_in(out), &ovr = results["cells"][0], &modular = results["cells"][1];
  CHECK(results["metric"] == name);
  CHECK(results["metric_is_loss"] == true);
  for (const json* cell : {&ovr, &modular}) {
    const std::string trained = out + "/cells/" + (*cell)["id"].get<std::string>();
    const json curve = json_of({"evaluate", "--model", trained + "/model.concord", "--data",
                                data() + "-test.arff", "--metric", metric, "--reveal", "0,0.5"})["reveal"];
    CHECK((*cell)["metrics"][name] == curve[0][name]);
    CHECK((*cell)["intervals"][name] == curve[0]["intervals"][name]);
    CHECK((*cell)["reveal"][1]["value"] == curve[1][name]);
    CHECK(concord({"compare", "--cell", trained}).exit_code == 0);
  }
  CHECK(modular["versus"]["ovr"]["difference"].get<double>() ==
        Approx(modular["metrics"][name].get<double>() - ovr["metrics"][name].get<double>()));
  CHECK_THAT(bytes_of(out + "/results.csv"), Contains(name + "," + name + "-low"));
  CHECK_THAT(concord({"compare", file, "--out", out}).err, !Contains("["));  // all are kept
  // A loss that the labels do not fit costs a cell before its training.
  const Ran unfit = concord({"compare",
                             config("unfit.toml",
                                    "[compare]\nmetric = { name = \"loss/weighted-hamming\", "
                                    "label_weights = [1, 2] }\n[method.ovr]\ntrain.method = \"ovr\"\n"),
                             "--out", folder("unfit")});
  CHECK(unfit.exit_code == 1);
  CHECK_THAT(unfit.err, Contains("label_weights has 2 weights, but there are 6 labels"));
}

TEST_CASE("the examples of a comparison are what explain says of these rows") {
  const std::string out = folder("explained");
  const Ran ran = concord({"compare", config("explained.toml", kMethods), "--out", out, "--quiet"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  size_t explained = 0;
  const json results = results_in(out);
  for (const json& cell : results["cells"]) {
    CHECK(cell.contains("examples") == !cell["prior"].is_null());
    if (!cell.contains("examples")) continue;
    for (const json& example : cell["examples"]["examples"]) {
      ++explained;
      const json why =
          json_of({"explain", "--model", out + "/cells/" + cell["id"].get<std::string>() + "/model.concord",
                   "--data", data() + "-test.arff", "--row", std::to_string(example["row"].get<int>())});
      CHECK(why["objective"] == example["objective"]);
      CHECK(why["bound"] == example["bound"]);
      CHECK(why["rule"] == cell["examples"]["rule"]);
      if (!why["runner_up"].is_null())
        CHECK(why["runner_up"]["difference"] == example["runner_up"]["difference"]);
      for (const json& label : example["labels"])
        for (const json& full : why["explained"])
          if (full["label"] == label["label"])
            for (const char* key : {"predicted", "predicted_without_prior", "score", "prior", "ranking"})
              CHECK(full[key] == label[key]);
    }
  }
  CHECK(explained >= 4);
  CHECK_THAT(bytes_of(out + "/report.html"),
             Contains("<section id=\"examples\">") && Contains(": instance "));
}

TEST_CASE("compare reveals the same labels to all methods, as evaluate does") {
  const std::string methods =
      "[predict]\nthreshold = \"tuned\"\n[method.ovr]\ntrain.method = \"ovr\"\n"
      "[method.likely]\ntrain.method = \"likelihood\"\nrun.seed = 1\n"
      "[method.rounded]\ntrain.epochs = 3\npredict.threshold = \"none\"\n";
  const std::string out = folder("revealed");
  const Ran ran = concord({"compare", config("revealed.toml", "[compare]\nreveal = [0, 0.5]\n" + methods),
                           "--out", out, "--quiet"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  const json results = results_in(out);
  for (const json& cell : results["cells"]) {
    const std::string place = out + "/cells/" + cell["id"].get<std::string>();
    const json curve = json_of({"evaluate", "--model", place + "/model.concord", "--data",
                                data() + "-test.arff", "--reveal", "0,0.5"})["reveal"];
    INFO(cell["id"]);
    REQUIRE(cell["reveal"].size() == 2);
    for (size_t s = 0; s < 2; ++s) {
      CHECK(cell["reveal"][s]["share"] == curve[s]["share"]);
      CHECK(cell["reveal"][s]["value"] == curve[s]["example-f1-loss"]);
      CHECK(cell["reveal"][s]["interval"] == curve[s]["intervals"]["example-f1-loss"]);
    }
    CHECK(cell["reveal"][0]["value"] == cell["metrics"]["example-f1-loss"]);
    CHECK(cell["metrics"]["lrap"] == curve[0]["lrap"]);
    CHECK(cell.contains("reliability"));
    CHECK(concord({"compare", "--cell", place}).exit_code == 0);
  }
  CHECK_THAT(bytes_of(out + "/reveal.csv"), StartsWith("id,dataset,method,metric,known,value,low,high\r\n"));
  CHECK_THAT(bytes_of(out + "/report.html"), Contains("<section id=\"known\">") && Contains("class=\"bar\""));
  // Without shares there is no such file, and the cells are other ones.
  const Ran plain = concord({"compare", config("revealed.toml", methods), "--out", folder("hidden")});
  CHECK_THAT(plain.err, Contains("[3/3]"));
  CHECK_FALSE(fs::exists(folder("hidden") + "/reveal.csv"));
}

TEST_CASE("a plugin by its kind and name is the plugin, in compare as in train") {
  const std::string decoder = "[train]\ndecoder = \"decoder/modular\"\nloss = \"loss/hamming\"\nepochs = 2\n";
  const std::string alone =
      scratch_file("kind.toml", "[data]\ntrain = \"" + data() + "-train.arff\"\n" + decoder);
  REQUIRE(concord({"train", alone, "--model", folder("kind.model")}).exit_code == 0);
  const std::string file =
      config("kinds.toml", decoder + "[method.m]\npredict.rounding = \"rounding/sign\"\n");
  const Ran ran = concord({"compare", file, "--out", folder("kinds")});
  INFO(ran.err << ran.out);
  CHECK(ran.exit_code == 0);
  CHECK(results_in(folder("kinds"))["cells"][0]["plugins"][0]["plugin"] == "decoder/modular");
}

TEST_CASE("shards of a comparison merge to the table of the whole") {
  const std::string file = config("shards.toml", std::string(kMethods) + kSolvers);
  REQUIRE(concord({"compare", file, "--out", folder("whole")}).exit_code == 0);
  std::vector<std::string> merge = {"compare", "--out", folder("merged"), "--merge"};
  for (const std::string part : {"1", "2", "3"}) {
    const Ran ran = concord({"compare", file, "--out", folder("part" + part), "--shard", part + "/3"});
    INFO(ran.err);
    CHECK(ran.exit_code == 0);
    CHECK_THAT(ran.out, Contains("pending"));
    merge.push_back(folder("part" + part));
  }
  const Ran merged = concord(merge);
  INFO(merged.err);
  CHECK(merged.exit_code == 0);
  CHECK(bytes_of(folder("merged") + "/tables.md") == bytes_of(folder("whole") + "/tables.md"));
  CHECK(bytes_of(folder("merged") + "/tables.tex") == bytes_of(folder("whole") + "/tables.tex"));

  const std::string other = config("other.toml", kMethods);
  REQUIRE(concord({"compare", other, "--out", folder("other"), "--shard", "1/4"}).exit_code == 0);
  const Ran refused =
      concord({"compare", "--out", folder("refused"), "--merge", folder("part1"), folder("other")});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Contains("are of different comparisons"));
  CHECK_THAT(concord({"compare", "--out", folder("refused"), "--merge", scratch()}).err,
             Contains("not the folder of a comparison"));
  REQUIRE(concord({"compare", other, "--out", folder("set"), "--shard", "1/4", "--set", "train.lambda_w=5"})
              .exit_code == 0);
  CHECK_THAT(concord({"compare", "--out", folder("refused"), "--merge", folder("other"), folder("set")}).err,
             Contains("keys that were set beside them"));

  // A cell that failed in one folder and was done in another is done.
  const std::string result = "/cells/planted/ovr/result.json";
  fs::copy(folder("other"), folder("failed"), fs::copy_options::recursive);
  json failed = json::parse(bytes_of(folder("failed") + result));
  failed["status"] = "failed";
  failed["reason"] = "no more paper";
  std::ofstream(folder("failed") + result) << failed;
  REQUIRE(
      concord({"compare", "--out", folder("both"), "--merge", folder("failed"), folder("other")}).exit_code ==
      0);
  CHECK(results_in(folder("both"))["cells"][0]["status"] == "done");
}

TEST_CASE("a plugin that crashes, hangs, eats memory or is not there costs one row") {
  if (CONCORD_SANITIZED) return;  // crashes are the sanitizer's, and memory has no limit there
  const std::string file =
      config("faults.toml",
             "[compare]\nseconds = 3\nmemory = 1000\n[train]\nepochs = 2\nloss = "
             "\"hamming\"\n[method.good]\ntrain.decoder = \"modular\"\n"
             "[method.segfault]\ntrain.decoder = \"" +
                 fake("segfault-in-solve") + "\"\n" + "[method.hang]\ntrain.decoder = \"" + fake("hangs") +
                 "\"\n" + "[method.memory]\ntrain.decoder = \"" + fake("eats-memory") + "\"\n" +
                 "[method.exits]\ntrain.decoder = \"" + fake("exits") + "\"\n" +
                 "[method.load]\ntrain.decoder = \"" + fake("crash-on-load") + "\"\n" +
                 "[method.lies]\ntrain.decoder = \"" + fake("wrong-value") + "\"\n" +
                 "[method.floods]\ntrain.decoder = \"" + fake("floods") + "\"\n" +
                 "[method.missing]\ntrain.decoder = \"no-such-decoder\"\n");
  const std::string out = folder("faults");
  const Ran ran = concord({"compare", file, "--out", out});
  INFO(ran.err << ran.out);
  CHECK(ran.exit_code == 1);
  const json results = results_in(out);
  const auto reason = [&](size_t cell) { return results["cells"][cell]["reason"].get<std::string>(); };
  REQUIRE(results["cells"].size() == 9);
  CHECK(results["cells"][0]["status"] == "done");
  for (size_t cell = 1; cell < 9; ++cell) CHECK(results["cells"][cell]["status"] == "failed");
  CHECK_THAT(reason(1), Contains("crashed with SIGSEGV"));
  CHECK_THAT(reason(2), Contains("took longer than 3 s"));
  CHECK_THAT(reason(3), Contains("needed more than 1000 MiB"));
  CHECK_THAT(reason(4), Contains("exit code 3"));
  CHECK_THAT(reason(5), Contains("crashed with SIG"));
  CHECK_THAT(reason(6), Contains("decoder/wrong-value"));
  CHECK_THAT(reason(7), Contains("MiB to its log"));
  CHECK_THAT(reason(8), Contains("no-such-decoder"));
  CHECK_THAT(bytes_of(out + "/tables.md"), Contains("failed"));

  // They are kept, unless asked for again.
  const Ran again = concord({"compare", file, "--out", out});
  CHECK(again.exit_code == 1);
  CHECK_THAT(again.err, !Contains("[1/"));
  CHECK_THAT(concord({"compare", file, "--out", out, "--retry-failed"}).err, Contains("[8/8]"));
}

TEST_CASE("a dry run shows the cells and does nothing") {
  const Ran ran = concord({"compare", config("dry.toml", kMethods), "--dry-run", "--out", folder("dry")});
  INFO(ran.err);
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("planted/spectral-attractive") && Contains("4 cells to do, about"));
  CHECK_FALSE(fs::exists(folder("dry")));

  // What fails when it runs is a row then, and has no estimate now.
  const Ran crash =
      concord({"compare",
               config("dry-crash.toml", "[train]\nloss = \"hamming\"\n[method.crash]\ntrain.decoder = \"" +
                                            fake("segfault-in-solve") + "\"\n"),
               "--dry-run"});
  INFO(crash.err);
  CHECK(crash.exit_code == 0);
  CHECK_THAT(crash.out, Contains("planted/crash") && Contains("-         to do"));
}

TEST_CASE("names may be shared by methods and solvers, by files in several folders, and by patterns") {
  const fs::path place = fs::path(scratch()) / "odd [1]* names";
  for (const char* part : {"g1", "g2"}) {
    fs::create_directories(place / part);
    std::ofstream(place / part / "x.json") << "{\"A\": [[0, 1], [1, 0]], \"b\": [1, " << part[1] << "]}";
  }
  const std::string text = bytes_of(config(
      "shared.toml",
      "[compare]\nbaseline = \"ovr\"\n[method.ovr]\ntrain.method = \"ovr\"\n[method.exact]\n"
      "train.decoder = \"exact\"\ntrain.loss = \"hamming\"\ntrain.epochs = 1\n"
      "[problems.planted]\nfiles = [\"*/x.json\", \"g1/x.json\"]\n[solver.exact]\ndecoder = \"exact\"\n"));
  std::ofstream(place / "shared.toml") << text;
  const Ran ran = concord({"compare", (place / "shared.toml").string(), "--out", folder("shared")});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  const json results = results_in(folder("shared"));
  CHECK(results["cells"][1]["versus"].contains("ovr"));
  REQUIRE(results["solves"][0]["results"].size() == 2);
  CHECK(results["solves"][0]["results"][0]["problem"] == "g1/x.json");
  CHECK(results["solves"][0]["results"][1]["problem"] == "g2/x.json");
}

TEST_CASE("solvers are compared on files of every format") {
  const std::string graph = scratch_file("triangle.mc", "3 3\n1 2 1\n2 3 1\n1 3 1\n");
  scratch_file("small.json", R"({"A": [[0, 0.5], [0.5, 0]], "b": [1, 0.25], "cardinality": 1})");
  const std::string file = scratch_file(
      "solvers.toml",
      "[problems.mixed]\nfiles = [\"triangle.mc\", \"small.json\"]\n[solver.exact]\ndecoder = \"exact\"\n"
      "[solver.cut]\ndecoder = \"min-cut\"\n[solver.sdp]\ndecoder = \"sdp-mixing\"\nrounding = \"sign\"\n");
  const Ran ran = concord({"compare", file, "--out", folder("solvers"), "--json"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  const json results = json::parse(ran.out);
  REQUIRE(results["solves"].size() == 3);
  CHECK(results["solves"][0]["results"][0]["value"] == results["solves"][0]["results"][0]["bound"]);
  // What a decoder cannot take is a row of its own, and the rest goes on.
  CHECK(results["solves"][1]["results"][0]["status"] == "unsupported");
  CHECK(results["solves"][2]["results"].size() == 2);
}

}  // namespace cli::compare_test
