// SPDX-License-Identifier: MIT
// 1 - |y and t| / |y or t|, the share of the labels in either set that are not in both; both empty is perfect.
#include <concord/kit/conventions.hpp>
#include <concord/plugin.hpp>

namespace {

using concord::Labels;

class Jaccard {
 public:
  void prepare(int64_t V, int64_t, const concord::Counts&) { V_ = V; }

  double evaluate(const Labels& y, const Labels& truth) const {
    const auto either = static_cast<double>((y > 0 || truth > 0).count());
    const auto wrong = static_cast<double>((y != truth).count());
    return either == 0 ? 0 : wrong / either;
  }

  /// At most: a truth without positives has V + 1 numbers of false positives.
  concord::FamilyShape shape() const { return {.subproblems = V_ + 1, .directions = 1, .rows = 1}; }

  /// With p positives in the truth and f false positives the union has p + f labels, and the loss is
  /// 1 - (p + d'u) / (2 (p + f)), d = 1 on the positives: linear in u. The row fixes f: e'u = 2f - |e|, e = 1 on
  /// the negatives.
  int64_t describe(const Labels& truth, const concord::Family& out) const {
    const int64_t p = (truth > 0).count();
    const int64_t negatives = V_ - p;
    out.D().col(0) = (truth > 0).cast<double>();
    out.rows().col(0) = (truth < 0).cast<double>();
    for (int64_t f = 0; f <= negatives; ++f) {
      const bool both_empty = p + f == 0;
      const double t = both_empty ? 0 : -1 / static_cast<double>(2 * (p + f));
      out.t()(0, f) = t;
      out.constants()[f] = both_empty ? 0 : 1 + t * static_cast<double>(p);
      out.beta()(0, f) = concord::kit::beta_of(negatives, f);
    }
    return negatives + 1;
  }

 private:
  int64_t V_ = 0;
};

}  // namespace

CONCORD_EXPORT_LOSS(Jaccard, "jaccard", "1 - the Jaccard index of each instance's set of labels")
