// SPDX-License-Identifier: MIT
// Trainings that are stopped, cut off or killed, and resumed.
#include <csignal>
#include <fstream>
#include <random>

#include "training.hpp"

namespace cli::train_resume_test {
using namespace training;

TEST_CASE("an interrupted run leaves a model or says why not, and an unfinished one is not overwritten") {
  const std::string file =
      config("long.toml", "[train]\nepochs = 100000\n[select]\nholdout = 0\n[run]\ncheckpoint = 0\n");
  RunOptions options;
  options.interrupt_after = 1.5;
  const Ran ran = concord({"train", file, "--model", model("i.model")}, options);
  INFO(ran.err);
  CHECK(ran.exit_code == 130);
  CHECK_THAT(ran.err, Contains("interrupted"));
  CHECK_THAT(ran.out, Contains("did the prior help? not measured"));
  CHECK(concord({"evaluate", "--model", model("i.model"), "--data", data() + "-test.arff"}).exit_code == 0);
  const Ran again = concord({"train", file, "--model", model("i.model")});
  CHECK(again.exit_code == 2);
  CHECK_THAT(again.err, Contains("from an unfinished run. --resume continues it, --restart starts anew"));
  const Ran other = concord({"train", config("other.toml", kSmall), "--model", model("i.model"), "--resume"});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, Contains("another config, other data or other plugins. --restart starts anew"));
  CHECK(concord({"train", config("other.toml", kSmall), "--model", model("i.model"), "--restart", "--quiet"})
            .exit_code == 0);
  const Ran absent = concord({"train", file, "--model", model("absent.model"), "--resume"});
  CHECK(absent.exit_code == 2);
  CHECK_THAT(absent.err, Contains("there is no checkpoint") && Contains("Leave --resume out"));
}

TEST_CASE("a time limit ends training as an interruption does, and the run can be resumed") {
  const std::string endless = "[train]\nepochs = 1000000000\n[run]\ncheckpoint = 0\n";
  const Ran selecting = concord({"train", config("endless.toml", endless), "--model", model("e.model"),
                                 "--quiet", "--time-limit", "0.3"});
  INFO(selecting.err);
  CHECK(selecting.exit_code == 130);
  CHECK_THAT(selecting.err,
             Contains("the time limit ended training during selection: there is no model yet"));
  CHECK_FALSE(fs::exists(model("e.model")));

  const std::string file = config("limit.toml", endless + "[select]\nholdout = 0\n");
  const Ran ran =
      concord({"train", file, "--model", model("l.model"), "--quiet", "--json", "--time-limit", "2"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 130);
  CHECK_THAT(ran.err, Contains("the time limit ended training: the model is what the refit had reached; "
                               "--resume continues after epoch "));
  const json first = json::parse(ran.out);
  CHECK(first.at("interrupted") == true);
  CHECK(concord({"evaluate", "--model", model("l.model"), "--data", data() + "-test.arff"}).exit_code == 0);
  const json second = json::parse(concord({"train", file, "--model", model("l.model"), "--quiet", "--json",
                                           "--resume", "--time-limit", "2"})
                                      .out);
  CHECK(second.at("epochs").get<int64_t>() > first.at("epochs").get<int64_t>());

  const Ran wrong = concord({"train", file, "--model", model("w.model"), "--time-limit", "0"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Contains("--time-limit 0: must be positive"));
}

namespace {

/// Kills the run at `kills` random moments after it has left a checkpoint, resuming each time, and then lets it end.
void survives_kills(int kills, uint64_t seed) {
  const std::string file = config("killed.toml", std::string(kSmall) + "[run]\ncheckpoint = 0\n");
  const std::string whole = model("whole.model"), killed = model("killed.model");
  const std::string checkpoint = killed + ".checkpoint";
  const auto train = [&](const std::string& to, bool resume, const RunOptions& options) {
    std::vector<std::string> words = {
        "train", file, "--model", to, "--quiet", "--set", "train.epochs=[200, 400]"};
    if (resume) words.emplace_back("--resume");
    const Ran ran = concord(words, options);
    INFO(ran.err);
    CHECK((ran.exit_code == 0 || (options.kill_once_exists == checkpoint && ran.exit_code == 128 + SIGKILL)));
    return ran.exit_code == 0;
  };
  REQUIRE(train(whole, false, {}));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> seconds(0, 0.3);
  int resumed = 0;
  bool complete = false;
  for (int k = 0; k < kills && !complete; ++k) {
    RunOptions options;
    options.kill_once_exists = checkpoint;
    options.kill_after = k == 0 ? 0 : seconds(random);
    const bool resume = fs::exists(checkpoint);
    complete = train(killed, resume, options);
    resumed += resume ? 1 : 0;
  }
  if (!complete) {
    REQUIRE(fs::exists(checkpoint));
    REQUIRE(train(killed, true, {}));
    ++resumed;
  }
  CHECK(resumed > 0);
  CHECK(bytes_of(whole) == bytes_of(killed));
}

}  // namespace

TEST_CASE("kill -9 and --resume give the same model") {
  survives_kills(3, 1);
}

TEST_CASE("kill -9 at fifty moments gives the same model", "[.full]") {
  survives_kills(50, 2);
}

}  // namespace cli::train_resume_test
