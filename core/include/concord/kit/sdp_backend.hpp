// SPDX-License-Identifier: MIT
#pragma once
// A decoder out of an SDP solver. The author writes a class with one function and, if they are needed, the
// optional members; docs/write-an-sdp-backend.md has an example.
//
//   kit::SdpAnswer solve(const kit::SdpProblem&, double tol, const Env&);    from a problem to M and y
//     or solve(const kit::SdpProblem&, const kit::SdpTask&), which also has the warm block
//   optional: struct Options : kit::SdpOptions with static options(), and a constructor that takes them;
//             static constexpr kit::SdpTolerance tolerance    the default and the range of `tol`
//             static constexpr uint32_t flags (CONCORD_REENTRANT; CONCORD_SPARSE_PRIOR: then
//               solve(const kit::SparseSdpProblem&, const kit::SdpTask&) takes what is sparse and has no cardinality)
//             size_t warm_size(int64_t V), int64_t max_rank(int64_t V), static void probe();
//             static std::string solver()    the solver and its version, for `concord describe`; throws if it cannot tell
//             static constexpr const char* version, licence
//   CONCORD_EXPORT_DECODER(concord::kit::SdpDecoder<Mine>, "sdp-mine", "one line")
//
// solve gets V >= 3 and 0 < k < V, entries of A and c of size at most 1, and a symmetric A with zero diagonal.
// It throws a sentence when it has no answer, and returns an empty one when env.interruption() made it stop. With y alone, of
// a solve that was cut short, there is a bound, and the labels of c are the point.
// Everything else is here: trivial problems, the scale, the check of M, the step to (u, F), the bound from y.
// Unlike the rest of the kit this header needs plugin.hpp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <concord/kit/sdp_sparse.hpp>
#include <concord/kit/sdp_work.hpp>
#include <concord/plugin.hpp>

namespace concord::kit {

/// The options of every SDP decoder.
struct SdpOptions {
  double tol;
  std::string cardinality;
};

/// Those of one with a worker (sdp_worker_host.hpp).
struct SdpWorkerOptions : SdpOptions {
  double time_limit;
};

/// The relative gap that a solver may be asked for: what its author trusts it with. 0 < least <= by_default <= most
struct SdpTolerance {
  double by_default = 1e-6;
  double least = 1e-9;
  double most = 0.1;
};

/// What a solve has besides the problem.
struct SdpTask {
  double tol;
  std::span<std::byte>
      warm;  ///< warm_size(V) bytes, zero at first: to be read, and written for the next solve
  const Env& env;
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
void check_sdp_prior(const SparseRows& A);

/// One solve, but for the solver itself.
void solve_sdp(const Matrix& A, CardinalityForm form, double tol,
               const std::function<SdpAnswer(const SdpProblem&)>& solver, const Request& request,
               const Result& result, const Env& env);
/// The same without a cardinality.
void solve_sdp(const SparseRows& A, double tol,
               const std::function<SdpAnswer(const SparseSdpProblem&)>& solver, const Request& request,
               const Result& result, const Env& env);

/// The dense copy of a sparse A, for problems with a cardinality, made when it is first asked for.
class LazyDense {
 public:
  const Matrix& of(const SparseRows& A) const {
    constexpr Index most = 10'000;
    if (A.rows() > most)
      throw Unsupported("with a cardinality it takes at most " + std::to_string(most) +
                        " labels, as A becomes dense, and this problem has " + std::to_string(A.rows()));
    std::call_once(once_, [&] { dense_ = A; });
    return dense_;
  }

 private:
  mutable std::once_flag once_;
  mutable Matrix dense_;
};

/// The options as SdpSettings hands them to a worker.
template <class List, class Options>
std::vector<SdpSetting> settings_in(const List& list, const Options& options) {
  std::vector<SdpSetting> settings;
  for (const auto& option : list) {
    const concord_value value = option.value_in(options);
    settings.push_back({value.name,
                        value.type,
                        value.integer,
                        value.real,
                        value.text == nullptr ? "" : value.text,
                        {value.list, value.list + value.length}});
  }
  return settings;
}

}  // namespace detail

template <class Backend>
class SdpDecoder {
 public:
  using Options = typename detail::BackendOptions<Backend>::type;
  static_assert(std::is_base_of_v<SdpOptions, Options>,
                "the Options of an SDP backend derive from SdpOptions");

  static auto options() {
    constexpr SdpTolerance tol = tolerance();
    static_assert(0 < tol.least && tol.least <= tol.by_default && tol.by_default <= tol.most);
    OptionList<Options> list{
        opt<Options, double>("tol", &Options::tol, tol.by_default)
            .range(tol.least, tol.most)
            .help("relative gap asked of the solver; above ten times that the status is 'limit'"),
        opt<Options, std::string>("cardinality", &Options::cardinality, "lifted")
            .choices({"lifted", "row"})
            .help("form of 1'u = 2k - V: lifted (U1 = beta u too), or the weaker row of the paper")};
    OptionList<Options> own;
    if constexpr (requires { Backend::options(); }) {
      for (const auto& option : Backend::options()) own.push_back(option);
    }
    const auto is_time_limit = [](const auto& option) {
      return std::strcmp(option.name(), "time_limit") == 0;
    };
    if constexpr (std::is_base_of_v<SdpWorkerOptions, Options>)
      if (std::none_of(own.begin(), own.end(), is_time_limit))  // backends for Concord 0.1 declare it
        list.push_back(opt<Options, double>("time_limit", &Options::time_limit, 3600)
                           .range(1, 1e6)
                           .help("seconds after which a worker without an answer is ended"));
    list.insert(list.end(), own.begin(), own.end());
    return list;
  }
  static Capabilities capabilities() {
    Capabilities c;
    c.constraints = CONCORD_CONSTRAINTS_CARDINALITY;
    c.moment = CONCORD_MOMENT_UNIT_DIAGONAL;
    c.guarantee = CONCORD_MAY_BE_OPTIMAL;  // where the answer is found without the solver
    c.flags = CONCORD_AS_TIGHT_AS_SPECTRAL | backend_flags;
    if constexpr (is_warm) c.flags |= CONCORD_WARM;
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

  static const void* get_extension(const char* id) noexcept requires requires { Backend::solver(); }
  {
    static const concord_solver_extension solver = {sizeof solver, 0, identify};
    return std::strcmp(id, CONCORD_SOLVER_EXTENSION) == 0 ? &solver : nullptr;
  }

  explicit SdpDecoder(const Options& options) : options_(options), backend_(make(options)) {
    if constexpr (requires { backend_.set_options(std::vector<SdpSetting>()); })
      backend_.set_options(detail::settings_in(sdk::OptionRecords<SdpDecoder>::get().list, options_));
  }

  uint32_t flags() const noexcept {
    const uint32_t all = capabilities().flags;
    return form() == CardinalityForm::row ? all & ~uint32_t{CONCORD_AS_TIGHT_AS_SPECTRAL} : all;
  }
  int64_t max_rank(int64_t labels) const {
    int64_t most = labels + 1;
    if constexpr (requires { backend_.max_rank(labels); }) {
      most = backend_.max_rank(labels);
    } else if constexpr (
        takes_sparse) {  // solutions of rank sqrt(2n) exist, and F of full rank would not fit
      most =
          std::max<int64_t>(500, 2 * static_cast<int64_t>(std::sqrt(2.0 * static_cast<double>(labels + 1))));
    }
    return std::min(most, labels + 1);
  }
  size_t warm_size(int64_t labels) const requires requires(const Backend& b, int64_t V) { b.warm_size(V); }
  { return backend_.warm_size(labels); }

  void prepare(const Prior& prior) {
    is_sparse_ = prior.is_sparse();
    if (is_sparse_) {
      sparse_ = prior.sparse();
      detail::check_sdp_prior(sparse_);
      lazy_ = std::make_unique<detail::LazyDense>();
    } else {
      A_ = prior.dense();
      detail::check_sdp_prior(A_);
    }
  }

  void solve(const Request& request, const Result& result, const Env& env) {
    std::span<std::byte> warm;
    std::vector<std::byte> for_once;  // where the host keeps no block, so that solvers know one case only
    if constexpr (is_warm) {
      warm = request.warm(warm_size(request.labels()));
      for_once.resize(warm.empty() ? warm_size(request.labels()) : 0);
      if (warm.empty()) warm = for_once;
    }
    const SdpTask task{options_.tol, warm, env};
    if constexpr (takes_sparse) {
      const auto solver = [&](const SparseSdpProblem& problem) { return backend_.solve(problem, task); };
      if (is_sparse_ && !request.k())
        return detail::solve_sdp(sparse_, options_.tol, solver, request, result, env);
    }
    const auto solver = [&](const SdpProblem& problem) {
      if constexpr (requires { backend_.solve(problem, task); })
        return backend_.solve(problem, task);
      else
        return backend_.solve(problem, options_.tol, env);
    };
    detail::solve_sdp(is_sparse_ ? lazy_->of(sparse_) : A_, form(), options_.tol, solver, request, result,
                      env);
  }

 private:
  static constexpr uint32_t backend_flags = [] {
    if constexpr (requires { Backend::flags; }) return uint32_t{Backend::flags};
    return uint32_t{0};
  }();
  static constexpr bool takes_sparse = (backend_flags & CONCORD_SPARSE_PRIOR) != 0;
  static constexpr bool is_warm = requires(const Backend& b, int64_t V) { b.warm_size(V); };
  static constexpr SdpTolerance tolerance() {
    if constexpr (requires { Backend::tolerance; }) return Backend::tolerance;
    return {};
  }
  static int32_t identify(const concord_env* env, char* text, size_t bytes) {
    return sdk::guarded(env, [&] {
      const std::string solver = Backend::solver();
      if (bytes > 0) text[solver.copy(text, bytes - 1)] = '\0';
    });
  }
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
  bool is_sparse_ = false;
  Matrix A_;
  SparseRows sparse_;
  std::unique_ptr<detail::LazyDense> lazy_;  ///< of sparse_
};

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/sdp_backend.hpp>
#endif
