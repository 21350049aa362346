// SPDX-License-Identifier: MIT
// Each wrong data file with the place and the words of its refusal.
#include <catch2/catch.hpp>
#include <sstream>

#include "data/arff.hpp"
#include "data/files.hpp"
#include "data_support.hpp"
#include "refusals.hpp"

namespace concord::data_refusals_test {

using namespace concord::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

const std::string kHead =
    "@relation r\n@attribute a numeric\n@attribute c {x,y}\n@attribute l {0,1}\n@data\n";

}  // namespace

TEST_CASE("Wrong ARFF files are refused", "[data]") {
  const Folder folder;
  folder.write("f.xml", "<labels><label name='l'/></labels>");
  const std::string file = (folder / "f.arff").string();
  for (const Refusal& row : refusals("arff.txt", {}, kHead)) {
    folder.write("f.arff", row.text);
    check_message(row, file, refusal([&] { read_dataset({file, {}, DataFormat::detect}); }));
  }
}

TEST_CASE("Wrong LIBSVM files are refused", "[data]") {
  const Folder folder;
  const std::string file = (folder / "f.txt").string();
  for (const Refusal& row : refusals("libsvm.txt")) {
    folder.write("f.txt", row.text);
    check_message(row, file, refusal([&] { read_dataset({file, {}, DataFormat::libsvm}); }));
  }
  CHECK_THAT(refusal([&] {
               read_dataset({file, "f.xml", DataFormat::libsvm});
             }),
             Contains("leave out f.xml"));
}

TEST_CASE("Wrong XML files are refused", "[data]") {
  for (const Refusal& row : refusals("labels-xml.txt"))
    check_message(row, "f.xml", refusal([&] { parse_label_xml(row.text, "f.xml"); }));
}

TEST_CASE("A hierarchy of labels is flattened, and entities are letters", "[data]") {
  const auto labels = parse_label_xml(
      "<?xml version='1.0' encoding='ISO-8859-1'?><!-- ours -->\n<labels xmlns='x'><label name='a'><label "
      "name='b &amp; &lt;c&gt;'/></label>\n<label name='\xfc'></label></labels>\n",
      "f");
  std::vector<std::string> names;
  for (const LabelName& label : labels) names.push_back(label.name);
  CHECK(names == std::vector<std::string>{"a", "b & <c>", "\xfc"});
  CHECK(labels[2].place == "f:3:1");
  // Nesting costs no stack.
  std::string deep = "<labels>";
  for (int i = 0; i < 20000; ++i) deep += "<label name='" + std::to_string(i) + "'>";
  for (int i = 0; i < 20000; ++i) deep += "</label>";
  CHECK(parse_label_xml(deep + "</labels>", "f").size() == 20000);
}

TEST_CASE("Labels of the XML that the ARFF lacks are named", "[data]") {
  const Folder folder;
  folder.write("f.arff", kHead + "1,x,0\n");
  folder.write("f.xml", "<labels>\n<label name='l'/>\n<label name='L2'/>\n<label name='m'/></labels>");
  const std::string message = refusal([&] { read_dataset({folder / "f.arff", {}, DataFormat::detect}); });
  CHECK_THAT(message, StartsWith((folder / "f.xml").string() + ":3:1: label 'L2' is not an attribute of ") &&
                          Contains("2 of 3 labels"));
}

TEST_CASE("Other attributes or labels than expected are refused, by name", "[data]") {
  const Folder folder;
  folder.write("f.xml", "<labels><label name='l'/></labels>");
  const std::string file = folder.write("f.arff", kHead + "1,x,0\n").string();
  const auto read = [&](const ExpectedColumns& expected, bool with_xml = false) {
    return refusal([&] {
      read_dataset({file, with_xml ? folder / "f.xml" : std::filesystem::path(), DataFormat::detect},
                   &expected);
    });
  };
  CHECK(read({3, {"a", "c=x", "c=y"}, {"l"}}).empty());
  CHECK(read({3, {}, {"l"}}).empty());
  CHECK_THAT(
      read({3, {"a", "c=y", "c=x"}, {"l"}}),
      StartsWith(file +
                 ":3:12: the training data have 3 features, the file 3, in another order: feature 2 is "
                 "'c=x', and there 'c=y'"));
  CHECK_THAT(
      read({2, {"a", "c=x"}, {"l"}}),
      StartsWith(file +
                 ":3:12: the training data have 2 features, the file 3; not in the training data: 'c=y'"));
  CHECK_THAT(read({4, {"a", "c=x", "c=y", "d"}, {"l"}}),
             StartsWith(file + ":5:1: the training data have 4 features, the file 3; not in the file: 'd'"));
  CHECK_THAT(read({4, {}, {"l"}}), StartsWith(file + ":5:1: the training data have 4 features, the file 3"));
  // Labels come before features, where the file says which it has.
  ExpectedColumns model{3, {"a", "c=x", "c=y"}, {"l", "m"}};
  model.owner = "the model";
  CHECK_THAT(read(model), StartsWith((folder / "f.xml").string() +
                                     ":1:9: the model has 2 labels, the file 1; not in the file: 'm'"));
  CHECK_THAT(read({3, {"a", "c=x", "c=y"}, {"m"}}, true),
             StartsWith((folder / "f.xml").string() +
                        ":1:9: the training data have 1 labels, the file 1; not in the "
                        "file: 'm'; not in the training data: 'l'"));
  // A stream says the same.
  std::istringstream in(kHead);
  CHECK_THAT(
      refusal([&] {
        instance_reader(in, "standard input", DataFormat::arff, {2, {"a", "b"}, {"l"}});
      }),
      StartsWith("standard input:3:12: the training data have 2 features, the file 3; not in the file: 'b'"));
  std::istringstream line("0 1:1\n2 3:1\n");
  const auto reader = instance_reader(line, "standard input", DataFormat::libsvm, {2, {}, {"l", "m"}});
  CHECK(reader->read(1).instances() == 1);
  CHECK_THAT(refusal([&] { reader->read(1); }), StartsWith("standard input:2:1: label '2' is out of range"));
}

TEST_CASE("Files that cannot be read are refused", "[data]") {
  const Folder folder;
  CHECK_THAT(refusal([&] {
               read_dataset({folder / "none.arff", {}, DataFormat::detect});
             }),
             Contains("No such file"));
  CHECK_THAT(refusal([&] { read_dataset({folder / "", {}, DataFormat::detect}); }), Contains("directory"));
  CHECK_THAT(refusal([&] { parse_data_format("arf"); }), Contains("did you mean arff?"));
}

}  // namespace concord::data_refusals_test
