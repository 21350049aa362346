// SPDX-License-Identifier: MIT
// A = 0: the labels do not interact, and the maximiser of u'c is sign(c), or the top-k of c among the labels of a
// row of zeros and ones and sign(c) elsewhere.
#include <limits>
#include <string>
#include <utility>

#include <concord/kit/objective.hpp>
#include <concord/plugin.hpp>

#include "modular_family.hpp"

namespace {

using concord::Env;
using concord::Family;
using concord::Prior;
using concord::Request;
using concord::Result;
using concord::Unsupported;
using concord::Vector;
using concord::modular::Winner;
namespace kit = concord::kit;

class Modular {
 public:
  static concord::Capabilities capabilities() {
    return {.prior = CONCORD_PRIOR_ZERO,
            .constraints = CONCORD_CONSTRAINTS_SUBSET,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_REENTRANT | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  void prepare(const Prior& prior) {
    kit::with_matrix(prior, []<class M>(const M& A) {
      for (int64_t v = 0; v < A.outerSize(); ++v)
        for (Eigen::InnerIterator<M> it(A, v); it; ++it)
          if (it.row() != it.col() && it.value() != 0)
            throw Unsupported("modular needs a zero prior, but labels " + std::to_string(it.row()) + " and " +
                              std::to_string(it.col()) + " are coupled (A = " + std::to_string(it.value()) +
                              ")");
    });
  }

  void solve(const Request& request, const Result& result) const {
    Row row(request.labels());
    if (request.row_count() > 0) row = Row(request.row_vector(0));
    require_subset(request.row_count(), row);
    std::optional<int64_t> k;
    if (request.row_count() > 0) {
      k = kit::k_of(row.ones, request.row(0).beta);
      if (!k) return infeasible(result);
    }
    result.u() = concord::modular::maximiser(request.c(), row.e, k);
    const double value = request.c().dot(result.u());
    result.finish(CONCORD_OPTIMAL, value, value);
  }

  void solve_family(const Request& request, const Family& family, const Result& result, const Env&) const {
    Row row(request.labels());
    if (family.row_count() > 0) row = Row(family.rows().col(0));
    require_subset(family.row_count(), row);
    const Vector beta = family.row_count() > 0
                            ? Vector(family.beta().row(0).transpose())
                            : Vector::Constant(family.size(), std::numeric_limits<double>::quiet_NaN());
    const bool one_sort = family.D().cols() == 1 && concord::modular::two_values(family.D().col(0));
    const Winner best = one_sort ? concord::modular::solve_family(request.c(), family.D().col(0),
                                                                  family.t().row(0).transpose(),
                                                                  family.constants(), row.e, beta)
                                 : each_subproblem(request.c(), family, row, beta);
    if (best.subproblem < 0) return infeasible(result);
    result.u() = best.u;
    result.winner(best.subproblem);
    result.counters(family.size(), 0);
    result.finish(CONCORD_OPTIMAL, best.value, best.value);
  }

 private:
  /// The labels whose positives are counted, of which there are `ones`.
  struct Row {
    explicit Row(int64_t labels) : e(Vector::Zero(labels)) {}
    explicit Row(Vector coefficients) : e(std::move(coefficients)), ones((e.array() != 0).count()) {}
    Vector e;
    int64_t ones = 0;
  };

  static void require_subset(int64_t row_count, const Row& row) {
    if (row_count > 1) throw Unsupported("modular takes one equality row, and there are more");
    if ((row.e.array() != 0 && row.e.array() != 1).any())
      throw Unsupported("modular takes an equality row of zeros and ones, and there are other coefficients");
  }

  static void infeasible(const Result& result) {
    result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
  }

  /// Families of any other structure, O(V (m + log V)) for each subproblem; the same rule for ties.
  static Winner each_subproblem(const kit::VectorRef& c, const Family& family, const Row& row,
                                const Vector& beta) {
    Winner best;
    for (int64_t s = 0; s < family.size(); ++s) {
      const auto k = kit::k_of(row.ones, beta[s]);
      if (!k && !std::isnan(beta[s])) continue;
      const Vector linear = c + family.D() * family.t().col(s);
      const Vector u = concord::modular::maximiser(linear, row.e, k);
      const double value = family.constants()[s] + linear.dot(u);
      const double scale = std::abs(family.constants()[s]) + linear.cwiseAbs().sum();
      if (best.subproblem < 0 || kit::exceeds(value, best.value, scale)) best = {s, u, value};
    }
    return best;
  }
};

}  // namespace

CONCORD_EXPORT_DECODER(Modular, "modular", "independent labels (A = 0), solved exactly by sorting")
