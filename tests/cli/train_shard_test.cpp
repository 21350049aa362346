// SPDX-License-Identifier: MIT
// A selection in shards, merged to the model of one run.
#include <csignal>
#include <fstream>

#include "training.hpp"

namespace cli::train_shard_test {
using namespace training;

namespace {

std::string shard_of(const std::string& name, int index, int count) {
  return model(name) + ".shard-" + std::to_string(index) + "-of-" + std::to_string(count);
}

Ran train_shard(const std::string& file, const std::string& name, const std::string& shard,
                const RunOptions& options = {}) {
  return concord({"train", file, "--model", model(name), "--quiet", "--shard", shard}, options);
}

Ran merge(const std::string& file, const std::string& name, const std::vector<std::string>& shards) {
  std::vector<std::string> words = {"train", file, "--model", model(name), "--quiet", "--merge"};
  words.insert(words.end(), shards.begin(), shards.end());
  return concord(words);
}

}  // namespace

TEST_CASE("shards of a training merge to the model of one run") {
  const std::string file = config("shards.toml", kSmall);
  REQUIRE(concord({"train", file, "--model", model("one.model"), "--quiet"}).exit_code == 0);
  for (const int count : {1, 3, 20}) {  // 20: more than there are fits
    std::vector<std::string> shards;
    for (int i = count; i >= 1; --i) {
      const Ran ran = train_shard(file, "parts.model", std::to_string(i) + "/" + std::to_string(count));
      INFO(ran.err);
      REQUIRE(ran.exit_code == 0);
      CHECK_THAT(ran.out, Contains("cells tried"));
      CHECK_FALSE(fs::exists(model("parts.model")));
      CHECK_FALSE(fs::exists(shard_of("parts.model", i, count) + ".checkpoint"));
      shards.push_back(shard_of("parts.model", i, count));
    }
    const Ran ran = merge(file, "parts.model", shards);
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    CHECK(bytes_of(model("parts.model")) == bytes_of(model("one.model")));
    fs::remove(model("parts.model"));
  }
}

TEST_CASE("a shard that is cut off is resumed, and a merge that is cut off too") {
  const std::string file = config("cut.toml", std::string(kSmall) + "[run]\ncheckpoint = 0\n");
  REQUIRE(concord({"train", file, "--model", model("whole.model"), "--quiet"}).exit_code == 0);
  const std::string shard = shard_of("cut.model", 1, 1), checkpoint = shard + ".checkpoint";
  RunOptions options;
  options.kill_once_exists = checkpoint;
  const Ran killed = train_shard(file, "cut.model", "1/1", options);
  REQUIRE(killed.exit_code == 128 + SIGKILL);
  CHECK_THAT(train_shard(file, "cut.model", "1/1").err,
             Contains("--resume continues it, --restart starts anew"));
  const Ran resumed =
      concord({"train", file, "--model", model("cut.model"), "--quiet", "--shard", "1/1", "--resume"});
  INFO(resumed.err);
  REQUIRE(resumed.exit_code == 0);
  REQUIRE(merge(file, "cut.model", {shard}).exit_code == 0);
  CHECK(bytes_of(model("cut.model")) == bytes_of(model("whole.model")));
}

TEST_CASE("a merge says what is wrong with a shard") {
  const std::string file = config("refused.toml", kSmall);
  for (const char* shard : {"1/3", "2/3", "1/2"})
    REQUIRE(train_shard(file, "refused.model", shard).exit_code == 0);
  const std::string first = shard_of("refused.model", 1, 3), second = shard_of("refused.model", 2, 3),
                    half = shard_of("refused.model", 1, 2);
  const auto refused = [&](const std::string& with, const std::vector<std::string>& shards,
                           const std::string& why) {
    const Ran ran = merge(with, "refused.model", shards);
    CHECK(ran.exit_code == 2);
    CHECK_THAT(ran.err, Contains(why));
    CHECK_FALSE(fs::exists(model("refused.model")));
  };
  refused(file, {first, second}, "shard 3 of 3 is missing. --shard I/N makes the I-th of N");
  refused(file, {first, second, first}, first + ": shard 1 of 3 is given twice");
  refused(file, {first, half}, half + ": this is shard 1 of 2, and " + first + " is one of 3");
  refused(config("otherwise.toml", std::string(kSmall) + "[select]\nfolds = 3\n"), {first},
          first + ": the shard belongs to a run with another config");
  const std::string other = planted_data("other", 150, 0);
  refused(scratch_file("data.toml", "[data]\ntrain = \"" + other + "-train.arff\"\n" + kSmall),
          {first, second}, second + ": the shard belongs to a run with other data");
  std::string damaged = bytes_of(first);
  damaged[damaged.size() / 2] ^= 1;
  const std::string broken = scratch_file("broken.shard", damaged),
                    short_one = scratch_file("short.shard", damaged.substr(0, 20));
  refused(file, {broken}, broken + ": the shard is damaged");
  refused(file, {short_one}, short_one + ": the shard is damaged");
  refused(file, {file}, file + ": this is no shard of training");
  CHECK(merge(file, "refused.model", {scratch() + "/absent"}).exit_code == 4);

  CHECK_THAT(train_shard(file, "refused.model", "4/3").err,
             Contains("--shard 4: expected an integer from 1 to 3"));
  CHECK_THAT(train_shard(config("nothing.toml", "[train]\nepochs = 2\n[select]\nholdout = 0\n"),
                         "refused.model", "1/2")
                 .err,
             Contains("there is no selection to divide"));
  CHECK_THAT(
      concord({"train", file, "--model", model("refused.model"), "--shard", "1/3", "--merge", first}).err,
      Contains("give one of them"));
}

}  // namespace cli::train_shard_test
