// SPDX-License-Identifier: MIT
// Each wrong problem file with the place and the words of its refusal.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "problem/files.hpp"
#include "refusals.hpp"

namespace concord::problem_refusals_test {

using namespace concord::test;
using Catch::Matchers::Contains;

namespace {

void check(ProblemFormat format, const std::string& table, const std::vector<Refusal>& more = {}) {
  for (const Refusal& row : refusals(table, more)) {
    CAPTURE(row.text);
    try {
      parse_problem(row.text, "file", format);
      FAIL_CHECK("accepted");
    } catch (const Error& error) {
      CHECK(error.kind() == Fault::input);
      CHECK_THAT(error.what(), !Contains("json.exception"));
      check_message(row, "file", error.what());
    }
  }
}

}  // namespace

TEST_CASE("Wrong JSON problems are refused", "[problem]") {
  const std::string brackets(100'000, '[');
  check(ProblemFormat::json, "json.txt", {{"{\"A\": " + brackets, "1:9", {"'['", "array of rows"}}});
}

TEST_CASE("Wrong max-cut problems are refused", "[problem]") {
  check(ProblemFormat::max_cut, "max-cut.txt",
        {{"3 1\n1 2 " + std::string(500, 'z'), "2:5", {std::string(40, 'z') + "...'"}}});
}

TEST_CASE("Wrong QUBO problems are refused", "[problem]") {
  check(ProblemFormat::qubo, "qubo.txt");
}

TEST_CASE("Wrong MatrixMarket and dimod problems are refused", "[problem]") {
  check(ProblemFormat::matrix_market, "matrix-market.txt");
  check(ProblemFormat::dimod, "dimod.txt");
}

TEST_CASE("The nearest name is suggested, or none", "[error]") {
  const std::vector<std::string> names{"spectral", "sdp-mixing", "exact", "tol"};
  CHECK(did_you_mean("spectrla", names) == "; did you mean spectral?");
  CHECK(did_you_mean("Exact", names) == "; did you mean exact?");
  CHECK(did_you_mean("sdp_mixng", names) == "; did you mean sdp-mixing?");
  CHECK(did_you_mean("tl", names) == "; did you mean tol?");
  CHECK(did_you_mean("gaussian", names).empty());
  CHECK(did_you_mean("", names).empty());
  CHECK(did_you_mean("x", {"a", "b"}).empty());
  CHECK(did_you_mean("bat", {"cat", "rat"}) == "; did you mean cat?");
  CHECK(did_you_mean("tol", {}).empty());
}

}  // namespace concord::problem_refusals_test
