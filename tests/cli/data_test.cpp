// SPDX-License-Identifier: MIT
// concord data, as a user runs it.
#include <fstream>
#include <sstream>
#include <sys/stat.h>

#include "../unit/published.hpp"
#include "commands.hpp"

namespace cli::data_test {
namespace {

const char* const kArff =
    "@relation tags\n@attribute x numeric\n@attribute beach {0,1}\n@attribute sea {0,1}\n@attribute snow "
    "{0,1}\n"
    "@data\n1,1,1,0\n0.5,1,1,0\n0,0,0,1\n2,0,0,1\n3,0,0,0\n";
const char* const kXml = "<labels><label name='snow'/><label name='sea'/><label name='beach'/></labels>";

std::string tags() {
  scratch_file("tags.xml", kXml);
  return scratch_file("tags-train.arff", kArff);
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Ran data(std::vector<std::string> words, const RunOptions& options = {}) {
  words.insert(words.begin(), "data");
  return concord(words, options);
}

json info(const std::string& file, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"info", file, "--json"});
  const Ran ran = data(more);
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  return json::parse(ran.out);
}

/// The beginning of a script for with_curl() that makes $2 the file to write.
const std::string kFindsOutput = "while [ \"$1\" != --output ]; do shift; done\n";

/// A folder with a program `curl` that is this shell script.
RunOptions with_curl(const std::string& script) {
  const std::string folder = scratch() + "/bin";
  fs::create_directories(folder);
  std::ofstream(folder + "/curl") << "#!/bin/sh\n" << script;
  ::chmod((folder + "/curl").c_str(), 0755);
  RunOptions options;
  options.environment = {"PATH=" + folder + ":/usr/bin:/bin"};
  return options;
}

}  // namespace

TEST_CASE("data lists its sub-verbs, and knows misspelt ones") {
  const Ran help = data({"--help"});
  CHECK(help.exit_code == 0);
  for (const char* verb : {"info", "convert", "generate", "fetch"}) {
    CHECK_THAT(help.out, Contains(verb));
    const Ran one = data({verb, "--help"});
    CHECK(one.exit_code == 0);
    CHECK_THAT(one.out, Contains(std::string("usage: concord data ") + verb));
  }
  refused({"data"}, "needs a sub-verb: info, convert, generate, fetch, problems");
  refused({"data", "generat"}, "did you mean generate?");
  refused({"dta"}, "did you mean data?");
  refused({"data", "info"}, "FILE is missing");
  refused({"data", "info", "x", "--lables", "y"}, "did you mean --labels?");
}

TEST_CASE("info counts, and names the labels that go together") {
  const json r = info(tags());
  CHECK(r["instances"] == 5);
  CHECK(r["features"] == 1);
  CHECK(r["labels"] == 3);
  CHECK(r["sparse"] == false);
  CHECK(r["nonzeros"] == 4);
  CHECK(r["cardinality"].get<double>() == Approx(1.2));
  CHECK(r["label_density"].get<double>() == Approx(0.4));
  CHECK(r["labelsets"] == 3);
  CHECK(r["without_labels"] == 1);
  CHECK(r["label_frequencies"][0] == json({{"label", "snow"}, {"instances", 2}, {"share", 0.4}}));
  CHECK(r["attracting"][0]["labels"] == json({"sea", "beach"}));
  CHECK(r["attracting"][0]["phi"].get<double>() == Approx(1));
  CHECK(r["repelling"][0]["labels"] == json({"snow", "sea"}));
  CHECK(r["repelling"][0]["phi"].get<double>() == Approx(-2.0 / 3));
  const Ran text = data({"info", tags()});
  CHECK_THAT(text.out, Contains("instances    5") && Contains("+1.000") && Contains("sea, beach"));
}

TEST_CASE("info refuses with file, line and column, or says which file is missing") {
  const auto refused = [](const std::vector<std::string>& words, int code, const std::string& sentence) {
    const Ran ran = data(words);
    INFO(ran.err);
    CHECK(ran.exit_code == code);
    CHECK_THAT(ran.err, Contains(sentence));
    CHECK(ran.out.empty());
  };
  const std::string bad = scratch_file("tags-bad.arff", std::string(kArff) + "1,1,NaN,0\n");
  tags();
  refused({"info", bad, "--labels", scratch() + "/tags.xml"}, 2, bad + ":12:5: 'NaN' is not a value");
  refused({"info", scratch() + "/none.arff"}, 4, "none.arff: No such file");
  refused({"info", tags(), "--labels", scratch() + "/none.xml"}, 4, "none.xml: No such file");
  refused({"info", tags(), "--format", "cvs"}, 2, "did you mean csv? (formats: ");
  refused({"info", tags(), "--format", "libsvm"}, 2, ":1:1: '@relation' is not a label");
  fs::create_directories(scratch() + "/alone");
  const std::string alone = scratch_file("alone/a-train.arff", kArff);
  refused({"info", alone}, 2, "no " + scratch() + "/alone/a.xml");
}

TEST_CASE("convert there and back again") {
  const std::string out = scratch() + "/c.libsvm", back = scratch() + "/back.arff";
  const Ran there = data({"convert", tags(), out});
  INFO(there.err);
  CHECK(there.exit_code == 0);
  CHECK(contents(out) == "1,2 1:1\n1,2 1:0.5\n0\n0 1:2\n 1:3\n");
  CHECK(data({"convert", out, back, "--like", tags()}).exit_code == 0);
  CHECK_THAT(contents(back), Contains("@attribute x numeric") && Contains("{0 0.5,2 1,3 1}"));
  CHECK_THAT(contents(scratch() + "/back.xml"), Contains("<label name=\"snow\">"));
  json before = info(tags()), after = info(back);
  for (const char* key : {"file", "name", "sparse"}) {
    before.erase(key);
    after.erase(key);
  }
  CHECK(before == after);

  CHECK_THAT(data({"convert", tags(), scratch() + "/c.dat"}).err, Contains("extension says no format"));
  CHECK(data({"convert", tags(), scratch() + "/c.dat", "--to", "libsvm"}).exit_code == 0);
  CHECK(contents(scratch() + "/c.dat") == contents(out));
  CHECK(data({"convert", tags(), "/nowhere/c.arff"}).exit_code == 4);
  CHECK(data({"convert", tags()}).exit_code == 2);
  const std::string other = scratch_file("other.libsvm", "3 1:1\n");
  const Ran unlike = data({"convert", other, back, "--like", tags()});
  CHECK(unlike.exit_code == 2);
  CHECK_THAT(unlike.err, Contains(other + ":1:1: label '3' is out of range: there are 3 labels"));
  // A label at the end that nobody has is not to be seen in a LIBSVM file.
  const std::string last =
      scratch_file("last.arff", "@relation r\n@attribute a real\n@attribute l {0,1}\n@data\n1,0\n");
  const std::string xml = scratch_file("last.xml", "<labels><label name='l'/></labels>");
  CHECK_THAT(data({"convert", last, out}).out, Contains("no instance has the last label 'l'"));
}

TEST_CASE("generate writes a planted problem, the same for the same seed") {
  const auto generate = [](const std::string& prefix, const std::string& seed,
                           std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"generate", "--instances", "300", "--features", "8", "--labels", "7", "--seed",
                               seed, "--test-instances", "100", "--out", prefix});
    return data(more);
  };
  const std::string a = scratch() + "/a", b = scratch() + "/b", c = scratch() + "/c";
  const Ran ran = generate(a, "5");
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("a-train.arff: 300 instances, 8 features, 7 labels") && Contains("15 pairs"));
  generate(b, "5");
  generate(c, "6");
  for (const char* file : {"-train.arff", "-test.arff", ".xml", "-planted.json"}) {
    CHECK(contents(a + file) == contents(b + file));
    CHECK(!contents(a + file).empty());
  }
  CHECK(contents(a + "-train.arff") != contents(c + "-train.arff"));
  const json train = info(a + "-train.arff"), test = info(a + "-test.arff");
  CHECK(train["instances"] == 300);
  CHECK(test["instances"] == 100);
  const json planted = json::parse(contents(a + "-planted.json"));
  CHECK(planted["pairs"].size() == 15);
  CHECK(planted["pairs"][0]["labels"] == json({"beach", "sea"}));
  CHECK(planted["pairs"][0]["A"].get<double>() < 0);
  CHECK(planted["pairs"][1]["A"].get<double>() > 0);
  CHECK(planted["seed"] == 5);
  CHECK(planted["label_names"][6] == "bread");
  CHECK(train["label_frequencies"][6]["label"] == "bread");

  CHECK(generate(c, "6", {"--density", "0.2", "--noise", "0"}).exit_code == 0);
  CHECK(info(c + "-train.arff")["sparse"] == true);
  CHECK_THAT(generate(c, "6", {"--density", "2", "--noise", "-1"}).err,
             Contains("density 2") && Contains("noise -1"));
  CHECK_THAT(generate(c, "-6").err, Contains("--seed -6"));
  CHECK_THAT(data({"generate", "--instances", "3"}).err, Contains("--features is missing"));
  CHECK(data({"generate", "--instances", "1", "--features", "1", "--labels", "1", "--out", c}).exit_code ==
        0);
  CHECK(data({"generate", "--instances", "0", "--features", "1", "--labels", "1", "--out", c}).exit_code ==
        2);
}

TEST_CASE("fetch keeps what is right, and says what to do where it cannot fetch") {
  const std::string folder = scratch() + "/fetched";
  const Ran offline = data({"fetch", "yeast", "--out", folder}, with_curl("exit 6\n"));
  CHECK(offline.exit_code == 4);
  CHECK_THAT(offline.err,
             Contains("curl ended with exit code 6") && Contains(folder) &&
                 Contains("/mulan/43f6389095ad71984264db4387a8074b22bc7d4a/data/multi-label/yeast/"
                          "yeast-train.arff") &&
                 Contains("c3056cc26444b5158b1588d1b73bec9c45429e10f0957ad085903423cb81f247"));
  const RunOptions no_curl = {.environment = {"PATH=/nowhere"}};
  const Ran without = data({"fetch", "yeast", "--out", folder}, no_curl);
  CHECK(without.exit_code == 4);
  CHECK_THAT(without.err, Contains("'curl' is not there") && Contains("By hand"));
  // Another file than the published one is not kept; nothing is left behind.
  const Ran wrong = data({"fetch", "yeast", "--out", folder}, with_curl(kFindsOutput + "echo x > \"$2\"\n"));
  CHECK(wrong.exit_code == 4);
  CHECK_THAT(wrong.err, Contains("not the published file"));
  CHECK(fs::is_empty(folder));
  const Ran unknown = data({"fetch", "yaest"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("did you mean yeast?"));
}

TEST_CASE("fetch takes the published files, and leaves a changed one alone", "[.published]") {
  const std::string folder = scratch() + "/mirrored";
  const RunOptions no_curl = {.environment = {"PATH=/nowhere"}};
  const fs::path published = ::concord::test::published_folder();
  const RunOptions mirror =
      with_curl(kFindsOutput + "out=$2\nshift 3\ncp " + published.string() + "/yeast/${1##*/} \"$out\"\n");
  const Ran good = data({"fetch", "yeast", "--out", folder}, mirror);
  INFO(good.err);
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, Contains("yeast-train.arff fetched"));
  CHECK(info(folder + "/yeast-train.arff")["instances"] == 1500);
  // Without a network, what is there is enough; a changed file is left alone, and named.
  CHECK_THAT(data({"fetch", "yeast", "--out", folder}, no_curl).out, Contains("yeast.xml was there"));
  std::ofstream(folder + "/yeast.xml", std::ios::app) << " ";
  const Ran changed = data({"fetch", "yeast", "--out", folder}, no_curl);
  CHECK(changed.exit_code == 2);
  CHECK_THAT(changed.err, Contains("yeast.xml: is there, but is not the published file"));
}

}  // namespace cli::data_test
