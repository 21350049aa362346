// SPDX-License-Identifier: MIT
#include <concord/plugin.hpp>

// Block-coordinate ascent from several random starts: no proof, but quick to write.
class Coordinate {
 public:
  struct Options {
    int starts;
  };
  static auto options() {
    using concord::opt;
    return concord::OptionList<Options>{
        opt("starts", &Options::starts, 8).range(1, 1e6).help("random starting points")};
  }
  static concord::Capabilities capabilities() {
    return {.moment = CONCORD_MOMENT_RANK_ONE, .flags = CONCORD_REENTRANT | CONCORD_RANDOMISED};
  }

  explicit Coordinate(const Options& options) : options_(options) {}

  void prepare(const concord::Prior& prior) { A_ = prior.dense(); }

  void solve(const concord::Request& request, const concord::Result& result) const {
    const concord::Vector c = request.c();
    double best = -std::numeric_limits<double>::infinity();
    uint64_t state = request.seed();
    for (int start = 0; start < options_.starts; ++start) {
      concord::Vector u(c.size());
      for (double& x : u) x = ((state = state * 6364136223846793005u + 1442695040888963407u) >> 63) ? 1 : -1;
      for (bool moved = true; moved;) {
        moved = false;
        for (Eigen::Index v = 0; v < u.size(); ++v) {
          const double slope = c(v) - 2 * A_.col(v).dot(u);  // A has no diagonal
          if (u(v) * slope < -1e-12) u(v) = -u(v), moved = true;
        }
      }
      const double value = u.dot(c) - u.dot(A_ * u);
      if (value > best) best = value, result.u() = u;
    }
    result.finish(CONCORD_FEASIBLE, best, NAN);
  }

 private:
  Options options_;
  concord::Matrix A_;
};

CONCORD_EXPORT_DECODER(Coordinate, "coordinate", "coordinate ascent from random starts")
