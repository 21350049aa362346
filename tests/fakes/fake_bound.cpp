// SPDX-License-Identifier: MIT
// Decoders whose bound is proven but for about one problem in a thousand, where it is 0.1 % too low:
// RARE_FALSE_BOUND has the optimum itself as bound, beside labels without a proof; RARE_FALSE_SPECTRAL_BOUND is
// the relaxation to the sphere.
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include <concord/kit/enumeration.hpp>
#include <concord/kit/rng.hpp>
#include <concord/kit/spectral.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;
using concord::Vector;

class FakeBound {
 public:
  static concord::Capabilities capabilities() {
    concord::Capabilities c;
    c.constraints = CONCORD_CONSTRAINTS_CARDINALITY;
    c.guarantee = CONCORD_BOUNDS;
#if defined(FAULT_RARE_FALSE_SPECTRAL_BOUND)
    c.moment = CONCORD_MOMENT_SPHERE;
    c.flags = CONCORD_USES_DIAGONAL | CONCORD_AS_TIGHT_AS_SPECTRAL;
#else
    c.moment = CONCORD_MOMENT_RANK_ONE;
    c.max_labels = 14;
#endif
    return c;
  }

  void prepare(const concord::Prior& prior) {
    A_ = prior.dense();
  }

  void solve(const concord::Request& request, const concord::Result& result) const {
    const Vector c = request.c();
    const auto k = request.k();
    if (!c.allFinite() || !A_.allFinite() || (k && (*k < 0 || *k > c.size())))
      throw std::invalid_argument("no problem of finite numbers");
#if defined(FAULT_RARE_FALSE_SPECTRAL_BOUND)
    const kit::SpectralFactors factors(A_);
    const kit::SpectralProblem problem{
        c.data(), k ? kit::beta_of(c.size(), *k) : std::numeric_limits<double>::quiet_NaN()};
    Vector u(c.size());
    kit::SpectralAnswer answer{u.data(), 0, 0};
    kit::solve_spectral(factors, {&problem, 1}, {&answer, 1});
    result.u() = u;
    result.finish(CONCORD_RELAXED, answer.value, spoiled(answer.bound, c));
#else
    result.u() = kit::labels_of(c, k);
    const double best = kit::enumerate(A_, c, k, [] { return false; }).value;
    result.finish(CONCORD_RELAXED, kit::objective(A_, c, result.u()), spoiled(best, c));
#endif
  }

 private:
  static double spoiled(double bound, const Vector& c) {
    uint64_t hash = 1;
    for (const double x : c) hash = kit::derive(hash, std::bit_cast<uint64_t>(x));
    return hash % 1000 == 0 ? bound - 1e-3 * std::abs(bound) : bound;
  }

  concord::Matrix A_;
};

}  // namespace

CONCORD_EXPORT_DECODER(FakeBound, FAKE_NAME, "wrong once in a thousand problems")
