// SPDX-License-Identifier: MIT
#pragma once
// A decoder out of an SDP solver. The author writes a class with one function and, if they are needed, the
// optional members; docs/write-an-sdp-backend.md has an example.
//
//   kit::SdpAnswer solve(const kit::SdpProblem&, double tol, const Env&);    from a problem to M and y
//   optional: struct Options : kit::SdpOptions with static options(), and a constructor that takes them;
//             static constexpr uint32_t flags (CONCORD_REENTRANT); static void probe();
//             static constexpr const char* version, licence
//   CONCORD_EXPORT_DECODER(concord::kit::SdpDecoder<Mine>, "sdp-mine", "one line")
//
// solve gets V >= 3 and 0 < k < V, entries of A and c of size at most 1, and a symmetric A with zero diagonal.
// It throws a sentence when it has no answer, and returns an empty one when env.interruption() made it stop.
// Everything else is here: trivial problems, the scale, the check of M, the step to (u, F), the bound from y.
// Unlike the rest of the kit this header needs plugin.hpp.
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/sdp_bound.hpp>
#include <concord/kit/sdp_verify.hpp>
#include <concord/plugin.hpp>

namespace concord::kit {

/// The options of every SDP decoder.
struct SdpOptions {
  double tol;
  std::string cardinality;
};

namespace detail {

template <class Backend>
struct BackendOptions {
  using type = SdpOptions;
};
template <class Backend>
requires requires {
  typename Backend::Options;
}
struct BackendOptions<Backend> {
  using type = typename Backend::Options;
};

/// The power of two of the largest entry, so that scaling by it rounds nothing.
inline int exponent_of(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

}  // namespace detail

template <class Backend>
class SdpDecoder {
 public:
  using Options = typename detail::BackendOptions<Backend>::type;
  static_assert(std::is_base_of_v<SdpOptions, Options>,
                "the Options of an SDP backend derive from SdpOptions");

  static auto options() {
    OptionList<Options> list{
        opt<Options, double>("tol", &Options::tol, 1e-6)
            .range(1e-9, 0.1)
            .help("relative gap asked of the solver; above ten times that the status is 'limit'"),
        opt<Options, std::string>("cardinality", &Options::cardinality, "lifted")
            .choices({"lifted", "row"})
            .help("form of 1'u = 2k - V: lifted (U1 = beta u too), or the weaker row of the paper")};
    if constexpr (requires { Backend::options(); }) {
      for (const auto& option : Backend::options()) list.push_back(option);
    }
    return list;
  }
  static Capabilities capabilities() {
    Capabilities c;
    c.constraints = CONCORD_CONSTRAINTS_CARDINALITY;
    c.moment = CONCORD_MOMENT_UNIT_DIAGONAL;
    c.guarantee = CONCORD_MAY_BE_OPTIMAL;  // where the answer is found without the solver
    c.flags = CONCORD_AS_TIGHT_AS_SPECTRAL;
    if constexpr (requires { Backend::flags; }) c.flags |= Backend::flags;
    return c;
  }
  static void probe() requires requires { Backend::probe(); }
  { Backend::probe(); }
  static constexpr const char* version = [] {
    if constexpr (requires { Backend::version; }) return Backend::version;
    return CONCORD_PLUGIN_VERSION;
  }();
  static constexpr const char* licence = [] {
    if constexpr (requires { Backend::licence; }) return Backend::licence;
    return CONCORD_PLUGIN_LICENCE;
  }();

  explicit SdpDecoder(const Options& options) : options_(options), backend_(make(options)) {}

  uint32_t flags() const noexcept {
    const uint32_t all = capabilities().flags;
    return form() == CardinalityForm::row ? all & ~uint32_t{CONCORD_AS_TIGHT_AS_SPECTRAL} : all;
  }
  int64_t max_rank(int64_t labels) const { return labels + 1; }

  void prepare(const Prior& prior) {
    A_ = prior.dense();
    for (Index j = 0; j < A_.cols(); ++j)
      for (Index i = 0; i <= j; ++i) {
        if (!std::isfinite(A_(i, j)) || A_(i, j) != A_(j, i))
          throw std::invalid_argument("A is not finite and symmetric at " + std::to_string(i) + ", " +
                                      std::to_string(j));
        if (i == j && A_(i, i) != 0) throw std::invalid_argument("the diagonal of A is not zero");
      }
  }

  void solve(const Request& request, const Result& result, const Env& env) {
    const Vector c = request.c();
    const Index V = A_.rows();
    if (c.size() != V) throw std::invalid_argument("c and A are of different sizes");
    if (!c.allFinite()) throw std::invalid_argument("c is not finite");
    const auto k = request.k();
    if (k && (*k < 0 || *k > V))
      return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
    const double largest = std::max(A_.cwiseAbs().maxCoeff(), c.cwiseAbs().maxCoeff());
    if (largest == 0) return optimal(result, k ? top_k(c, *k) : sign(c), 0);
    if (const auto best = optimum_at_once(A_, c, k)) return optimal(result, best->u, best->value);

    const int exponent = detail::exponent_of(largest);
    const Matrix A = A_.unaryExpr([&](double x) { return std::ldexp(x, -exponent); });
    const Vector scaled = c.unaryExpr([&](double x) { return std::ldexp(x, -exponent); });
    SdpProblem problem{A, scaled};
    problem.form = form();
    if (k) problem.beta = beta_of(V, *k);

    SdpAnswer answer;
    auto interrupted = env.interruption();
    if (!interrupted) answer = backend_.solve(problem, options_.tol, env);
    if (answer.empty()) {
      if (!interrupted) interrupted = env.interruption();
      if (!interrupted) throw std::runtime_error("the solver returned no M");
      const Vector u = k ? top_k(c, *k) : sign(c);
      result.factor(1) = u;
      result.message("interrupted before the solver had an answer: these are the labels of c alone");
      return finish(result, *interrupted, objective(A_, c, u), std::numeric_limits<double>::quiet_NaN());
    }

    const Matrix F = verified_factor(problem, answer, options_.tol);
    const double value = factor_value(problem, F);
    const double bound = std::max(value, proven_bound(problem, answer.y, answer.mu));
    result.factor(F.cols()) = F;
    const double gap = (bound - value) / std::max(std::abs(value), problem.scale());
    const bool closed = gap <= 10 * options_.tol;
    if (!closed) {
      std::ostringstream text;
      text << "the certified relative gap is " << gap << ", and " << options_.tol << " was asked for";
      if (!answer.remark.empty()) text << "; " << answer.remark;
      result.message(text.str());
    }
    finish(result, closed ? CONCORD_RELAXED : CONCORD_LIMIT, std::ldexp(value, exponent),
           std::ldexp(bound, exponent));
  }

 private:
  static Backend make(const Options& options) {
    if constexpr (std::is_constructible_v<Backend, const Options&>) {
      return Backend(options);
    } else {
      return Backend();
    }
  }
  CardinalityForm form() const {
    return options_.cardinality == "row" ? CardinalityForm::row : CardinalityForm::lifted;
  }
  static void optimal(const Result& result, const Vector& u, double value) {
    result.factor(1) = u;
    finish(result, CONCORD_OPTIMAL, value, value);
  }
  static void finish(const Result& result, int32_t status, double value, double bound) {
    if (!std::isfinite(value) || std::isinf(bound)) throw std::runtime_error("the objective is not finite");
    result.finish(status, value, bound);
  }

  Options options_;
  Backend backend_;
  Matrix A_;
};

}  // namespace concord::kit
