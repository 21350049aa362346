// SPDX-License-Identifier: MIT
// concord train, as a user runs it.
#include "tests/unit/places.hpp"
#include "training.hpp"

namespace cli::train_test {
using namespace training;
namespace {

void refused(const std::string& text, int code, const std::string& sentence) {
  const std::string file = config("refused.toml", text);
  const Ran ran = concord({"train", file, "--model", model("refused.model")});
  INFO(text << "\n" << ran.err);
  CHECK(ran.exit_code == code);
  CHECK_THAT(ran.err, Contains(sentence));
  CHECK(ran.out.empty());
  CHECK_FALSE(fs::exists(model("refused.model")));
}

}  // namespace

TEST_CASE("train selects, refits, says whether the prior helped, and predicts") {
  const std::string file = config("grid.toml", kSmall);
  const Ran ran = concord({"train", file, "--model", model("a.model"), "--log", model("a.log")});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("did the prior help? ") && Contains("with A = 0 (paired difference") &&
                          Contains("(of 4 cells)") && Contains("proven duality gap"));
  CHECK_THAT(ran.err, Contains("epoch 6/6") || Contains("epoch 3/3"));
  CHECK_FALSE(fs::exists(model("a.model.checkpoint")));
  const std::string log = bytes_of(model("a.log"));
  CHECK_THAT(log, Contains(R"("event":"winner")") && Contains(R"("event":"epoch")"));
  for (size_t from = 0; from < log.size();) {
    const size_t end = log.find('\n', from);
    CHECK(json::parse(log.substr(from, end - from)).contains("event"));
    from = end + 1;
  }
  const Ran scored =
      concord({"evaluate", "--model", model("a.model"), "--data", data() + "-test.arff", "--json"});
  INFO(scored.err);
  REQUIRE(scored.exit_code == 0);
  CHECK(json::parse(scored.out)["example-f1-loss"].get<double>() < 0.6);
  const Ran again = concord({"train", file, "--model", model("b.model"), "--quiet", "--json"});
  REQUIRE(again.exit_code == 0);
  CHECK(again.err.empty());
  const json record = json::parse(again.out);
  CHECK(record["selection"]["cells"].size() == 4);
  CHECK(record["prior"]["measured"] == true);
  CHECK(bytes_of(model("a.model")) == bytes_of(model("b.model")));
}

TEST_CASE("describe config: every key with type, default, range, choices and contradictions") {
  const Ran ran = concord({"describe", "config", "--json"});
  REQUIRE(ran.exit_code == 0);
  const json keys = json::parse(ran.out).at("keys");
  const auto key = [&](const std::string& section, const std::string& name) {
    for (const json& one : keys)
      if (one.at("section") == section && one.at("key") == name) return one;
    return json();
  };
  CHECK(key("train", "lambda_w").at("default") == 0.01);
  CHECK(key("train", "lambda_w").at("minimum") == 0);
  CHECK(key("train", "lambda_w").at("excludes_minimum") == true);
  CHECK(key("run", "threads").at("maximum") == 256);
  CHECK(key("train", "prior").at("choices").at(1).at("name") == "attractive");
  CHECK(key("train", "hinge").at("refused").size() == 1);
  CHECK(key("data", "train").at("default").is_null());
  const Ran text = concord({"describe", "config"});
  CHECK_THAT(text.out, Contains("[predict]\n") && Contains("integer 0 to 256; default 0"));
  CHECK(concord({"describe", "config", "--toml"}).exit_code == 2);
}

TEST_CASE("every --json has the same record of a plugin and of the host") {
  const std::string file = config("records.toml",
                                  "[train]\ndecoder = { name = \"decoder/spectral\", prune = false }\nloss = "
                                  "{ name = \"f-beta\", beta = 1 }\nepochs = 1\n[select]\nholdout = 0\n");
  const json trained = json_of({"train", file, "--model", model("records.model"), "--quiet"});
  const json scores =
      json_of({"evaluate", "--model", model("records.model"), "--data", data() + "-test.arff"});
  for (const json& record : {trained.at("plugins").at(0), scores.at("plugins").at(0)}) {
    CHECK(record.at("plugin") == "decoder/spectral");
    CHECK(record.at("build").is_string());
    CHECK(record.at("options").at("prune") == false);  // typed
  }
  // By its declaration: a real number stays one where its text is that of an integer.
  CHECK(trained.at("plugins").at(1).at("options").at("beta").is_number_float());
  CHECK(trained.at("host") == scores.at("host"));
  CHECK(scores.at("host").at("build").is_string());

  const json described = json::parse(concord({"describe", "decoder/spectral", "--json"}).out);
  CHECK(described.at("build") == scores.at("plugins").at(0).at("build"));
  CHECK(described.at("capabilities").at("prior") == "any");
  bool has_prune = false;
  for (const json& option : described.at("options"))
    has_prune = has_prune || (option.at("name") == "prune" && option.at("default") == true);
  CHECK(has_prune);
  const json listed = json::parse(concord({"plugins", "--json"}).out);
  for (const json& row : listed.at("plugins")) CHECK(row.at("build").is_string());
}

TEST_CASE("every method trains, with any number of threads to the same bits") {
  for (const char* method :
       {"epochs = 3\nmethod = \"bcfw\"\nbatch = 70\nprior = \"repulsive\"",
        "epochs = 3\nmethod = \"subgradient\"\nbatch = 70\nprior = \"any\"\nwarm_start = true",
        "method = \"ovr\"", "method = \"ovr\"\nhinge = \"hinge\"",
        "epochs = 3\ndecoder = \"modular\"\nloss = \"hamming\"",
        "epochs = 3\ndecoder = \"exhaustive\"\nprior = \"attractive\"\nloss = \"hamming\""}) {
    const std::string file =
        config("method.toml", std::string("[train]\n") + method +
                                  "\n[select]\nfolds = 3\n[predict]\nthreshold = \"per-label\"\n");
    std::string first;
    for (const char* threads : {"1", "2", "4"}) {
      const Ran ran = concord({"train", file, "--model", model("t.model"), "--quiet", "--set",
                               std::string("run.threads=") + threads});
      INFO(method << "\n" << ran.err);
      REQUIRE(ran.exit_code == 0);
      const std::string bytes = bytes_of(model("t.model"));
      if (first.empty()) first = bytes;
      CHECK(bytes == first);
    }
  }
  const std::string file =
      config("per-label.toml",
             "[train]\nmethod = \"ovr\"\nlambda_w = [1e-4, 1e-2, 1]\n[select]\nlambda_per_label = true\n");
  const Ran ran = concord({"train", file, "--model", model("l.model"), "--quiet", "--json"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK(json::parse(ran.out)["selection"]["cells"][0]["lambda_w_per_label"].size() == 6);
}

TEST_CASE("configs that contradict themselves or the plugins are refused before any work") {
  refused("[train]\ndecoder = \"modular\"\nprior = \"any\"\n", 2,
          "decoder/modular takes the priors \"none\" only");
  refused("[train]\ndecoder = \"modular\"\ndiagonal = true\n", 2, "there is no prior to learn it for");
  refused("[train]\ndecoder = \"exhaustive\"\ndiagonal = true\n", 2,
          "decoder/exhaustive makes no use of a diagonal");
  refused("[train]\ndecoder = \"spectrl\"\n", 3, "spectral");
  refused("[train]\ndecoder = { name = \"spectral\", prun = true }\n", 2, "prune");
  refused("[select]\nholdout = 0\n[predict]\nthreshold = \"tuned\"\n", 2, "needs validation");
  refused("[train]\nlambda_w = [1, 2]\n[select]\nholdout = 0\n", 2, "leaves nothing to choose by");
  refused("[select]\nmetric = \"example-f1\" \nfolds = 500\n", 2, "cannot be divided into 500 parts");
  refused("[select]\nmetric = \"exampel-f1-loss\"\n", 2, "did you mean example-f1-loss?");
  refused("[select]\nmetric = \"loss/hammin\"\n", 2, "did you mean hamming?");
  refused("[select]\nmetric = { name = \"loss/weighted-hamming\", label_weights = [1, 2] }\n", 5,
          "label_weights has 2 weights");
  const Ran none = concord({"train", scratch_file("none.toml", "[data]\ntrain = \"absent.arff\"\n"),
                            "--model", model("none.model")});
  CHECK(none.exit_code == 4);
  CHECK_THAT(none.err, Contains("absent.arff"));
  refused("[predict]\ndecoder = \"modular\"\n", 2, "decoder/modular cannot take a prior of sign \"any\"");
  const Ran nothing =
      concord({"train", scratch_file("no-data.toml", "[train]\nepochs = 1\n"), "--model", model("n.model")});
  CHECK(nothing.exit_code == 2);
  CHECK_THAT(nothing.err, Contains("data.train is missing"));
  fs::create_directory(model("folder.model"));
  const Ran directory = concord({"train", config("ok.toml", ""), "--model", model("folder.model")});
  CHECK(directory.exit_code == 2);
  CHECK_THAT(directory.err, Contains("this is not a file"));
  const std::string itself = config("itself.toml", "");
  CHECK_THAT(concord({"train", itself, "--model", itself}).err, Contains("named twice"));
  const Ran folder = concord({"train", config("ok.toml", ""), "--model", scratch() + "/no/such/m.model"});
  CHECK(folder.exit_code == 2);
  CHECK_THAT(folder.err, Contains("there is no folder"));
}

TEST_CASE("a loss with an equality row trains with decoders that take it, and is refused by others") {
  const auto train = [](const std::string& name, const std::string& text) {
    const std::string file = config(name + ".toml", "[train]\nloss = \"jaccard\"\nepochs = 3\n" + text);
    return concord({"train", file, "--model", model(name + ".model"), "--plugin-dir", places::fakes()});
  };
  // Before any work, each pair once, all at once.
  const Ran none = train("none", "lambda_w = [0.1, 0.2]\ndecoder = [\"spectral\", \"min-cut\"]\n");
  CHECK(none.exit_code == 2);
  CHECK(none.out.empty());
  CHECK(
      none.err ==
      "concord: decoder/spectral cannot be trained with loss/jaccard: the loss needs an equality row of "
      "zeros and ones, and the decoder takes only a cardinality (its capability constraints)\n"
      "         decoder/min-cut cannot be trained with loss/jaccard: the loss needs an equality row of zeros "
      "and ones, and the decoder takes none (its capability constraints)\n");
  CHECK_FALSE(fs::exists(model("none.model")));
  refused("[train]\nloss = \"f-beta\"\ndecoder = \"min-cut\"\n", 2,
          "decoder/min-cut cannot be trained with loss/f-beta: the loss needs a cardinality");

  CHECK(train("modular", "decoder = \"modular\"\n").exit_code == 0);
  const Ran any = train("exhaustive", "decoder = \"exhaustive\"\n");
  INFO(any.err);
  CHECK(any.exit_code == 0);
  CHECK_THAT(any.out, Contains("did the prior help?") && Contains("proven duality gap"));
}

TEST_CASE("odd data train and are scored without NaN") {
  const auto scored = [](const std::string& rows, const std::string& text) {
    const std::string file =
        scratch_file("odd-train.arff",
                     "@relation odd\n@attribute f numeric\n@attribute g numeric\n@attribute always {0,1}\n"
                     "@attribute never {0,1}\n@data\n" +
                         rows);
    scratch_file("odd.xml", "<labels><label name=\"always\"/><label name=\"never\"/></labels>");
    for (const char* method : {"method = \"bcfw\"", "method = \"subgradient\"", "method = \"ovr\""}) {
      const std::string toml = scratch_file(
          "odd.toml", "[data]\ntrain = \"odd-train.arff\"\n[train]\n" + std::string(method) + "\n" + text);
      const Ran ran = concord({"train", toml, "--model", model("odd.model"), "--quiet"});
      INFO(method << rows << ran.err);
      REQUIRE(ran.exit_code == 0);
      CHECK(ran.out.find("nan") == std::string::npos);
      const Ran result = concord({"evaluate", "--model", model("odd.model"), "--data", file, "--json"});
      REQUIRE(result.exit_code == 0);
      CHECK(json::parse(result.out)["example-f1-loss"].is_number());
    }
  };
  scored("1,2,1,0\n", "");                                                           // a single instance
  scored("1,2,1,0\n2,1,1,0\n", "");                                                  // a hold-out of one
  scored("0,0,1,0\n0,0,0,0\n0,0,1,0\n", "[preprocess]\nscale = \"standardise\"\n");  // no features, no labels
  scored("1,2,1,0\n2,1,1,0\n0,1,1,0\n1,1,0,0\n",
         "[select]\nfolds = 4\n[predict]\nthreshold = \"per-label\"\n");
}

TEST_CASE("training that diverges is said to") {
  const std::string file = config("diverges.toml",
                                  "[train]\nmethod = \"subgradient\"\nlambda_w = 1e-7\nlambda_a = 1e-7\n"
                                  "epochs = 1\n[select]\nholdout = 0\n");
  const Ran ran = concord({"train", file, "--model", model("d.model"), "--quiet", "--json"});
  CHECK(ran.exit_code == 0);
  CHECK(json::parse(ran.out)["warnings"].size() == 1);
  CHECK_THAT(ran.err, Contains("training seems to diverge: the objective"));
}

TEST_CASE("a verdict by a metric that is no mean over instances says what its difference is of") {
  const std::string file = config("micro.toml", "[train]\nepochs = 2\n[select]\nmetric = \"micro-f1\"\n");
  const Ran ran = concord({"train", file, "--model", model("micro.model"), "--quiet"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("validation micro-f1") && Contains("paired difference of example-f1-loss"));
}

TEST_CASE("a loss plugin that is a metric in other words selects the same model") {
  const auto trained = [](const std::string& name, const std::string& metric) {
    const std::string file = config(
        name + ".toml",
        "[train]\nepochs = 3\nlambda_w = [10, 0.01]\n[predict]\nthreshold = \"tuned\"\n[select]\nmetric = " +
            metric + "\n");
    const Ran ran = concord({"train", file, "--model", model(name + ".model"), "--quiet", "--json"});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    return json::parse(ran.out);
  };
  const json by_name = trained("by-name", "\"example-f1-loss\""),
             by_loss = trained("by-loss", "\"loss/f-beta\"");
  const json &one = by_name["selection"], &other = by_loss["selection"];
  CHECK(other["metric"] == "loss/f-beta");
  CHECK(other["winner"] == one["winner"]);
  for (size_t c = 0; c < 2; ++c) {
    CHECK(other["cells"][c]["value"].get<double>() == Approx(one["cells"][c]["value"].get<double>()));
    CHECK(other["cells"][c]["error"].get<double>() == Approx(one["cells"][c]["error"].get<double>()));
    CHECK(other["cells"][c]["thresholds"] == one["cells"][c]["thresholds"]);
  }
  CHECK(by_loss["prior"]["paired_on"] == "loss/f-beta");
  CHECK(by_loss["prior"]["difference"].get<double>() == Approx(by_name["prior"]["difference"].get<double>()));
}

TEST_CASE("a run that was interrupted in its refit is resumed to the model of one that was not") {
  const std::string file = config("resumed.toml", "[train]\nepochs = 4000\n[select]\nholdout = 0\n");
  RunOptions options;
  options.interrupt_after = 0.8;
  const Ran part = concord({"train", file, "--model", model("r.model"), "--quiet"}, options);
  INFO(part.err);
  if (part.exit_code == 130) {  // a fast machine may be done
    CHECK(fs::exists(model("r.model.checkpoint")));
    REQUIRE(concord({"train", file, "--model", model("r.model"), "--quiet", "--resume"}).exit_code == 0);
  }
  REQUIRE(concord({"train", file, "--model", model("s.model"), "--quiet"}).exit_code == 0);
  CHECK(bytes_of(model("r.model")) == bytes_of(model("s.model")));
}

TEST_CASE("a planted prior is found again, and beats one-versus-rest with a tuned threshold", "[.full]") {
  for (const char* seed : {"1", "2", "3"}) {
    const Ran ran = concord({"demo", "--seed", seed, "--json"});
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    const json demo = json::parse(ran.out);
    CHECK(demo["signs_right"] == 10);
    CHECK(demo["scores"][2]["example-f1-loss"].get<double>() <
          demo["scores"][1]["example-f1-loss"].get<double>());
  }
}

TEST_CASE("a plugin that fails or lies while training is named, with exit code 5") {
  const auto caught = [](const std::string& key, const std::string& name) {
    const std::string file =
        config("fault.toml", "[train]\n" + key + " = \"" + name + "\"\n" +
                                 (key == "loss" ? "decoder = \"exhaustive\"\n" : "loss = \"hamming\"\n") +
                                 "epochs = 2\n");
    const Ran ran =
        concord({"train", file, "--model", model("fault.model"), "--plugin-dir", places::fakes(), "--quiet"});
    const std::string kind = key == "loss" ? "loss/" : "decoder/";
    INFO(name << "\n" << ran.err);
    CHECK(ran.exit_code == 5);
    CHECK_THAT(ran.err, Contains(kind + name));
    CHECK_FALSE(fs::exists(model("fault.model")));
    fs::remove(model("fault.model.checkpoint"));
  };
  for (const char* name :
       {"create",      "prepare",          "strange-status", "solve",       "throws",        "throws-int",
        "max-rank",    "nan-value",        "nan-factor",     "wrong-value", "wrong-rank",    "fractional",
        "false-bound", "infinite-bound",   "result-status",  "forgets",     "result-failed", "infeasible",
        "stops",       "undeclared-bound", "counts"})
    caught("decoder", name);
  for (const char* name : {"no-subproblems", "unfilled-family", "odd-beta", "throws-in-describe"})
    caught("loss", name);
}

TEST_CASE("--threads takes the place of run.threads, and changes no bit") {
  const std::string file = config("threads.toml", kSmall);
  std::string first;
  for (const char* threads : {"1", "3"}) {
    REQUIRE(
        concord({"train", file, "--model", model("j.model"), "--quiet", "--threads", threads}).exit_code ==
        0);
    if (first.empty()) first = bytes_of(model("j.model"));
    CHECK(bytes_of(model("j.model")) == first);
  }
  const Ran wrong = concord({"train", file, "--model", model("j.model"), "--threads", "many"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("--threads many"));
}

TEST_CASE("a model that has not converged is said to be such, and the prior is not said to help") {
  const std::string file = config("open.toml", "[train]\nlambda_w = 1e-4\nlambda_a = 1e-3\nepochs = 3\n");
  const Ran ran = concord({"train", file, "--model", model("open.model")});
  INFO(ran.err << ran.out);
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out,
             Contains("\nnot converged: gap ") && Contains(" %, try train.epochs = ") &&
                 Contains("did the prior help? cannot be told, as fits have not converged: validation ") &&
                 Contains("not converged in selection: gap "));
  CHECK(ran.err.find("validation 0") == std::string::npos);  // it does not change from epoch to epoch
  refused("[train]\nmethod = \"subgradient\"\ntol = 0.1\n", 2, "train.tol");
  refused("[train]\ntol = 0\n", 2, "train.tol");
  refused("[predict]\nnormalise = true\n", 2, "give predict.threshold");
}

}  // namespace cli::train_test
