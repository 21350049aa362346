// SPDX-License-Identifier: MIT
#pragma once
// The bundle method with one slack (math: the bundle method). One pass decodes all instances at one point (W, A). The
// answers give a plane that lies below the risk R everywhere,
//   R(W, A) >= b + <P_W, W> + <P_A, A>,  P_W = (1/N) sum x_i (u_i - y_i)',  P_A = (1/N) sum (y_i y_i' - U_i),
// b = (1/N) sum L_i. Weights alpha of the planes, on the simplex, give a point of the dual: with g = sum alpha P
//   D(alpha) = sum alpha b - |g_W|^2 / (2 lambda_W) - lambda_A/2 |Pi_K(-g_A / lambda_A)|^2
// is no larger than the smallest objective. The next pass is made between the best point so far and the one that maximises D.
#include <vector>

#include "train/oracle.hpp"

namespace concord {

class Bundle : public DecodingFit {
 public:
  Bundle(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
         const RunControl& control);

  /// One pass.
  void epoch() override;
  /// The best point of all passes.
  Parameters parameters() const override;
  /// Costs nothing after the first pass, as each pass proves where it stands.
  FitReport evaluate() override;
  void save(ArchiveWriter& out) override;
  void restore(ArchiveReader& in) override;

  struct Plane {
    RowMatrix W;
    Eigen::MatrixXd A;  ///< symmetric; empty without a prior
    double b = 0;
    int64_t idle = 0;  ///< passes since it had a weight
  };
  const std::vector<Plane>& planes() const { return planes_; }
  /// The point that maximises the dual over the present planes.
  Parameters dual_point() const;

 private:
  struct Pass {
    Plane plane;
    FitReport report;
  };
  Pass pass(const Parameters& at);
  void begin();
  Parameters slope_at(const Parameters& at, const Plane& plane) const;
  double along(const Parameters& slope) const;
  void set_reach(double at_best, double at_pass);
  void add(Plane plane);
  void drop_idle();
  void maximise_dual();
  void combine_W();
  void combine_A();
  Eigen::ArrayXd slopes() const;
  double dual() const;

  std::vector<Plane> planes_;
  Eigen::ArrayXd alpha_;
  Eigen::MatrixXd products_W_, products_A_;  ///< <P_W, P_W'> and <P_A, P_A'> of all pairs of planes
  Parameters found_;                         ///< of alpha_
  Parameters best_;
  Parameters slope_;  ///< a subgradient of the objective at best_
  FitReport report_;  ///< of best_, and the best dual
  double reach_ = 1;  ///< the next pass is made so far from the best point to the dual's
};

}  // namespace concord
