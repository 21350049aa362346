// SPDX-License-Identifier: MIT
// What is written is read again, bit for bit; what means the same is read as the same.
#include <catch2/catch.hpp>
#include <limits>
#include <set>
#include <sstream>

#include <concord/kit/rng.hpp>

#include "data/files.hpp"
#include "data_support.hpp"

namespace concord::data_roundtrip_test {

using namespace concord::test;

namespace {

std::string odd_name(kit::Rng& rng, std::set<std::string>& taken) {
  static const std::string letters = "abcXYZ019 _-/;.,:#@%?{}()[]<>&'\"\\\t\n\r=\x01\xc3\xbc\xff";
  std::string name;
  do {
    name.clear();
    for (uint64_t n = 1 + rng.below(6); n > 0; --n) name += letters[rng.below(letters.size())];
  } while (!taken.insert(name).second);
  return name;
}

double odd_number(kit::Rng& rng) {
  switch (rng.below(6)) {
    case 0:
      return 0;
    case 1:
      return static_cast<double>(rng.below(7)) - 3;
    case 2:
      return rng.normal() * 1e-310;  // subnormal
    case 3:
      return rng.normal() * 1e300;
    case 4:
      return -0.0;
    default:
      return rng.normal();
  }
}

/// Odd names, numbers of all magnitudes, empty rows and empty label sets.
Dataset random_dataset(kit::Rng& rng, bool sparse) {
  const auto N = static_cast<int64_t>(1 + rng.below(8)), d = static_cast<int64_t>(1 + rng.below(8)),
             V = static_cast<int64_t>(1 + rng.below(6));
  std::set<std::string> taken;
  Dataset data;
  data.name = odd_name(rng, taken);
  taken.clear();
  for (int64_t j = 0; j < d; ++j) data.feature_names.push_back(odd_name(rng, taken));
  for (int64_t v = 0; v < V; ++v) data.label_names.push_back(odd_name(rng, taken));
  data.Y = LabelMatrix::Constant(V, N, int8_t{-1});
  for (int64_t i = 0; i < N; ++i)
    for (int64_t v = 0; v < V; ++v)
      if (rng.below(3) == 0) data.Y(v, i) = 1;
  RowMatrix X(N, d);
  for (int64_t i = 0; i < N; ++i)
    for (int64_t j = 0; j < d; ++j) X(i, j) = odd_number(rng);
  if (!sparse) {
    data.X = Features(std::move(X));
  } else {
    SparseMatrix S(N, d);
    for (int64_t i = 0; i < N; ++i)
      for (int64_t j = 0; j < d; ++j)
        if (X(i, j) != 0) S.insert(i, j) = X(i, j);
    S.makeCompressed();
    data.X = Features(S);
  }
  return data;
}

bool same(const Dataset& a, const Dataset& b) {
  return same_numbers(a.X, b.X) && a.Y.rows() == b.Y.rows() && a.Y.cols() == b.Y.cols() &&
         (a.Y == b.Y).all() && a.feature_names == b.feature_names && a.label_names == b.label_names;
}

/// Through an InstanceReader, `chunk` at a time, put together again.
Dataset streamed(const std::string& text, const ExpectedColumns& expected, int64_t chunk) {
  std::istringstream in(text);
  const auto reader = instance_reader(in, "stream", DataFormat::detect, expected);
  std::vector<Dataset> parts;
  for (Dataset part = reader->read(chunk); part.instances() > 0; part = reader->read(chunk)) {
    CHECK(part.instances() <= chunk);
    parts.push_back(part);
  }
  CHECK(reader->read(chunk).instances() == 0);
  Dataset all = parts.at(0);
  int64_t N = 0;
  for (const Dataset& part : parts) N += part.instances();
  RowMatrix X(N, all.features());
  LabelMatrix Y(all.labels(), N);
  int64_t at = 0;
  for (const Dataset& part : parts) {
    CHECK(part.X.is_sparse() == all.X.is_sparse());
    X.middleRows(at, part.instances()) = dense_of(part.X);
    Y.middleCols(at, part.instances()) = part.Y;
    at += part.instances();
  }
  all.X = Features(std::move(X));
  all.Y = std::move(Y);
  return all;
}

Dataset read_text(const Folder& folder, const std::string& arff, const std::vector<std::string>& labels) {
  DataSource source;
  source.file = folder.write("t.arff", arff);
  source.labels = folder.write("t.xml", label_xml_text(labels));
  return read_dataset(source);
}

}  // namespace

TEST_CASE("ARFF with XML: written and read again, whole or streamed", "[data]") {
  kit::Rng rng(1);
  const Folder folder;
  for (int trial = 0; trial < 400; ++trial) {
    const bool sparse = trial % 2 == 0;
    const Dataset data = random_dataset(rng, sparse);
    write_arff(data, folder / "x-train.arff", folder / "x.xml");
    const Dataset again = read_dataset({folder / "x-train.arff", {}, DataFormat::detect});
    INFO(arff_text(data));
    CHECK(same(data, again));
    CHECK(again.name == data.name);
    CHECK(again.X.is_sparse() == sparse);
    const ExpectedColumns columns = columns_of(data);
    CHECK(same(data, read_dataset({folder / "x-train.arff", {}, DataFormat::arff}, &columns)));
    CHECK(same(data, streamed(arff_text(data), columns, 1 + static_cast<int64_t>(rng.below(4)))));
    // Written again, it is the same text.
    CHECK(arff_text(again) == arff_text(data));
  }
}

TEST_CASE("LIBSVM: written and read again, whole or streamed", "[data]") {
  kit::Rng rng(2);
  const Folder folder;
  for (int trial = 0; trial < 400; ++trial) {
    Dataset data = random_dataset(rng, true);
    data.Y(data.labels() - 1, data.instances() - 1) = 1;  // or V would be unknown
    data.feature_names.clear();
    data.label_names.clear();
    for (int64_t v = 0; v < data.labels(); ++v) data.label_names.push_back(std::to_string(v));
    write_dataset(data, DataFormat::libsvm, folder / "x.libsvm");
    const Dataset again = read_dataset({folder / "x.libsvm", {}, DataFormat::detect});
    INFO(libsvm_text(data));
    CHECK(same(data, again));
    CHECK(again.name == "x");
    CHECK(again.X.is_sparse());
    CHECK(same(data, streamed(libsvm_text(data), columns_of(data), 1 + static_cast<int64_t>(rng.below(4)))));

    // The names and sizes of another dataset are taken over.
    ExpectedColumns columns = columns_of(data);
    columns.features += 3;
    columns.label_names.push_back("more");
    const Dataset wider = read_dataset({folder / "x.libsvm", {}, DataFormat::libsvm}, &columns);
    CHECK(wider.features() == data.features() + 3);
    CHECK(wider.label_names == columns.label_names);
    CHECK((wider.Y.bottomRows(1) == -1).all());
  }
}

TEST_CASE("a sparse ARFF file means what the dense one means", "[data]") {
  // Nominal attributes included: an omitted value is the first one.
  kit::Rng rng(3);
  const Folder folder;
  const std::string head =
      "@relation r\n@attribute n numeric\n@attribute l1 {0,1}\n@attribute count {2,0,1}\n"
      "@attribute colour {red,'dark blue',green}\n@attribute l2 {1,0}\n@attribute flag {0,1}\n@data\n";
  const std::vector<std::vector<std::string>> values = {{"0", "0.5", "-2e3"}, {"0", "1"},
                                                        {"2", "0", "1"},      {"red", "'dark blue'", "green"},
                                                        {"1", "0"},           {"0", "1"}};
  for (int trial = 0; trial < 100; ++trial) {
    std::string dense = head, sparse = head, mixed = head;
    for (int i = 0; i < 5; ++i) {
      std::string dense_row, sparse_row;
      for (size_t a = 0; a < values.size(); ++a) {
        const size_t choice = rng.below(values[a].size());
        dense_row += (a == 0 ? "" : ",") + values[a][choice];
        if (choice > 0 || rng.below(3) == 0)
          sparse_row += (sparse_row.empty() ? "" : ", ") + std::to_string(a) + " " + values[a][choice];
      }
      dense += dense_row + "\n";
      sparse += "{" + sparse_row + "}\n";
      mixed += i % 2 == 0 ? dense_row + "\n" : "{ " + sparse_row + " }\n";
    }
    const Dataset a = read_text(folder, dense, {"l2", "l1"}), b = read_text(folder, sparse, {"l2", "l1"}),
                  c = read_text(folder, mixed, {"l2", "l1"});
    INFO(sparse);
    CHECK(same(a, b));
    CHECK(same(a, c));
    CHECK(!a.X.is_sparse());
    CHECK(b.X.is_sparse());
    CHECK(a.feature_names ==
          std::vector<std::string>{"n", "count", "colour=red", "colour=dark blue", "colour=green", "flag"});
    CHECK(a.label_names == std::vector<std::string>{"l2", "l1"});
    CHECK((dense_of(a.X).middleCols(2, 3).rowwise().sum().array() == 1).all());
  }
}

TEST_CASE("ARFF as it is found", "[data]") {
  const Folder folder;
  const Dataset data = read_text(folder,
                                 "\xEF\xBB\xBF% a comment\r\n\r\n@RELATION  my data  \r\n"
                                 "@Attribute - {0,1}\r\n@attribute / REAL\n@attribute 0; Integer % odd\n"
                                 "@attribute TAG_m\\'usica{0,1}\n@ATTRIBUTE\t'it\\'s a \"name\"'\tnumeric\n"
                                 "@attribute \"it's\" {0, 1 }\n@attribute 100% numeric\n@DATA\n"
                                 "{ }\n{}   \n  {1 +0.5,3 1 , 4\t-1E-3}% rest\n\n% {0 9}\n{ 0 '1', 2 7,6 3}",
                                 {"it's", "TAG_m\\'usica"});
  CHECK(data.name == "my data");
  CHECK(data.feature_names == std::vector<std::string>{"-", "/", "0;", "it's a \"name\"", "100%"});
  Eigen::MatrixXd X(4, 5);
  X << 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, .5, 0, -.001, 0, 1, 0, 7, 0, 3;
  CHECK(dense_of(data.X) == X);
  LabelMatrix Y(2, 4);
  Y << -1, -1, -1, -1, -1, -1, 1, -1;
  CHECK((data.Y == Y).all());
}

TEST_CASE("LIBSVM as it is found", "[data]") {
  const Folder folder;
  const auto read = [&](const std::string& text) {
    return read_dataset({folder.write("t.txt", text), {}, DataFormat::detect});
  };
  const Dataset data = read("# two\n\n3,1 1:0.5\t7:1e-3 # end\n 2:+1\n \n0\n  # nothing\n2  4:-1  \r\n");
  CHECK(data.instances() == 5);
  CHECK(data.features() == 7);
  CHECK(data.label_names == std::vector<std::string>{"0", "1", "2", "3"});
  CHECK(data.feature_names.empty());
  CHECK(data.X.sparse().coeff(0, 6) == 1e-3);
  CHECK(data.X.sparse().coeff(1, 1) == 1);
  CHECK(data.X.sparse().coeff(4, 3) == -1);
  CHECK(positives_per_label(data.Y) == std::vector<int64_t>{1, 1, 1, 1});
  CHECK((data.Y.col(1) == -1).all());
  CHECK((data.Y.col(2) == -1).all());
}

TEST_CASE("a line may come in pieces of any size", "[data]") {
  // A buffer that gives one byte at a time, as a slow pipe would.
  struct Slow : std::streambuf {
    explicit Slow(std::string t) : text(std::move(t)) {}
    int_type underflow() override {
      if (at == text.size()) return traits_type::eof();
      setg(&text[at], &text[at], &text[at] + 1);
      ++at;
      return traits_type::to_int_type(*gptr());
    }
    std::string text;
    size_t at = 0;
  };
  kit::Rng rng(5);
  const Dataset data = random_dataset(rng, true);
  Slow slow(arff_text(data));
  std::istream in(&slow);
  const auto reader = instance_reader(in, "pipe", DataFormat::detect, columns_of(data));
  CHECK(same(reader->read(std::numeric_limits<int64_t>::max()), data));
}

TEST_CASE("rows to predict need no labels", "[data]") {
  ExpectedColumns expected{2, {"a", "b"}, {"l", "m"}};
  std::istringstream arff("@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n");
  const Dataset data = instance_reader(arff, "-", DataFormat::detect, expected)->read(9);
  CHECK(data.label_names == expected.label_names);
  CHECK((data.Y == -1).all());
  CHECK(data.labels() == 2);
  std::istringstream libsvm(" 1:1 2:2\n");
  CHECK((instance_reader(libsvm, "-", DataFormat::detect, expected)->read(9).Y == -1).all());
  std::istringstream half(
      "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute m {0,1}\n@data\n");
  CHECK_THAT(refusal([&] { instance_reader(half, "-", DataFormat::detect, expected); }),
             Catch::Contains("label 'l' is not an attribute") && Catch::Contains("1 of 2 labels"));
}

}  // namespace concord::data_roundtrip_test
