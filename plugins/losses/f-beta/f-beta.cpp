// SPDX-License-Identifier: MIT
// 1 - F_beta. With p positive labels in the truth, k in the prediction and j in both,
//   loss = 1 - (1 + beta^2) j / (beta^2 p + k),   and 0 for p = k = 0 (both empty is perfect).
// For a fixed k this is linear in y, as j = (y'y_i + 2p + 2k - V)/4: one subproblem for each k = 0, ..., V.
#include <concord/kit/conventions.hpp>
#include <concord/plugin.hpp>

namespace {

using concord::Labels;

class FBeta {
 public:
  struct Options {
    double beta;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("beta", &Options::beta, 1)
            .range(1e-6, 1e6)
            .help("weight of recall against precision: 1 is F1, above 1 favours recall")};
  }

  explicit FBeta(const Options& options) : square_(options.beta * options.beta) {}

  void prepare(int64_t V, int64_t, const concord::Counts&) { V_ = V; }

  /// The same loss as (beta^2 (p - j) + (k - j)) / (beta^2 p + k): never negative, and exactly 0 for the
  /// truth.
  double evaluate(const Labels& y, const Labels& truth) const {
    const auto p = static_cast<double>((truth > 0).count());
    const auto k = static_cast<double>((y > 0).count());
    const auto j = static_cast<double>((y > 0 && truth > 0).count());
    if (p + k == 0) return 0;
    return (square_ * (p - j) + (k - j)) / (square_ * p + k);
  }

  concord::FamilyShape shape() const { return {.subproblems = V_ + 1, .directions = 1, .rows = 1}; }

  /// constant_k = 1 + t_k (2k + 1'y_i),  lin_k = t_k y_i,  t_k = -(1 + beta^2) / (4 (beta^2 p + k)).
  void describe(const Labels& truth, const concord::Family& out) const {
    const int64_t p = (truth > 0).count();
    out.D().col(0) = truth.cast<double>();
    out.rows().setOnes();
    for (int64_t k = 0; k <= V_; ++k) {
      out.beta()(0, k) = concord::kit::beta_of(V_, k);
      const bool both_empty = p + k == 0;
      const double t =
          both_empty ? 0 : -(1 + square_) / (4 * (square_ * static_cast<double>(p) + static_cast<double>(k)));
      out.t()(0, k) = t;
      out.constants()[k] = both_empty ? 0 : 1 + t * static_cast<double>(2 * k + 2 * p - V_);
    }
  }

 private:
  double square_;
  int64_t V_ = 0;
};

}  // namespace

CONCORD_EXPORT_LOSS(FBeta, "f-beta", "1 - F_beta of each instance's set of labels")
