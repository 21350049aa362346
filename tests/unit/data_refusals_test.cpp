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
  const std::vector<Refusal> table = {
      // the head
      {"", "1:1", {"empty"}},
      {" \n\t\r\n", "1:1", {"empty"}},
      {"<labels>", "1:1", {"format is unknown", "'<'", "@relation"}},
      {"@relation r\n", "1:1", {"ends without @data"}},
      {"@relation r\n@relation s\n", "2:1", {"'@relation' is given twice"}},
      {"@relation 'r' s\n", "1:15", {"'s'"}},
      {"@relation 'r\n", "1:11", {"quote is not closed"}},
      {"@relation r\n@attribut a numeric\n", "2:1", {"'@attribut'", "@attribute"}},
      {"@relation r\n1,2\n", "2:1", {"'1,2' is not @relation"}},
      {"@relation r\n@data\n", "2:1", {"before any @attribute"}},
      {"@relation r\n@attribute\n", "2:11", {"needs a name"}},
      {"@relation r\n@attribute '' numeric\n", "2:12", {"needs a name"}},
      {"@relation r\n@attribute %x numeric\n", "2:12", {"needs a name", "quotes"}},
      {"@relation r\n@attribute a\n", "2:13", {"'a' has no type"}},
      {"@relation r\n@attribute a string\n", "2:14", {"'a'", "'string'", "numeric"}},
      {"@relation r\n@attribute a date 'yyyy'\n", "2:14", {"'a'", "'date'"}},
      {"@relation r\n@attribute a relational\n", "2:14", {"'relational'"}},
      {"@relation r\n@attribute a numeric [0,1]\n", "2:22", {"'[0,1]' after the type"}},
      {"@relation r\n@attribute a {}\n", "2:15", {"is empty"}},
      {"@relation r\n@attribute a {x,}\n", "2:17", {"is empty"}},
      {"@relation r\n@attribute a {x,y,x}\n", "2:19", {"'x' twice"}},
      {"@relation r\n@attribute a {x,y\n", "2:18", {"without '}'"}},
      {"@relation r\n@attribute a {x,'y'z}\n", "2:20", {"after a closing quote"}},
      {"@relation r\n@attribute a numeric\n@attribute b real\n@attribute 'a' real\n",
       "4:12",
       {"'a' is declared again", "line 2"}},
      {"@relation r\n@attribute a=x real\n@attribute a {x,y}\n@attribute l {0,1}\n@data\n",
       "3:12",
       {"column 'a=x' is there twice"}},
      {"@relation r\n@attribute l {0,1}\n@data\n", "2:12", {"every attribute is a label"}},
      {"@relation r\n@attribute a real\n@attribute l {0,1,2}\n@data\n", "3:12", {"'l' is {0,1,2}", "{0,1}"}},
      {"@relation r\n@attribute a real\n@attribute l real\n@data\n", "3:12", {"'l' is numeric"}},
      {"@relation r\n@attribute a real\n@attribute l {0,1}\n@data 1,0\n", "4:7", {"after @data"}},
      {std::string("@relation r\n@attr\0ibute", 20), "2:6", {"'\\x00'", "plain text"}},
      // the rows; kHead has five lines
      {kHead, "5:1", {"no instances"}},
      {kHead + "% nothing\n", "6:1", {"no instances"}},
      {kHead + "1,x\n", "6:4", {"ends after 2 values", "3 attributes"}},
      {kHead + "1,x,0,5\n", "6:7", {"goes on after 3 values"}},
      {kHead + "1,x,0,\n", "6:7", {"goes on after 3 values"}},
      {kHead + "1,,0\n", "6:3", {"'' is not a value of attribute 'c'", "{x,y}"}},
      {kHead + ",x,0\n", "6:1", {"'' is not a number", "'a'"}},
      {kHead + "1,x,0\n1,z,0\n", "7:3", {"'z' is not a value of attribute 'c'"}},
      {kHead + "1,x,1.0\n", "6:5", {"'1.0' is not a value of attribute 'l'"}},
      {kHead + "1,x,?\n", "6:5", {"'?' of label 'l' is missing", "0 or 1"}},
      {kHead + "1.2.3,x,0\n", "6:1", {"'1.2.3' is not a number"}},
      {kHead + "0x10,x,0\n", "6:1", {"'0x10' is not a number"}},
      {kHead + "1 2,x,0\n", "6:1", {"'1 2' is not a number"}},
      {kHead + "NaN,x,0\n", "6:1", {"'NaN' is not a finite number", "'a'"}},
      {kHead + " -inf,x,0\n", "6:2", {"'-inf' is not a finite number"}},
      {kHead + "1e999,x,0\n", "6:1", {"'1e999' is not a finite number"}},
      {kHead + "{0 infinity}\n", "6:4", {"'infinity' is not a finite number"}},
      {kHead + "1,'x'y,0\n", "6:6", {"after a closing quote"}},
      {kHead + "1,'x' y,0\n", "6:7", {"where ',' is expected"}},
      {kHead + "{0 1,0 2}\n", "6:6", {"index '0' is there twice"}},
      {kHead + "{1 y,2 1,0 2}\n", "6:10", {"index '0' does not increase"}},
      {kHead + "{3 1}\n", "6:2", {"index '3' is out of range", "from 0 to 2"}},
      {kHead + "{99999999999999999999 1}\n", "6:2", {"out of range"}},
      {kHead + "{-1 1}\n", "6:2", {"'-1' is not the index"}},
      {kHead + "{a 1}\n", "6:2", {"'a' is not the index"}},
      {kHead + "{0}\n", "6:3", {"'' is not a number"}},
      {kHead + "{0 1,}\n", "6:6", {"'' is not the index"}},
      {kHead + "{0 1\n", "6:5", {"'}' is expected"}},
      {kHead + "{0 1 2 1}\n", "6:6", {"',' or '}' is expected"}},
      {kHead + "{0 1}, {2}\n", "6:6", {"after the row", "weights"}},
      {kHead + std::string("1,x\0,0\n", 7), "6:4", {"'\\x00'"}},
  };
  for (const Refusal& row : table) {
    folder.write("f.arff", row.text);
    check_message(row, file, refusal([&] { read_dataset({file, {}, DataFormat::detect}); }));
  }
}

TEST_CASE("Wrong LIBSVM files are refused", "[data]") {
  const Folder folder;
  const std::string file = (folder / "f.txt").string();
  const std::vector<Refusal> table = {
      {"0 1:1\nx 1:1\n", "2:1", {"'x' is not a label"}},
      {"0,\n", "1:3", {"'' is not a label"}},
      {"-1 1:1\n", "1:1", {"'-1' is not a label", "from 0"}},
      {"1.0 1:1\n", "1:1", {"'1.0' is not a label"}},
      {"0,3,0 1:1\n", "1:5", {"label '0' is there twice"}},
      {"65536 1:1\n", "1:1", {"label '65536' is out of range", "65536"}},
      {"99999999999999999999 1:1\n", "1:1", {"not a label"}},
      {"1:1 2:1\n", "1:1", {"'1:1' is not a list of labels", "begins with a blank"}},
      {"0 1\n", "1:3", {"'1' is not of the form index:value"}},
      {"0 0:1\n", "1:3", {"'0' is not the index", "from 1"}},
      {"0 -1:1\n", "1:3", {"'-1' is not the index"}},
      {"0 qid:1\n", "1:3", {"'qid' is not the index"}},
      {"0 1:1 1:2\n", "1:7", {"index '1' is there twice"}},
      {"0 2:1 1:2\n", "1:7", {"index '1' does not increase"}},
      {"0 100000001:1\n", "1:3", {"out of range", "100000000"}},
      {"0 1:\n", "1:5", {"'' is not a number", "feature 1"}},
      {"0 1: 2\n", "1:5", {"'' is not a number"}},
      {"0 1:1,2\n", "1:5", {"'1,2' is not a number"}},
      {"0 1:nan\n", "1:5", {"'nan' is not a finite number"}},
      {"0 1:-Inf\n", "1:5", {"'-Inf' is not a finite number"}},
      {"0 1:1e400\n", "1:5", {"'1e400' is not a finite number"}},
      {"# nothing\n", "1:1", {"no instances"}},
      {"0\n1\n", "2:1", {"no features"}},
      {" 1:1\n", "1:1", {"no labels"}},
      {std::string("0 1:\0001\n", 7), "1:5", {"'\\x00'"}},
  };
  for (const Refusal& row : table) {
    folder.write("f.txt", row.text);
    check_message(row, file, refusal([&] { read_dataset({file, {}, DataFormat::libsvm}); }));
  }
  CHECK_THAT(refusal([&] {
               read_dataset({file, "f.xml", DataFormat::libsvm});
             }),
             Contains("leave out f.xml"));
}

TEST_CASE("Wrong XML files are refused", "[data]") {
  const std::vector<Refusal> table = {
      {"", "1:1", {"no label"}},
      {"<labels></labels>", "1:1", {"no label"}},
      {"<labels>\n<label name='a'>\n</labels>", "3:3", {"not XML", "mismatch"}},
      {"<labels><label name='a'/>", "1:25", {"not XML", "mismatch"}},
      {"<labels>\n<label name=a/></labels>", "2:13", {"not XML"}},
      {"<tags>\n</tags>", "1:1", {"'tags'", "<labels>"}},
      {"<labels>\n <tag name='a'/></labels>", "2:2", {"'tag' is not a <label>"}},
      {"<labels>\n <label/></labels>", "2:2", {"needs a name"}},
      {"<labels>\n <label name=''/></labels>", "2:2", {"needs a name"}},
      {"<labels><label name='a'/>\n<label name='b'><label name='a'/></label></labels>",
       "2:17",
       {"'a' is given again", "f.xml:1:9"}},
      {"<labels>text<label name='a'/></labels>", "1:9", {"the text 'text'"}},
      {"<labels><label name='a'/></labels>\n<labels/>", "2:1", {"second root element"}},
      {"<labels><label name='a'/></labels>\nrest", "2:1", {"the text 'rest'"}},
      {std::string("<labels><label name='a\0'/></labels>", 35), "1:23", {"'\\x00'"}},
  };
  for (const Refusal& row : table)
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
