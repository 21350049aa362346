// SPDX-License-Identifier: MIT
#pragma once
// The decoder `spectral`: the sphere relaxation, prepared once per prior, solved in chunks
// (kit/spectral.hpp), all subproblems of a loss together (kit/spectral_family.hpp).
#include <limits>
#include <memory>
#include <vector>

#include <concord/kit/lapack.hpp>
#include <concord/kit/spectral_family.hpp>
#include <concord/plugin.hpp>

namespace concord::spectral {

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
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .moment = CONCORD_MOMENT_SPHERE,
            .guarantee = CONCORD_BOUNDS,
            .flags = CONCORD_REENTRANT | CONCORD_USES_DIAGONAL | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  explicit Spectral(const Options& options) : options_(options) {}

  /// A loss with a cardinality in every subproblem needs only the decomposition of P'AP, one without only that of A. What the
  /// last prior needed is decomposed here, on all threads; the rest by the first solve that needs it.
  void prepare(const Prior& prior, const Env& env) {
    auto factors = std::make_unique<kit::SpectralFactors>(prior.dense(), kit::lapack_algebra());
    if (factors_)
      factors->decompose_as(*factors_, [&](int64_t count, const auto& piece) { env.run(count, piece); });
    factors_ = std::move(factors);
  }

  void solve(const Requests& requests, const Results& results, const Env&) const {
    Problems batch;
    for (size_t i = 0; i < requests.size(); ++i) {
      const Request request = requests[i];
      batch.add(request.c().data(), request.row_count() == 0 ? nullptr : &request.row(0).beta, 0, results[i]);
    }
    batch.solve(*factors_);
  }

  void solve_family(const Requests& requests, const Families& families, const Results& results,
                    const Env&) const {
    Problems single;
    Matrix linear(factors_->labels(), static_cast<int64_t>(requests.size()));
    std::vector<kit::SpectralFamily> many;
    std::vector<kit::FamilyAnswer> answers;
    std::vector<Result> out;
    for (size_t i = 0; i < requests.size(); ++i) {
      const Family f = families[i];
      const double* beta = f.row_count() == 0 ? nullptr : f.beta().data();
      if (f.size() == 1) {  // a plain problem with the linear term c + D t
        auto c = linear.col(static_cast<int64_t>(i));
        c = requests[i].c();
        c.noalias() += f.D() * f.t().col(0);
        single.add(c.data(), beta, f.constants()[0], results[i]);
      } else {
        many.push_back({requests[i].c().data(), f.size(), f.D().cols(), f.D().data(), f.constants().data(),
                        f.t().data(), beta});
        out.push_back(results[i]);
        answers.emplace_back().u = out.back().u().data();
      }
    }
    single.solve(*factors_);
    kit::solve_spectral_families(*factors_, many, answers, options_.prune);
    for (size_t i = 0; i < out.size(); ++i) {
      out[i].winner(answers[i].subproblem);
      out[i].counters(answers[i].solved, answers[i].pruned);
      out[i].finish(CONCORD_RELAXED, answers[i].value, answers[i].bound);
    }
  }

 private:
  /// A batch of single problems, each with a constant that is added to its value.
  class Problems {
   public:
    void add(const double* c, const double* beta, double constant, const Result& result) {
      problems_.push_back({c, beta == nullptr ? std::numeric_limits<double>::quiet_NaN() : *beta});
      constants_.push_back(constant);
      results_.push_back(result);
      answers_.emplace_back().u = result.u().data();
    }
    void solve(const kit::SpectralFactors& factors) {
      kit::solve_spectral(factors, problems_, answers_);
      for (size_t i = 0; i < results_.size(); ++i)
        results_[i].finish(CONCORD_RELAXED, constants_[i] + answers_[i].value,
                           constants_[i] + answers_[i].bound);
    }

   private:
    std::vector<kit::SpectralProblem> problems_;
    std::vector<double> constants_;
    std::vector<Result> results_;
    std::vector<kit::SpectralAnswer> answers_;
  };

  Options options_;
  std::unique_ptr<kit::SpectralFactors> factors_;
};

}  // namespace concord::spectral
