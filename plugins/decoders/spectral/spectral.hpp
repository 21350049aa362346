// SPDX-License-Identifier: MIT
#pragma once
// The decoder `spectral`: the sphere relaxation, prepared once per prior, solved in chunks
// (kit/spectral.hpp), all subproblems of a loss together (kit/spectral_family.hpp).
#include <memory>
#include <vector>

#include <concord/kit/lapack.hpp>
#include <concord/kit/spectral_family.hpp>
#include <concord/plugin.hpp>

namespace concord {

/// dsyevd from the size on where it is the faster one (docs/bench/spectral.md).
inline void fastest_eigensolver(Matrix& M, Vector& values) {
  if (M.rows() < 150) {
    kit::eigen_symmetric(M, values);
  } else {
    kit::lapack_symmetric(M, values);
  }
}

class Spectral {
 public:
  struct Options {
    bool prune = true;
  };
  static auto options() {
    return OptionList<Options>{
        opt("prune", &Options::prune, true).help("skip subproblems of a loss that a shared bound excludes")};
  }
  static Capabilities capabilities() {
    Capabilities c;
    c.constraints = CONCORD_CONSTRAINTS_CARDINALITY;
    c.moment = CONCORD_MOMENT_SPHERE;
    c.guarantee = CONCORD_BOUNDS;
    c.flags = CONCORD_REENTRANT | CONCORD_USES_DIAGONAL | CONCORD_AS_TIGHT_AS_SPECTRAL;
    return c;
  }

  explicit Spectral(const Options& options) : options_(options) {}

  /// The decompositions are made by the first solve that needs them: a loss with a cardinality in every
  /// subproblem needs only that of P'AP, one without only that of A.
  void prepare(const Prior& prior) {
    factors_ = std::make_unique<kit::SpectralFactors>(prior.dense(), fastest_eigensolver);
  }

  void solve(const Requests& requests, const Results& results, const Env&) const {
    std::vector<kit::SpectralProblem> problems;
    std::vector<Result> out;
    for (size_t i = 0; i < requests.size(); ++i) {
      const Request request = requests[i];
      problems.push_back({request.c().data(), request.row_count() == 0 ? no_beta : request.row(0).beta});
      out.push_back(results[i]);
    }
    solve_problems(problems, out);
  }

  void solve_family(const Requests& requests, const Families& families, const Results& results,
                    const Env&) const {
    std::vector<kit::SpectralFamily> all;
    std::vector<Result> out;
    std::vector<Vector> single;  // the linear terms of families of one
    std::vector<kit::SpectralProblem> problems;
    std::vector<Result> single_out;
    std::vector<double> constants;
    for (size_t i = 0; i < requests.size(); ++i) {
      const Family f = families[i];
      if (f.size() == 1) {
        single.emplace_back(requests[i].c() + f.D() * f.t().col(0));
        problems.push_back({single.back().data(), f.row_count() == 0 ? no_beta : f.beta()(0, 0)});
        constants.push_back(f.constants()[0]);
        single_out.push_back(results[i]);
      } else {
        all.push_back({requests[i].c().data(), f.size(), f.D().cols(), f.D().data(), f.constants().data(),
                       f.t().data(), f.row_count() == 0 ? nullptr : f.beta().data()});
        out.push_back(results[i]);
      }
    }
    solve_problems(problems, single_out, constants);
    std::vector<kit::FamilyAnswer> answers(all.size());
    for (size_t i = 0; i < all.size(); ++i) answers[i].u = out[i].u().data();
    kit::solve_spectral_families(*factors_, all, answers, options_.prune);
    for (size_t i = 0; i < all.size(); ++i) {
      out[i].winner(answers[i].subproblem);
      out[i].counters(answers[i].solved, answers[i].pruned);
      out[i].finish(CONCORD_RELAXED, answers[i].value, answers[i].bound);
    }
  }

 private:
  static constexpr double no_beta = std::numeric_limits<double>::quiet_NaN();

  void solve_problems(const std::vector<kit::SpectralProblem>& problems, const std::vector<Result>& out,
                      const std::vector<double>& constants = {}) const {
    std::vector<kit::SpectralAnswer> answers(problems.size());
    for (size_t i = 0; i < problems.size(); ++i) answers[i].u = out[i].u().data();
    kit::solve_spectral(*factors_, problems, answers);
    for (size_t i = 0; i < problems.size(); ++i) {
      const double constant = constants.empty() ? 0 : constants[i];
      out[i].finish(CONCORD_RELAXED, constant + answers[i].value, constant + answers[i].bound);
    }
  }

  Options options_;
  std::unique_ptr<kit::SpectralFactors> factors_;
};

}  // namespace concord
