// SPDX-License-Identifier: MIT
// The prior matrix against its definition, and what the files mean against brute force over all labellings.
// Refused files are in problem_refusals_test.cpp.
#include <catch2/catch.hpp>
#include <clocale>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "problem/files.hpp"

namespace concord::problem_test {

namespace {

/// Symmetric; about half of the pairs are zero.
Eigen::MatrixXd random_symmetric(std::mt19937_64& rng, int64_t V, bool diagonal) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(V, V);
  for (int64_t i = 0; i < V; ++i) {
    for (int64_t j = diagonal ? i : i + 1; j < V; ++j) {
      if (rng() % 2 == 0) A(i, j) = A(j, i) = normal(rng);
    }
  }
  return A;
}

Eigen::VectorXd random_vector(std::mt19937_64& rng, int64_t V) {
  std::normal_distribution<double> normal;
  return Eigen::VectorXd::NullaryExpr(V, [&] { return normal(rng); });
}

Eigen::VectorXd labelling(int64_t V, uint64_t code) {
  return Eigen::VectorXd::NullaryExpr(V, [=](int64_t v) { return (code >> v) & 1 ? 1.0 : -1.0; });
}

/// A text file with a line for each non-zero pair, its ends in either order.
std::string text_file(std::mt19937_64& rng, const Eigen::MatrixXd& matrix, ProblemFormat format) {
  const int first = format == ProblemFormat::dimod ? 0 : 1;
  std::string lines;
  int64_t m = 0;
  for (int64_t i = 0; i < matrix.rows(); ++i) {
    for (int64_t j = i; j < matrix.rows(); ++j) {
      if (matrix(i, j) == 0) continue;
      const bool swapped = rng() % 2 == 0;
      lines += fmt::format("{} {} {}\n", (swapped ? j : i) + first, (swapped ? i : j) + first, matrix(i, j));
      ++m;
    }
  }
  const int64_t n = matrix.rows();
  if (format == ProblemFormat::dimod) return lines;
  if (format == ProblemFormat::matrix_market)
    return fmt::format("%%MatrixMarket matrix coordinate real symmetric\n% a comment\n{} {} {}\n{}", n, n, m,
                       lines);
  return fmt::format("{} {}\n{}", n, m, lines);
}

double cut_weight(const Eigen::MatrixXd& w, const Eigen::VectorXd& u) {
  double cut = 0;
  for (int64_t i = 0; i < u.size(); ++i)
    for (int64_t j = i + 1; j < u.size(); ++j) cut += u[i] != u[j] ? w(i, j) : 0;
  return cut;
}

/// The problem has the objective of its file for every labelling.
template <class Objective>
void check_objective(const CanonicalProblem& problem, Objective objective) {
  for (uint64_t code = 0; code < uint64_t{1} << problem.labels(); ++code) {
    const Eigen::VectorXd u = labelling(problem.labels(), code);
    CHECK(problem.file_objective(problem.value(u)) == Approx(objective(u)).margin(1e-12));
  }
}

std::string json_list(const Eigen::VectorXd& values) {
  std::string list;
  for (const double value : values) list += fmt::format("{}{}", list.empty() ? "" : ", ", value);
  return "[" + list + "]";
}

/// check(matrix, problem) for 20 random symmetric matrices in a text format; only QUBO has diagonals.
template <class Check>
void for_text_files(uint64_t seed, ProblemFormat format, Check&& check) {
  std::mt19937_64 rng(seed);
  for (int round = 0; round < 20; ++round) {
    const int64_t V = 1 + static_cast<int64_t>(rng() % 7);
    const Eigen::MatrixXd entries = random_symmetric(rng, V, format == ProblemFormat::qubo);
    const CanonicalProblem problem = parse_problem(text_file(rng, entries, format), "file", format);
    REQUIRE(problem.labels() == V);
    CHECK(problem.A.is_sparse());
    check(entries, problem);
  }
}

}  // namespace

TEST_CASE("A prior matrix is the same in both forms and by definition", "[problem]") {
  std::mt19937_64 rng(1);
  for (int round = 0; round < 40; ++round) {
    const int64_t V = 1 + static_cast<int64_t>(rng() % 9);
    const Eigen::MatrixXd A = random_symmetric(rng, V, round % 2 == 0);
    const Eigen::VectorXd u = random_vector(rng, V);
    const Eigen::MatrixXd F = Eigen::MatrixXd::Random(V, 3);

    double trace = 0, quadratic = 0, inner = 0, abs_sum = 0;
    std::optional<std::pair<int64_t, int64_t>> repelling, coupled;
    for (int64_t i = 0; i < V; ++i) {
      trace += A(i, i);
      for (int64_t j = 0; j < V; ++j) {
        quadratic += u[i] * A(i, j) * u[j];
        inner += A(i, j) * F.row(i).dot(F.row(j));
        abs_sum += std::abs(A(i, j));
        if (!repelling && i < j && A(i, j) > 0) repelling = {i, j};
        if (!coupled && i < j && A(i, j) != 0) coupled = {i, j};
      }
    }
    Eigen::MatrixXd off_diagonal = A;
    off_diagonal.diagonal().setZero();

    for (const PriorMatrix& prior : {PriorMatrix(A), PriorMatrix(SparseMatrix(A.sparseView()))}) {
      CAPTURE(V, prior.is_sparse());
      CHECK(prior.labels() == V);
      CHECK(prior.to_dense() == A);
      CHECK(prior.trace() == Approx(trace).margin(1e-12));
      CHECK(prior.quadratic(u) == Approx(quadratic).margin(1e-12));
      CHECK(prior.inner(F) == Approx(inner).margin(1e-12));
      CHECK(prior.abs_sum() == Approx(abs_sum).margin(1e-12));
      CHECK(prior.repelling_pair() == repelling);
      CHECK(prior.coupled_pair() == coupled);
      CHECK(prior.without_diagonal().is_sparse() == prior.is_sparse());
      CHECK(prior.without_diagonal().to_dense() == off_diagonal);
    }
  }
}

TEST_CASE("A max-cut file, of rudy or MatrixMarket, means the weight of the cut", "[problem]") {
  for (const ProblemFormat format : {ProblemFormat::max_cut, ProblemFormat::matrix_market})
    for_text_files(2, format, [](const Eigen::MatrixXd& w, const CanonicalProblem& problem) {
      CHECK(problem.A.to_dense() == w / 4);
      CHECK_FALSE(problem.k);
      CHECK(problem.objective == Objective::cut);
      check_objective(problem, [&](const Eigen::VectorXd& u) { return cut_weight(w, u); });
    });
}

TEST_CASE("Edges without weights weigh 1", "[problem]") {
  const CanonicalProblem weighted =
      parse_problem("4 3\n1 2 1\n2 3 1\n4 1 1\n", "a.mc", ProblemFormat::max_cut);
  for (const auto& [text, format] :
       {std::pair("# Gset\n4 3\n\n1 2\n2 3\n4 1\n", ProblemFormat::max_cut),
        std::pair("%%MatrixMarket MATRIX coordinate pattern Symmetric\n%\n4 4 3\n2 1\n3 2\n4 1",
                  ProblemFormat::matrix_market)}) {
    const CanonicalProblem problem = parse_problem(text, "file", format);
    CHECK(problem.A.to_dense() == weighted.A.to_dense());
    CHECK(problem.objective_offset == weighted.objective_offset);
  }
  CHECK(parse_problem("3 0\n", "a.mc", ProblemFormat::max_cut).A.couplings() == 0);
}

TEST_CASE("A file of dimod means the energy, of spins and of binary variables", "[problem]") {
  std::mt19937_64 rng(5);
  for (int round = 0; round < 40; ++round) {
    const int64_t V = 1 + static_cast<int64_t>(rng() % 7);
    Eigen::MatrixXd biases = random_symmetric(rng, V, true);
    biases(V - 1, V - 1) = 1.5;  // the largest index says how many variables there are
    const bool spins = round % 2 == 0;
    const std::string text = fmt::format("# vartype{}{}\n", spins ? "=" : ": ", spins ? "SPIN" : "BINARY") +
                             text_file(rng, biases, ProblemFormat::dimod);
    const CanonicalProblem problem = parse_problem(text, "file", ProblemFormat::dimod);
    REQUIRE(problem.labels() == V);
    CHECK(problem.objective == (spins ? Objective::spin_energy : Objective::binary_energy));
    CHECK(problem.A.to_dense().diagonal().isZero(0));
    check_objective(problem, [&](const Eigen::VectorXd& u) {
      const Eigen::VectorXd x = spins ? u : Eigen::VectorXd((u.array() + 1) / 2);
      double energy = 0;
      for (int64_t i = 0; i < V; ++i) {
        energy += biases(i, i) * x[i];
        for (int64_t j = i + 1; j < V; ++j) energy += biases(i, j) * x[i] * x[j];
      }
      return energy;
    });
  }
}

TEST_CASE("A QUBO file means x'Qx, an off-diagonal q counting twice", "[problem]") {
  for_text_files(3, ProblemFormat::qubo, [](const Eigen::MatrixXd& Q, const CanonicalProblem& problem) {
    CHECK(problem.A.to_dense().diagonal().isZero(0));
    CHECK(problem.objective_sign == -1);
    check_objective(problem, [&](const Eigen::VectorXd& u) {
      const Eigen::VectorXd x = (u.array() + 1) / 2;
      return x.dot(Q * x);
    });
  });
}

TEST_CASE("A JSON file means u'b - u'Au, dense and as edges", "[problem]") {
  std::mt19937_64 rng(4);
  for (int round = 0; round < 20; ++round) {
    const int64_t V = 1 + static_cast<int64_t>(rng() % 7);
    const bool dense = round % 2 == 0;
    const Eigen::MatrixXd A = random_symmetric(rng, V, dense);
    const Eigen::VectorXd b = random_vector(rng, V);
    std::string prior;
    for (int64_t i = 0; i < V; ++i) {
      if (dense) prior += (i > 0 ? ",\n" : "") + json_list(A.row(i));
      for (int64_t j = i + 1; !dense && j < V; ++j) {
        if (A(i, j) != 0) prior += fmt::format("{}[{}, {}, {}]", prior.empty() ? "" : ",\n", j, i, A(i, j));
      }
    }
    const std::string text = fmt::format("{{\"{}\": [{}],\n \"b\": {}, \"cardinality\": {}}}",
                                         dense ? "A" : "edges", prior, json_list(b), V / 2);
    CAPTURE(text);
    const CanonicalProblem problem = parse_problem(text, "p.json", ProblemFormat::json);
    CHECK(problem.A.is_sparse() == !dense);
    CHECK(problem.A.to_dense() == A);
    CHECK(problem.c == b);
    CHECK(problem.k == V / 2);
    check_objective(problem, [&](const Eigen::VectorXd& u) { return u.dot(b) - u.dot(A * u); });
  }
}

TEST_CASE("What a problem file may leave out or write otherwise", "[problem]") {
  const auto json = [](std::string_view text) { return parse_problem(text, "p.json", ProblemFormat::json); };
  const auto max_cut = [](std::string_view text) {
    return parse_problem(text, "p.mc", ProblemFormat::max_cut);
  };
  CHECK(json(R"({"A": [[1, 2], [2, 3]]})").c == Eigen::Vector2d::Zero());
  CHECK_FALSE(json(R"({"A": [[0]]})").k);
  CHECK_FALSE(json(R"({"A": [[0]], "cardinality": null})").k);
  CHECK(json(R"({"A": [[0]], "cardinality": 1.0})").k == 1);
  CHECK(json(R"({"edges": [], "b": [1, 2]})").A.is_sparse());
  CHECK(json(R"({"edges": [[1.0, 0.0, 5]], "b": [1, 2]})").A.to_dense()(0, 1) == 5);
  CHECK(json("\xEF\xBB\xBF\r\n{\"\\u0041\": [[-1.5E+1]]}\r\n").A.trace() == -15);
  CHECK(json(R"({"A": [[123456789012345678901234567890]]})").A.trace() == 123456789012345678901234567890.0);
  CHECK(max_cut("\xEF\xBB\xBF# c\r\n\r\n \t2  1\r\n  # d\r\n1\t2 \f 4\r\n\r\n").A.to_dense()(0, 1) == 1);
  CHECK(max_cut("3 0").labels() == 3);
  CHECK(max_cut("1000000 1\n1000000 1 4").A.sparse().coeff(0, 999999) == 1);
}

TEST_CASE("Numbers do not depend on the locale", "[problem]") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    CHECK(parse_problem("{\"A\": [[0.5]]}", "p.json", ProblemFormat::json).A.trace() == 0.5);
    CHECK(parse_problem("2 1\n1 2 0.5", "p.mc", ProblemFormat::max_cut).objective_offset == 0.25);
  }
  std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("The extension chooses the format, and a file that cannot be read says why", "[problem]") {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("concord-problem-{}", std::random_device{}());
  fs::create_directories(folder / "folder.json");
  const auto read = [&](const char* name, const char* text) {
    std::ofstream(folder / name) << text;
    return read_problem(folder / name).objective;
  };
  const auto refusal = [&](const char* name) {
    try {
      read_problem(folder / name);
    } catch (const Error& error) {
      return std::pair(std::optional(error.kind()), std::string(error.what()));
    }
    return std::pair(std::optional<Fault>(), std::string());
  };
  CHECK(read("a.json", "{\"A\": [[0]]}") == Objective::prior);
  CHECK(read("a.JSON", "{\"A\": [[0]]}") == Objective::prior);
  for (const char* name : {"a.mc", "a.rud", "a.txt"}) CHECK(read(name, "2 1\n1 2 1\n") == Objective::cut);
  for (const char* name : {"a.sparse", "a.bqp"}) CHECK(read(name, "2 1\n1 1 1\n") == Objective::qubo);
  CHECK(read("a.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 1\n") ==
        Objective::cut);
  CHECK(read("a.coo", "# vartype=SPIN\n0 1 1\n") == Objective::spin_energy);

  using Catch::Matchers::Contains;
  CHECK(refusal("none.json").first == Fault::io);
  CHECK_THAT(refusal("none.json").second, Contains("none.json: No such file"));
  CHECK(refusal("folder.json").first == Fault::io);
  CHECK_THAT(refusal("folder.json").second, Contains("is a directory"));
  CHECK(refusal("a.csv").first == Fault::input);
  CHECK_THAT(refusal("a.csv").second, Contains("'.csv'") && Contains(".json") && Contains(".mc .rud .txt") &&
                                          Contains(".sparse .bqp") && Contains(".mtx") && Contains(".coo"));
  fs::remove_all(folder);
}

}  // namespace concord::problem_test
