// SPDX-License-Identifier: MIT
// Any prior, by visiting every labelling: the reference that other decoders are compared with.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/kit/enumeration.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;

class Exhaustive {
 public:
  static constexpr int64_t most_labels = 24;  // 2^24 labellings: about a second

  static concord::Capabilities capabilities() {
    return {.max_labels = most_labels,
            .constraints = CONCORD_CONSTRAINTS_ROWS,
            .moment = CONCORD_MOMENT_RANK_ONE,
            .guarantee = CONCORD_MAY_BE_OPTIMAL,
            .flags = CONCORD_REENTRANT | CONCORD_AS_TIGHT_AS_SPECTRAL};
  }

  void prepare(const concord::Prior& prior) {
    if (prior.labels() > most_labels)
      throw concord::Unsupported("exhaustive visits all 2^V labellings and takes at most " +
                                 std::to_string(most_labels) + " labels, not " +
                                 std::to_string(prior.labels()));
    A_ = prior.dense();
  }

  void solve(const concord::Request& request, const concord::Result& result, const concord::Env& env) const {
    const auto k = request.k();
    if (k && (*k < 0 || *k > request.labels()))
      return result.fail(CONCORD_INFEASIBLE, "no labelling has the required number of positive labels");
    if (!std::isfinite(kit::magnitude(A_, request.c())))
      throw std::invalid_argument("the objective is not finite");
    std::vector<concord::Vector> rows;
    for (uint32_t r = 0; r < request.row_count(); ++r) rows.push_back(request.row_vector(r));
    concord::Interruption stop(env);
    const auto best = kit::enumerate(A_, request.c(), k, stop, [&](const concord::Vector& u) {
      for (uint32_t r = 0; r < request.row_count(); ++r)
        if (!kit::on_row(rows[r], request.row(r).beta, u)) return false;
      return true;
    });
    if (best.u.size() == 0)
      return result.fail(CONCORD_INFEASIBLE, "no labelling satisfies the equality rows");
    result.u() = best.u;
    result.counters(1, 0, best.visited);
    result.finish(stop.status().value_or(CONCORD_OPTIMAL), best.value,
                  stop.status() ? std::numeric_limits<double>::quiet_NaN() : best.value);
  }

 private:
  concord::Matrix A_;
};

}  // namespace

CONCORD_EXPORT_DECODER(Exhaustive, "exhaustive", "any prior, exact, by visiting all labellings (V <= 24)")
