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
#include <functional>
#include <string>
#include <type_traits>

#include <concord/kit/sdp_answer.hpp>
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

/// Throws unless A is finite and symmetric with a zero diagonal.
void check_sdp_prior(const Matrix& A);

/// One solve, but for the solver itself.
void solve_sdp(const Matrix& A, CardinalityForm form, double tol,
               const std::function<SdpAnswer(const SdpProblem&)>& solver, const Request& request,
               const Result& result, const Env& env);

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
    detail::check_sdp_prior(A_);
  }

  void solve(const Request& request, const Result& result, const Env& env) {
    const auto solver = [&](const SdpProblem& problem) { return backend_.solve(problem, options_.tol, env); };
    detail::solve_sdp(A_, form(), options_.tol, solver, request, result, env);
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

  Options options_;
  Backend backend_;
  Matrix A_;
};

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/sdp_backend.hpp>
#endif
