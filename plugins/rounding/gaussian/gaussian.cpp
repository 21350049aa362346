// SPDX-License-Identifier: MIT
// Draws labels from the relaxed solution. With F = [u, G] and xi normal, v = u + G xi has mean u and
// covariance U - uu' = GG', so the second moment of v is U. The signs of v are labels; under a cardinality
// its top-k are. The best of the draws and of u itself is kept. Where F = u there is nothing to draw.
#include <utility>

#include <concord/kit/objective.hpp>
#include <concord/kit/rng.hpp>
#include <concord/plugin.hpp>

namespace {

namespace kit = concord::kit;
using concord::Vector;

class Gaussian {
 public:
  struct Options {
    int64_t draws;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{opt("draws", &Options::draws, 100)
                                            .range(1, 1e6)
                                            .help("how many times to draw; the best labels are kept")};
  }
  static concord::Capabilities capabilities() {
    return {.constraints = CONCORD_CONSTRAINTS_CARDINALITY,
            .flags = CONCORD_SPARSE_PRIOR | CONCORD_RANDOMISED};
  }

  explicit Gaussian(const Options& options) : options_(options) {}

  void round(const concord::Problem& problem, const concord::Relaxed& relaxed, const int8_t* start,
             concord::LabelsOut labels, const concord::Env& env) const {
    const Vector u = kit::with_matrix(problem.prior, [&](const auto& A) {
      return kit::better_of(A, problem.request.c(), best_draw(A, problem.request, relaxed, env), start);
    });
    labels = u.array().cast<int8_t>();
  }

 private:
  template <class M>
  Vector best_draw(const M& A, const concord::Request& request, const concord::Relaxed& relaxed,
                   const concord::Env& env) const {
    const auto c = request.c();
    const auto k = request.k();
    const auto F = relaxed.F();
    Vector best = kit::labels_of(relaxed.u(), k);
    if (F.cols() == 1) return best;

    const auto G = F.rightCols(F.cols() - 1);
    const double scale = kit::magnitude(A, c);
    double best_value = kit::objective(A, c, best);
    kit::Rng rng(request.seed());
    Vector xi(G.cols());
    for (int64_t draw = 0; draw < options_.draws; ++draw) {
      if (draw % 64 == 63 && env.interruption()) break;
      for (double& x : xi) x = rng.normal();
      Vector candidate = kit::labels_of(relaxed.u() + G * xi, k);
      const double value = kit::objective(A, c, candidate);
      if (!kit::exceeds(value, best_value, scale)) continue;  // of equal ones the first
      best_value = value;
      best = std::move(candidate);
    }
    return best;
  }

  Options options_;
};

}  // namespace

CONCORD_EXPORT_ROUNDING(Gaussian, "gaussian",
                        "the best of many draws with the relaxed solution's mean and moment")
