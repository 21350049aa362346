// SPDX-License-Identifier: MIT
// Data as people have them: CSV, NumPy, XC text and MEKA's ARFF; missing values.
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include <concord/kit/rng.hpp>

#include "data/columns.hpp"
#include "data/csv.hpp"
#include "data/files.hpp"
#include "data/numpy.hpp"
#include "data_support.hpp"
#include "refusals.hpp"

namespace concord::data_tables_test {
using namespace concord::test;
using Catch::Contains;
using Catch::StartsWith;

Dataset csv(const Folder& folder, const std::string& text, const std::string& labels,
            const std::string& ignore = "") {
  return read_dataset({folder.write("t.csv", text), labels, DataFormat::detect, ignore});
}

TEST_CASE("A CSV file with mixed columns", "[data]") {
  const Folder folder;
  const std::string text =
      "id,age,\"home, town\",member,tag_a,tag_b\n"
      "x1,31,Rome,True,1,0\n"
      "x2,,Paris,false,0,1.0\n"
      "\n"
      "x3, 4.5e1 ,\"Old \"\"T\"\"\",True,True,NA\n";
  CHECK_THAT(refusal([&] { csv(folder, text, "tag_*", "id"); }),
             Contains("t.csv:5:") && Contains("'tag_b' is missing"));
  const Dataset data = csv(folder, text.substr(0, text.size() - 3) + "0\n", "tag_*", "id");
  CHECK(data.feature_names == std::vector<std::string>{"age", "home, town=Old \"T\"", "home, town=Paris",
                                                       "home, town=Rome", "member"});
  CHECK(data.label_names == std::vector<std::string>{"tag_a", "tag_b"});
  REQUIRE(data.instances() == 3);
  CHECK(std::isnan(data.X.dense()(1, 0)));
  CHECK(data.X.dense()(2, 0) == 45);
  CHECK(data.X.dense().row(2).tail(4) == Eigen::RowVector4d(1, 0, 0, 1));
  CHECK(data.Y(0, 2) == 1);
  CHECK(data.Y(1, 1) == 1);
  CHECK(data.Y(1, 0) == -1);
  // Labels by names, by position, and in another order of the file.
  CHECK(csv(folder, "a,b,l\n1,2,1\n", "l").features() == 2);
  CHECK(csv(folder, "a;b;l\n1;2;1\n", "last:1").feature_names == std::vector<std::string>{"a", "b"});
  CHECK(csv(folder, "l\tm\ta\n1\t0\t3\n", "first:2").label_names == std::vector<std::string>{"l", "m"});

  // New rows go by name, in any order; labels may be absent, and unknown values are missing where missing ones are filled.
  ExpectedColumns expected = columns_of(data);
  expected.ignore = "id";
  expected.owner = "the model";
  const auto read = [&](const std::string& rows) {
    std::istringstream in(rows);
    return instance_reader(in, "new", DataFormat::csv, expected)->read(9);
  };
  const Dataset moved = read("member,\"home, town\",age,id\nFalse,Rome,3,9\n");
  CHECK(moved.X.dense().row(0) == (Eigen::RowVectorXd(5) << 3, 0, 0, 1, 0).finished());
  CHECK((moved.Y == -1).all());
  CHECK(std::isnan(read("member,\"home, town\",age\n0,Oslo,3\n").X.dense()(0, 1)));
  expected.takes_missing = false;
  CHECK_THAT(refusal([&] { read("member,\"home, town\",age\n0,Oslo,3\n"); }),
             StartsWith("new:2:3: the value 'Oslo' of column 'home, town' was not in the training data"));
  CHECK_THAT(
      refusal([&] { read("member,\"home, town\",age\n0,Rome,\n"); }),
      StartsWith("new:2:8: the value '' of column 'age' is missing") && Contains("preprocess.missing"));
  CHECK_THAT(
      refusal([&] { read("member,age,height\n0,1,2\n"); }),
      StartsWith("new:1:1: the model has 5 features, the file 3; not in the file: 'home, town=Old \"T\"'") &&
          Contains("not in the model: 'height'"));
  CHECK_THAT(refusal([&] { read("member,\"home, town\",age,tag_a\n0,Rome,1,1\n"); }),
             StartsWith("new:1:1: the model has 2 labels, the file 1; not in the file: 'tag_b'"));
}

TEST_CASE("A quoted cell goes on over several lines", "[data]") {
  const Folder folder;
  const std::string text =
      "\"the\nage\",town,l\r\n"
      "1,\"Old \"\"T\"\"\r\n\nTown\",1\r\n"
      "2, \"Rome\" ,0\r\n";
  const Dataset data = csv(folder, text, "l");
  CHECK(data.feature_names == std::vector<std::string>{"the\nage", "town=Old \"T\"\r\n\nTown", "town=Rome"});
  REQUIRE(data.instances() == 2);
  CHECK(data.X.dense().row(0) == Eigen::RowVector3d(1, 1, 0));
  // Places count the lines of the file, and those of a record too.
  CHECK_THAT(refusal([&] { csv(folder, text + "3,Rome\n", "l"); }),
             Contains("t.csv:7:1: the line has 2 cells"));
  CHECK_THAT(refusal([&] { csv(folder, text + "3,\"a\nb\",7\n", "l"); }),
             Contains("t.csv:8:4: the label 'l' is '7'"));
  CHECK_THAT(refusal([&] { csv(folder, text + "3,\"a\nb,1\n4,Rome,1\n", "l"); }),
             Contains("t.csv:7:3: the quote does not end"));
  // A quote within a cell that does not begin with one opens nothing.
  CHECK(csv(folder, "a,size,l\n1,5\" pipe,1\n2,6\" pipe,0\n", "l").instances() == 2);
}

TEST_CASE("Records over random lines are those that were written", "[data]") {
  kit::Rng rng(11);
  const auto any_of = [&](std::string_view letters) { return letters[rng.below(letters.size())]; };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> cells;
    std::string text;
    const uint64_t rows = 1 + rng.below(5);
    for (uint64_t i = 0; i < rows; ++i) {
      for (int j = 0; j < 3; ++j) {
        std::string cell(1, 'c');  // blanks around a cell are not its own
        for (uint64_t n = rng.below(6); n > 0; --n) cell += any_of("a,\"\n\r ;");
        cell += 'd';
        cells.push_back(cell);
        text += j > 0 ? ",\"" : "\"";
        for (const char letter : cell) text += letter == '"' ? "\"\"" : std::string(1, letter);
        text += '"';
      }
      if (i + 1 < rows || rng.below(2) == 0) text += any_of("x\n") == 'x' ? "\r\n" : "\n";
    }
    std::istringstream in(text);
    TextLines lines(in, "random");
    CsvCells splitter;
    std::vector<std::string> found;
    while (lines.next())
      for (const CsvCell& cell : splitter.split(lines)) found.emplace_back(cell.text);
    CHECK(found == cells);
  }
}

TEST_CASE("Wrong CSV files are refused", "[data]") {
  const Folder folder;
  const std::string file = (folder / "f.csv").string();
  std::string many = "a,name,l\n";
  for (int i = 0; i < 101; ++i) many += fmt::format("1,n{},0\n", i);
  const std::vector<Refusal> table = {
      {"", "1:1", {"empty"}},
      {"a,,l\n1,2,1\n", "1:3", {"column 2 has no name"}},
      {"a,b,a\n", "1:5", {"column 3 is named 'a', as column 1 is"}},
      {"a,b,l\n1,2\n", "2:1", {"2 cells", "3 columns"}},
      {"a,b,l\n1,\"2,1\n", "2:3", {"the quote does not end"}},
      {"a,b,l\n1,\"2\"x,1\n", "2:6", {"','"}},
      {"a,b,l\n1,2,2\n", "2:5", {"the label 'l' is '2'", "0 or 1"}},
      {"a,b,l\n1,2,x\n", "2:5", {"the label 'l' is 'x'"}},
      {"a,b,l\n1,1e999,1\n", "2:3", {"'1e999' is not a finite number", "'b'"}},
      {"a,b,l\n1,inf,1\n", "2:3", {"'inf' is not a finite number"}},
      {many, "102:3", {"column 'name' is text with more than 100 different values", "'n100'", "--ignore"}},
      {"a,b,m\n1,2,1\n", "1:1", {"there is no column 'l'"}},
      {"l\n1\n", "1:1", {"none is left as a feature"}},
      {"a,a=x,l\nx,1,1\n", "1:1", {"the feature 'a=x' is there twice"}},
      {"a,l\n", "1:1", {"no instances"}},
  };
  for (const Refusal& row : table) {
    folder.write("f.csv", row.text);
    check_message(row, file, refusal([&] { read_dataset({file, "l", DataFormat::csv}); }));
  }
  folder.write("f.csv", "a,l\n1,1\n");
  CHECK_THAT(refusal([&] { read_dataset({file, {}, DataFormat::detect}); }), Contains("--labels last:5"));
  CHECK_THAT(refusal([&] {
               read_dataset({file, "t*", DataFormat::detect});
             }),
             Contains("no column fits the pattern 't*'"));
  CHECK_THAT(refusal([&] {
               read_dataset({file, "last:3", DataFormat::detect});
             }),
             Contains("3 columns are asked for"));
  CHECK_THAT(refusal([&] {
               read_dataset({file, "l", DataFormat::detect, "l"});
             }),
             Contains("cannot be ignored"));
  CHECK_THAT(refusal([&] {
               read_dataset({file, "l", DataFormat::detect, "first:1"});
             }),
             Contains("by its place"));
}

Dataset random_data(kit::Rng& rng, bool sparse, bool missing) {
  DatasetBuilder builder(sparse);
  const auto d = static_cast<int64_t>(1 + rng.below(8)), V = static_cast<int64_t>(1 + rng.below(5));
  for (int64_t i = 0; i < static_cast<int64_t>(1 + rng.below(12)); ++i) {
    for (int64_t j = 0; j < d; ++j)
      if (!sparse || rng.below(3) == 0)
        builder.feature(
            j, missing && rng.below(5) == 0 ? std::nan("") : rng.normal() * std::pow(10, rng.normal()));
    for (int64_t v = 0; v < V; ++v)
      if (rng.below(3) == 0) builder.label(v);
    builder.end_row();
  }
  Dataset data;
  builder.finish(d, V, data);
  for (int64_t v = 0; v < V; ++v) data.label_names.push_back(std::to_string(v));
  return data;
}

/// The same numbers, missing ones at the same places.
bool same(const Dataset& a, const Dataset& b) {
  const Eigen::MatrixXd x = dense_of(a.X), y = dense_of(b.X);
  return x.rows() == y.rows() && x.cols() == y.cols() && a.Y.rows() == b.Y.rows() && (a.Y == b.Y).all() &&
         (x.array() == y.array() || (x.array().isNaN() && y.array().isNaN())).all();
}

TEST_CASE("What is written in a format is read again, with the same bits", "[data]") {
  const Folder folder;
  kit::Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    const bool sparse = rng.below(2) == 0, missing = rng.below(2) == 0;
    const Dataset data = random_data(rng, sparse, missing);
    for (const auto& [name, format] :
         {std::pair("x.csv", DataFormat::csv), std::pair("x.tsv", DataFormat::csv),
          std::pair("x.npy", DataFormat::numpy), std::pair("x.npz", DataFormat::numpy),
          std::pair("x.arff", DataFormat::arff), std::pair("x.xc", DataFormat::xc)}) {
      if (missing && format == DataFormat::xc) continue;
      INFO(name << " round " << round);
      write_dataset(data, format, folder / name);
      DataSource source{folder / name, {}, DataFormat::detect};
      if (format == DataFormat::csv) source.labels = fmt::format("last:{}", data.labels());
      CHECK(same(data, read_dataset(source)));
      std::filesystem::remove(folder / "x-labels.npy");
      std::filesystem::remove(folder / "x-labels.npz");
    }
  }
}

TEST_CASE("Formats without a word for it refuse to write what is missing", "[data]") {
  const Folder folder;
  Dataset data;
  DatasetBuilder builder(false);
  builder.feature(0, std::nan(""));
  builder.label(0);
  builder.end_row();
  builder.finish(1, 1, data);
  data.label_names = {"l"};
  for (const DataFormat format : {DataFormat::libsvm, DataFormat::xc})
    CHECK_THAT(refusal([&] { write_dataset(data, format, folder / "x"); }),
               Contains("has no missing values"));
}

TEST_CASE("XC text", "[data]") {
  const Folder folder;
  const std::string text = "4 3 2\n0,1 0:0.5 2:1\n 1:2\n1\n\n";
  const Dataset data = read_dataset({folder.write("x.txt", text), {}, DataFormat::detect});
  REQUIRE(data.instances() == 4);
  CHECK(data.features() == 3);
  CHECK(data.X.sparse().coeff(0, 0) == 0.5);
  CHECK(data.X.sparse().coeff(0, 2) == 1);
  CHECK(data.Y.col(0).minCoeff() == 1);
  CHECK((data.Y.col(1) == -1).all());  // a row without labels
  CHECK((data.Y.col(3) == -1).all());
  const std::string file = (folder / "x.txt").string();
  const std::vector<Refusal> table = {
      {"2 3\n", "1:1", {"'2 3' is not 'N d V'"}},
      {"2 3 -1\n", "1:1", {"is not 'N d V'"}},
      {"1 3 70000\n0 0:1\n", "1:1", {"70000 labels", "65536"}},
      {"2 3 2\n0 0:1\n", "2:1", {"announces 2 instances", "there are 1"}},
      {"1 3 2\n0 0:1\n1 0:1\n", "3:1", {"announces 1 instances"}},
      {"1 3 2\n0 3:1\n", "2:3", {"index '3' is out of range", "counted from 0"}},
      {"1 3 2\n2 0:1\n", "2:1", {"label '2' is out of range"}},
  };
  for (const Refusal& row : table) {
    folder.write("x.txt", row.text);
    check_message(row, file, refusal([&] { read_dataset({file, {}, DataFormat::xc}); }));
  }
  ExpectedColumns model{3, {}, {"a", "b", "c"}};
  model.owner = "the model";
  folder.write("x.txt", "1 3 2\n0 0:1\n");
  CHECK_THAT(refusal([&] {
               read_dataset({file, {}, DataFormat::detect}, &model);
             }),
             StartsWith(file + ":1:1: the model has 3 labels and 3 features, the file 2 and 3"));
}

TEST_CASE("The labels of MEKA stand in the name of the relation", "[data]") {
  const Folder folder;
  const std::string body = "@attribute a {0,1}\n@attribute b {0,1}\n@attribute x real\n@data\n1,0,2\n{2 3}\n";
  const auto labels = [&](const std::string& relation, const std::string& attributes) {
    return read_dataset(
        {folder.write("m.arff", "@relation " + relation + "\n" + attributes), {}, DataFormat::detect});
  };
  CHECK(labels("'music: -C 2'", body).label_names == std::vector<std::string>{"a", "b"});
  const std::string last = "@attribute x real\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n2,1,0\n";
  CHECK(labels("'music: -C -2 -split-percentage 66'", last).label_names ==
        std::vector<std::string>{"a", "b"});
  CHECK(labels("'music: -C -2'", last).feature_names == std::vector<std::string>{"x"});
  CHECK_THAT(refusal([&] { labels("'music: -C 3'", body); }), Contains("-C '3'") && Contains("3 attributes"));
  CHECK_THAT(refusal([&] { labels("'music: -C x'", body); }), Contains("-C 'x'"));
  CHECK_THAT(refusal([&] { labels("music", body); }), Contains(".xml"));
  // An XML beside the file wins: published files carry stale numbers.
  folder.write("m.xml", "<labels><label name='b'/></labels>");
  CHECK(labels("'music: -C 2'", body).label_names == std::vector<std::string>{"b"});
  CHECK(read_dataset({folder / "m.arff", "a", DataFormat::detect}).label_names ==
        std::vector<std::string>{"a"});
}

TEST_CASE("Missing features of an ARFF file are NaN, and refused where nothing fills them", "[data]") {
  const Folder folder;
  folder.write("f.xml", "<labels><label name='l'/></labels>");
  const auto file =
      folder.write("f.arff",
                   "@relation r\n@attribute a real\n@attribute c {x,y}\n@attribute l {0,1}\n@data\n"
                   "?,x,1\n1,?,0\n{0 ?}\n");
  const Dataset data = read_dataset({file, {}, DataFormat::detect});
  CHECK(std::isnan(data.X.dense()(0, 0)));
  CHECK(std::isnan(data.X.dense()(1, 1)));
  CHECK(std::isnan(data.X.dense()(1, 2)));
  CHECK(std::isnan(data.X.dense()(2, 0)));
  ExpectedColumns expected = columns_of(data);
  expected.takes_missing = false;
  CHECK_THAT(refusal([&] {
               read_dataset({file, {}, DataFormat::detect}, &expected);
             }),
             StartsWith(file.string() + ":6:1: the value '?' of attribute 'a' is missing"));
}

TEST_CASE("NumPy files that are not what they say are refused", "[data]") {
  const Folder folder;
  const auto refused = [&](const std::string& bytes) {
    return refusal([&] { read_numpy(bytes, "x.npy", {}, {}, nullptr, false); });
  };
  const std::string eight(8, '\0');
  CHECK_THAT(refused(numpy_bytes("<f8", "(1000000000, 1000000000)", eight)),
             Contains("does not fit its 8 bytes"));
  CHECK_THAT(refused(numpy_bytes("<f8", "(4294967296, 4294967296)", eight)), Contains("does not fit"));
  CHECK_THAT(refused(numpy_bytes("|O", "(1, 1)", eight)), Contains("Python objects"));
  CHECK_THAT(refused(numpy_bytes(">f8", "(1, 1)", eight)), Contains("'>f8'"));
  CHECK_THAT(refused(numpy_bytes("<f8", "(1,)", eight)), Contains("1 dimensions"));
  CHECK_THAT(refused(numpy_bytes("<f8", "(1, 1)", eight)), Contains("its labels are not there"));
  CHECK_THAT(refused("PK\x03\x04 and no more"), Contains("cut off"));
  // A ZIP file whose directory claims more than deflate can hold.
  std::string packed = zip({{"X.npy", numpy_bytes("<f8", "(1, 1)", eight)}});
  const size_t entry = packed.find("PK\x01\x02");
  packed[entry + 10] = 8;                                  // deflated
  packed[packed.size() - 1 - 22 - 20 - 56 - 23] = '\x7f';  // the high byte of the size that it claims
  CHECK_THAT(refused(packed), Contains("x.npy: "));
  // Every prefix and every altered byte of a good file is read or refused, and nothing else.
  const std::string good =
      zip({{"X.npy", numpy_bytes("<f8", "(1, 1)", eight)}, {"Y.npy", numpy_bytes("|b1", "(1, 1)", "\1")}});
  CHECK(read_numpy(good, "x", {}, {}, nullptr, false).labels() == 1);
  for (size_t i = 0; i < good.size(); ++i) {
    CHECK_THAT(refused(good.substr(0, i)), StartsWith("x.npy"));
    std::string altered = good;
    altered[i] = static_cast<char>(altered[i] ^ 0x55);
    const std::string message = refused(altered);
    CHECK((message.empty() || message.starts_with("x.npy")));
  }
  const std::string two = numpy_bytes("<f8", "(1, 1)", std::string("\0\0\0\0\0\0\0@", 8));
  CHECK_THAT(refusal([&] { read_numpy(two, "x.npy", two, "y.npy", nullptr, false); }),
             StartsWith("y.npy: row 0, column 0 (counted from 0): 2 is not a label"));
}

TEST_CASE("Columns are chosen by name, pattern and place", "[data]") {
  const std::vector<std::string> names = {"a", "tag_x", "b", "tag_y"};
  CHECK(chosen_columns("tag_*", names, "f") == std::vector<size_t>{1, 3});
  CHECK(chosen_columns("b,a", names, "f") == std::vector<size_t>{0, 2});
  CHECK(chosen_columns("last:1,*x", names, "f") == std::vector<size_t>{1, 3});
  CHECK(chosen_columns("first:2", names, "f") == std::vector<size_t>{0, 1});
  CHECK_THAT(refusal([&] { chosen_columns("tagx", names, "f:1:1"); }),
             StartsWith("f:1:1: there is no column 'tagx'; did you mean tag_x?"));
}

}  // namespace concord::data_tables_test
