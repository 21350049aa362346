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

void check(ProblemFormat format, const std::vector<Refusal>& table) {
  for (const Refusal& row : table) {
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
  check(ProblemFormat::json,
        {
            // not JSON
            {"", "1:1", {"empty"}},
            {" \r\n\t", "1:1", {"empty"}},
            {"{\"A\": [[0, 1],\n [1, ", "2:4", {"cut off", "end of input"}},
            {"{\"A\": [[0]]", "1:11", {"cut off", "'}'"}},
            {"{\"A\": [[0]]}\nx", "2:1", {"'x' after the problem", "must end"}},
            {"{\"A\": [[0]]} {}", "1:14", {"'{' after the problem"}},
            {"{\"A\": [[0,]]}", "1:11", {"not JSON at ']'"}},
            {"{\"A\": [[0]\n\"b\": [1]}", "2:1", {"not JSON at '\"b\"'"}},
            {"{\"A\": [[NaN]]}", "1:9", {"'NaN'", "finite"}},
            {"{\"A\": [[0]],\n\"b\": [-Infinity]}", "2:7", {"'-Infinity'", "finite"}},
            {"{\"A\": [[+1]]}", "1:9", {"'+1'"}},
            {"{\"A\": [[.5]]}", "1:9", {"'.5'"}},
            {"{\"\xff\": 1}", "1:2", {"UTF-8", "\\xff"}},
            {std::string("{\"A\": [[0]]\0}", 13), "1:12", {"'\\x00'", "plain text"}},
            {std::string("{\"A\": [[0]]}\0x", 14), "1:13", {"'\\x00'", "plain text"}},
            // numbers
            {"{\"A\": [[\n1e999\n]]}", "2:1", {"'1e999'", "range of a double"}},
            {"{\"A\": [[0]], \"b\": [-1e400]}", "1:20", {"'-1e400'"}},
            {"{\"A\": [[1e-999]]}", "1:9", {"'1e-999'", "range of a double"}},
            {"{\"A\": [[0, 1.7e308],\n[1.7e308, 0]]}", "1:12", {"'1.7e308'", "1e+300"}},
            {"{\"edges\": [[0, 1, 9e299]], \"b\": [9e299, 0]}", "1:34", {"add up"}},
            // shapes
            {"12", "1:1", {"'12'", "object"}},
            {"[1]", "1:1", {"'['", "object"}},
            {"\"A\"", "1:1", {"'A'", "object"}},
            {"{\"A\": " + brackets, "1:9", {"'['", "array of rows"}},
            {"{\"A\": {\"A\": 1}}", "1:7", {"'{' in A", "array of rows"}},
            {"{\"A\": 3}", "1:7", {"'3' in A", "array of rows"}},
            {"{\"A\": [1, 2]}", "1:8", {"'1' in A"}},
            {"{\"A\": [[\"1\"]]}", "1:9", {"'1' in A"}},
            {"{\"A\": [[true]]}", "1:9", {"'true' in A"}},
            {"{\"A\": [[null]]}", "1:9", {"'null' in A"}},
            {"{\"A\": [[0]], \"b\": null}", "1:19", {"'null' in b", "array of numbers"}},
            {"{\"A\": [[0]], \"b\": [[1]]}", "1:20", {"'[' in b"}},
            {"{\"A\": []}", "1:2", {"A is empty", "at least one label"}},
            {"{\"A\": [[]]}", "1:9", {"row 0 of A is empty"}},
            {"{\"A\": [[0, 1],\n[1]]}", "2:3", {"row 1 of A ends after 1 of 2"}},
            {"{\"A\": [[0, 1],\n[1, 0, 7]]}", "2:8", {"'7'", "row 1", "has 2 numbers"}},
            {"{\"A\": [[0, 1],\n[1, 0],\n[1, 2]]}", "3:1", {"row 2", "square"}},
            {"{\"A\": [[0, 1]\n]}", "2:1", {"1 x 2", "square"}},
            {"{\"A\": [[0, 1],\n[1.5\n, 0]]}", "2:2", {"A[1][0] is 1.5", "A[0][1] is 1;"}},
            {"{\"A\": [[0]],\n\"b\": [1, 2]}", "2:1", {"b has 2 numbers", "1 x 1"}},
            // keys
            {"{}", "1:2", {"either A or edges"}},
            {"{\"b\": [1]\n}", "2:1", {"either A or edges"}},
            {"{\"A\": [[0]],\n \"edges\": []}", "2:2", {"not both"}},
            {"{\"edges\": [],\n \"A\": [[0]]}", "2:2", {"not both"}},
            {"{\"b\": [1],\n\"b\": [2]}", "2:1", {"duplicate key 'b'", "line 1"}},
            {"{\"a\": [[0]]}", "1:2", {"unknown key 'a'", "did you mean A?"}},
            {"{\n\"egdes\": []}", "2:1", {"unknown key 'egdes'", "did you mean edges?"}},
            {"{\"cardinalty\": 1}", "1:2", {"did you mean cardinality?"}},
            {"{\"weights\": 1}", "1:2", {"unknown key 'weights'", "A or edges, b, cardinality"}},
            // edges
            {"{\"edges\": []}", "1:2", {"edges without b"}},
            {"{\"edges\": [], \"b\": []}", "1:15", {"b is empty"}},
            {"{\"edges\": [[0, 1]], \"b\": [1, 2]}", "1:12", {"2 of 3", "[i, j, A_ij]"}},
            {"{\"edges\": [[0, 1, 2, 3]], \"b\": [1, 2]}", "1:22", {"'3'", "[i, j, A_ij]"}},
            {"{\"edges\": [[0, 1.5, 2]], \"b\": [1, 2]}", "1:16", {"'1.5'", "integers"}},
            {"{\"edges\": [[-1, 1, 2]], \"b\": [1, 2]}", "1:13", {"'-1'", "integers"}},
            {"{\"edges\": [[0, 1e18, 2]], \"b\": [1, 2]}", "1:16", {"'1e18'", "0..999999"}},
            {"{\"edges\": [[0, 1, 2],\n[0, 2, 5]],\n\"b\": [1, 2]}", "2:1", {"[0, 2, 5]", "0..1"}},
            {"{\"edges\": [\n[1, 1, 2]], \"b\": [1, 2]}", "2:1", {"[1, 1, 2]", "diagonal"}},
            {"{\"edges\": [[0, 1, 2],\n\n[1, 0, 2]], \"b\": [1, 2]}", "3:1", {"'0 1'", "first on line 1"}},
            // cardinality
            {"{\"A\": [[0]],\n\"cardinality\": 2}", "2:16", {"'2'", "0..1"}},
            {"{\"A\": [[0]],\n\"cardinality\": -1}", "2:16", {"'-1'", "0..1"}},
            {"{\"cardinality\": 0.5\n, \"A\": [[0]]}", "1:17", {"'0.5'", "integer"}},
            {"{\"A\": [[0]], \"cardinality\": \"1\"}", "1:29", {"'1' in cardinality", "integer or null"}},
            {"{\"A\": [[0]], \"cardinality\": [1]}", "1:29", {"'[' in cardinality"}},
            {"{\"A\": [[0]], \"cardinality\": true}", "1:29", {"'true' in cardinality"}},
        });
}

TEST_CASE("Wrong max-cut problems are refused", "[problem]") {
  check(ProblemFormat::max_cut,
        {
            // headers
            {"", "1:1", {"empty"}},
            {"# only\n# comments\n", "2:11", {"no header", "'n m'"}},
            {"3\n", "1:1", {"ends after '3'", "'n m'"}},
            {"3 1 1\n1 2 1\n", "1:5", {"'1' is too much", "'n m'"}},
            {"0 0\n", "1:1", {"'0'", "1..1000000"}},
            {"-3 1\n1 2 1\n", "1:1", {"'-3'", "1..1000000"}},
            {"3 -1\n1 2 1\n", "1:3", {"'-1'", "0..3"}},
            {"3.0 1\n1 2 1\n", "1:1", {"'3.0' is not an integer"}},
            {"p 3\n", "1:1", {"'p' is not an integer"}},
            {"2000000000 5\n1 2 1\n", "1:1", {"'2000000000'", "1..1000000"}},
            {"99999999999999999999 5\n1 2 1\n", "1:1", {"out of range"}},
            {"3 4\n1 2 1\n", "1:3", {"'4'", "0..3"}},
            {"1000000 400000000\n1 2 1\n", "1:9", {"400000000", "at most 1", "truncated"}},
            // edges
            {"3 1\n1 2\n\n", "2:3", {"ends after '2'", "'i j w'"}},
            {"3 1\n1 2 1 x\n", "2:7", {"'x' is too much", "'i j w'"}},
            {"3 1\n0 2 1\n", "2:1", {"'0'", "1..3"}},
            {"3 1\n1 4 1\n", "2:3", {"'4'", "1..3"}},
            {"3 1\n1.5 2 1\n", "2:1", {"'1.5' is not an integer"}},
            {"3 1\n+1 2 1\n", "2:1", {"'+1' is not an integer"}},
            {"3 1\n2 2 1\n", "2:1", {"'2 2'", "itself"}},
            {"3 2\n1 2 1\n\n# again\n2 1 1\n", "5:1", {"'1 2'", "first on line 2"}},
            {"3 1\n1 2 nan\n", "2:5", {"'nan'", "finite"}},
            {"3 1\r\n1 2 -inf\r\n", "2:5", {"'-inf'", "finite"}},
            {"3 1\n1 2 1e999\n", "2:5", {"'1e999'", "finite"}},
            {"3 1\n1 2 1,5\n", "2:5", {"'1,5' is not a number"}},
            {"3 1\n1 2 +1\n", "2:5", {"'+1' is not a number"}},
            {"3 1\n1 2 0x1\n", "2:5", {"'0x1' is not a number"}},
            {"3 2\n1 2 6e299\n2 3 6e299\n", "3:5", {"'6e299'", "1e+300"}},
            {std::string("3 1\n1 2 \0001\n", 11), "2:5", {"'\\x00'", "plain text"}},
            {"3 1\n1 2 " + std::string(500, 'z'), "2:5", {std::string(40, 'z') + "...'"}},
            // counts
            {"3 2\n1 2 1\n# one is missing\n", "3:17", {"ends after 1 of the 2"}},
            {"3 1\n1 2 1\n2 3 1\n", "3:1", {"'2' follows", "m = 1"}},
            {"3 1\n1 2 1\n\nend\n", "4:1", {"'end' follows"}},
        });
}

TEST_CASE("Wrong QUBO problems are refused", "[problem]") {
  check(ProblemFormat::qubo, {
                                 {"2 4\n", "1:3", {"'4'", "0..3"}},
                                 {"2 2\n1 1 1\n1 1 1\n", "3:1", {"'1 1'", "first on line 2"}},
                                 {"2 2\n1 2 1\n2 1 1\n", "3:1", {"'1 2'", "first on line 2"}},
                                 {"2 1\n1 3 1\n", "2:3", {"'3'", "a variable", "1..2"}},
                                 {"2 1\n1 1\n\n\n", "2:3", {"an entry is 'i j q'"}},
                                 {"2 1\n1 1 1\n2 2 1\n", "3:1", {"'2' follows"}},
                             });
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
