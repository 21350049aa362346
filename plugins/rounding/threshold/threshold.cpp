// SPDX-License-Identifier: MIT
// Cuts u at a level: the one that gives the best objective, or a given one.
#include <string>
#include <utility>

#include <concord/kit/objective.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;
using concord::Vector;

class Threshold {
 public:
  struct Options {
    std::string mode;
    double level;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("mode", &Options::mode, "best")
            .choices({"best", "level"})
            .help("best: the cut of u with the best objective; level: the labels with u above `level`"),
        opt("level", &Options::level, 0).help("where to cut u in mode level; 0 is the rounding `sign`")};
  }
  static concord::Capabilities capabilities() { return {.flags = CONCORD_SPARSE_PRIOR}; }

  explicit Threshold(Options options) : options_(std::move(options)) {}

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env&) const {
    const Vector labelling = kit::with_matrix(problem.prior, [&](const auto& A) {
      const auto c = problem.request.c();
      Vector u =
          options_.mode == "best" ? best_cut(A, c, relaxed.u()) : kit::sign(relaxed.u(), options_.level);
      return kit::better_of(A, c, std::move(u), start);
    });
    labels = labelling.array().cast<int8_t>();
  }

 private:
  /// The best of the V+1 cuts of u (the m largest entries are +1, m = 0, ..., V), ties to the smallest m. One
  /// label flips from each to the next, so all together cost O(V^2), or the number of entries of a sparse A.
  template <class M>
  static Vector best_cut(const M& A, const kit::VectorRef& c, const kit::VectorRef& u) {
    const auto order = kit::descending(u);
    const double scale = kit::magnitude(A, c);
    kit::Labelling<M> cut(A, c, Vector::Constant(u.size(), -1));
    double best = cut.value();
    size_t best_m = 0;
    for (size_t m = 1; m <= order.size(); ++m) {
      cut.flip(order[m - 1]);
      if (!kit::exceeds(cut.value(), best, scale)) continue;
      best = cut.value();
      best_m = m;
    }
    Vector labels = Vector::Constant(u.size(), -1);
    for (size_t m = 0; m < best_m; ++m) labels[order[m]] = 1;
    return labels;
  }

  Options options_;
};

}  // namespace

CONCORD_EXPORT_ROUNDING(Threshold, "threshold", "cuts u where the objective is best, or at a given level")
