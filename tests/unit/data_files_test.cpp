// SPDX-License-Identifier: MIT
// Which XML belongs to a file, the published datasets, and statistics.
#include <catch2/catch.hpp>
#include <cmath>

#include <concord/kit/rng.hpp>

#include "base/files.hpp"
#include "data/arff.hpp"
#include "data/dataset.hpp"
#include "data/fetch.hpp"
#include "data/files.hpp"
#include "data_support.hpp"
#include "published.hpp"

namespace concord::data_files_test {

using namespace concord::test;
using Catch::Matchers::Contains;

TEST_CASE("the XML file is found beside the ARFF file", "[data]") {
  const Folder folder;
  const auto found = [&](const std::string& arff) {
    return find_label_xml(folder / arff).filename().string();
  };
  CHECK_THAT(refusal([&] { found("a-train.arff"); }), Contains("a-train.xml") &&
                                                          Contains("no " + (folder / "a.xml").string()) &&
                                                          Contains("no other .xml"));
  folder.write("other.xml", "");
  CHECK(found("a-train.arff") == "other.xml");
  folder.write("another.xml", "");
  CHECK_THAT(refusal([&] { found("a-test.arff"); }), Contains("2 .xml files"));
  folder.write("a.xml", "");
  CHECK(found("a-train.arff") == "a.xml");
  CHECK(found("a-test.arff") == "a.xml");
  CHECK(found("a.arff") == "a.xml");
  folder.write("a-train.xml", "");
  CHECK(found("a-train.arff") == "a-train.xml");
  CHECK(found("a-test.arff") == "a.xml");
}

TEST_CASE("SHA-256 of known texts", "[data]") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abc")[0] == 0xba);
}

TEST_CASE("the published datasets have their published sizes and sums", "[.published]") {
  const auto folder = test::published_folder();
  struct Size {
    const char* name;
    int64_t train, test, features, labels;
    bool sparse;
    double cardinality;  // of all instances, as published
  };
  const Size sizes[] = {{"yeast", 1500, 917, 103, 14, false, 4.237},
                        {"enron", 1123, 579, 1001, 53, true, 3.378},
                        {"medical", 333, 645, 1449, 45, true, 1.245},
                        {"bibtex", 4880, 2515, 1836, 159, true, 2.402},
                        {"delicious", 12920, 3185, 500, 983, true, 19.020}};
  CHECK(published_datasets().size() == std::size(sizes));
  for (const Size& size : sizes) {
    INFO(size.name);
    const auto path = [&](const std::string& file) { return folder / size.name / file; };
    for (const PublishedFile& file : published_files(size.name))
      CHECK(sha256_hex(read_whole_file(path(file.name))) == file.sha256);
    const std::string name = size.name;
    const Dataset train = read_dataset({path(name + "-train.arff"), {}, DataFormat::detect});
    const ExpectedColumns columns = columns_of(train);
    const Dataset test =
        read_dataset({path(name + "-test.arff"), path(name + ".xml"), DataFormat::detect}, &columns);
    CHECK(train.instances() == size.train);
    CHECK(test.instances() == size.test);
    CHECK(train.features() == size.features);
    CHECK(train.labels() == size.labels);
    CHECK(train.X.is_sparse() == size.sparse);
    const auto positives = static_cast<double>((train.Y > 0).count() + (test.Y > 0).count());
    CHECK(positives / static_cast<double>(size.train + size.test) == Approx(size.cardinality).margin(6e-4));
    CHECK(train.label_names.size() == static_cast<size_t>(size.labels));
  }
}

TEST_CASE("statistics agree with their definitions", "[data]") {
  kit::Rng rng(11);
  for (int trial = 0; trial < 50; ++trial) {
    const auto N = static_cast<int64_t>(1 + rng.below(30)), V = static_cast<int64_t>(1 + rng.below(9));
    Dataset data;
    data.Y.resize(V, N);
    for (int64_t i = 0; i < N; ++i)
      for (int64_t v = 0; v < V; ++v) data.Y(v, i) = rng.below(static_cast<uint64_t>(2 + v)) == 0 ? 1 : -1;
    RowMatrix X(N, 3);
    for (int64_t i = 0; i < N; ++i)
      for (int64_t j = 0; j < 3; ++j) X(i, j) = static_cast<double>(rng.below(2));
    const int64_t nonzeros = (X.array() != 0).count();
    data.X = Features(std::move(X));
    for (int64_t v = 0; v < V; ++v) data.label_names.push_back(std::to_string(v));
    const int64_t limit = 1 + static_cast<int64_t>(rng.below(6));
    const DatasetInfo info = dataset_info(data, limit);
    CHECK(info.nonzeros == nonzeros);
    CHECK(info.positives == positives_per_label(data.Y));
    CHECK(info.cardinality == Approx(static_cast<double>((data.Y > 0).count()) / static_cast<double>(N)));
    const auto counts = (data.Y > 0).colwise().count().eval();
    CHECK(info.fewest == counts.minCoeff());
    CHECK(info.most == counts.maxCoeff());
    CHECK(info.without_labels == (counts == 0).count());

    // phi is Pearson's correlation of the two rows.
    std::vector<double> positive, negative;
    for (int64_t v = 0; v < V; ++v)
      for (int64_t w = v + 1; w < V; ++w) {
        const Eigen::ArrayXd a = data.Y.row(v).cast<double>(), b = data.Y.row(w).cast<double>();
        const Eigen::ArrayXd da = a - a.mean(), db = b - b.mean();
        const double phi = (da * db).sum() / std::sqrt((da * da).sum() * (db * db).sum());
        if (phi > 1e-9) positive.push_back(phi);
        if (phi < -1e-9) negative.push_back(phi);
      }
    std::sort(positive.rbegin(), positive.rend());
    std::sort(negative.begin(), negative.end());
    positive.resize(std::min<size_t>(positive.size(), static_cast<size_t>(limit)));
    negative.resize(std::min<size_t>(negative.size(), static_cast<size_t>(limit)));
    REQUIRE(info.attracting.size() == positive.size());
    REQUIRE(info.repelling.size() == negative.size());
    for (size_t i = 0; i < positive.size(); ++i) CHECK(info.attracting[i].phi == Approx(positive[i]));
    for (size_t i = 0; i < negative.size(); ++i) CHECK(info.repelling[i].phi == Approx(negative[i]));
    for (const LabelPair& pair : info.attracting)
      CHECK(pair.together == ((data.Y.row(pair.v) > 0) && (data.Y.row(pair.w) > 0)).count());
  }
}

}  // namespace concord::data_files_test
