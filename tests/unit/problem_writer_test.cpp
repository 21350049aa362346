// SPDX-License-Identifier: MIT
// Problems written and read again are the same bits; rows as users name them; files written piece by piece.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>

#include "base/files.hpp"
#include "data/dataset.hpp"
#include "problem/files.hpp"
#include "support.hpp"

namespace concord::problem_writer_test {

using namespace concord::test;
using Catch::Contains;

namespace {

void check_same(const Eigen::MatrixXd& A, const Eigen::VectorXd& c) {
  const CanonicalProblem read = parse_problem(problem_text(A, c), "test", ProblemFormat::json);
  const Eigen::MatrixXd B = read.A.to_dense();
  REQUIRE(B.rows() == A.rows());
  REQUIRE(B == A);
  REQUIRE(read.c == c);
  REQUIRE_FALSE(read.k);
}

}  // namespace

TEST_CASE("a written problem is read back to the bit") {
  kit::Rng rng(51);
  for (const double density : {0.0, 0.1, 0.5, 1.0})
    for (int repeat = 0; repeat < 20; ++repeat) {
      const auto V = static_cast<int64_t>(1 + rng.below(9));
      const CanonicalProblem problem = random_problem(rng, V, PriorSign::any, repeat % 2 == 0, density);
      Eigen::MatrixXd A = problem.A.to_dense();
      check_same(A, problem.c);
      A(V - 1, V - 1) = rng.normal();  // a learned diagonal
      check_same(A, problem.c);
    }
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2, 2);
  A(0, 1) = A(1, 0) = std::numeric_limits<double>::denorm_min();
  check_same(A, Eigen::Vector2d(0.1 + 0.2, -1e299));
  A(0, 1) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(problem_text(A, Eigen::Vector2d::Zero()), Contains("not finite"));
}

TEST_CASE("rows are numbers and ranges") {
  const auto rows = [](const std::string& text) { return parse_rows("--rows", text, 30); };
  CHECK(rows("0,5,10-13") == std::vector<int64_t>{0, 5, 10, 11, 12, 13});
  CHECK(rows("29") == std::vector<int64_t>{29});
  CHECK(rows("7,3") == std::vector<int64_t>{7, 3});
  for (const char* wrong :
       {"", ",", "1,", "x", "-1", "3-", "-3", "5-3", "1--2", "1 ", "1.5", "99999999999999999999"})
    CHECK_THROWS_WITH(rows(wrong), Contains("neither a row nor a range"));
  CHECK_THROWS_WITH(rows("1,30"), Contains("there is no row 30") && Contains("30 instances"));
  CHECK_THROWS_WITH(rows("0-9223372036854775807"), Contains("there is no row"));
  CHECK_THROWS_WITH(rows("1-4,3"), Contains("row 3 is there twice"));
}

TEST_CASE("a file appears whole or not at all") {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("concord-files-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const auto file = folder / "out.csv";
  write_file_atomically(file, "old");
  {
    AtomicFile out(file);
    out.write("new ");
    CHECK(read_whole_file(file) == "old");
  }  // never committed
  CHECK(read_whole_file(file) == "old");
  {
    AtomicFile out(file);
    out.write("new ");
    out.write("text");
    out.commit();
  }
  CHECK(read_whole_file(file) == "new text");
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);  // nothing is left over
  CHECK_THROWS_WITH(AtomicFile(folder / "missing" / "x"), Contains("missing/x: cannot be written"));
  AtomicFile special("/dev/null");  // cannot be replaced, only written
  special.write("text");
  special.commit();
  CHECK(std::filesystem::is_character_file("/dev/null"));
  std::filesystem::remove_all(folder);
}

}  // namespace concord::problem_writer_test
