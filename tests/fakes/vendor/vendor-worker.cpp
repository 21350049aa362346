// SPDX-License-Identifier: MIT
// The worker of sdp-vendor: coordinate ascent on a factor, for dense and sparse A. With a cardinality it has y alone.
#include <cstring>
#include <sstream>

#include <concord/kit/rng.hpp>
#include <concord/kit/sdp_worker.hpp>

#include "vendor.hpp"

namespace {

using namespace concord::kit;

Vector times_A(const SdpProblem& problem, const Matrix& X, Index v) {
  return X.leftCols(problem.labels()) * problem.A.col(v);
}
Vector times_A(const SparseSdpProblem& problem, const Matrix& X, Index v) {
  Vector g = Vector::Zero(X.rows());
  for (SparseRows::InnerIterator it(problem.A, v); it; ++it) g += it.value() * X.col(it.index());
  return g;
}

template <class Problem>
SdpAnswer ascend(const Problem& problem, SdpWork& work, const char* form) {
  const Index V = problem.labels(), n = V + 1, r = vendor::rank(V);
  if (work.warm.size() != sizeof(double) * static_cast<size_t>(vendor::warm_numbers(V)))
    throw std::runtime_error("a warm block of another size");
  std::vector<double> warm(work.warm.size() / sizeof(double));
  std::memcpy(warm.data(), work.warm.data(), work.warm.size());
  std::ostringstream line;
  line << form << ", solved " << warm[0] << " times before, sweeps " << work.options.integer("sweeps")
       << ", polish " << work.options.flag("polish") << ", " << work.options.text("mode") << ", note '"
       << work.options.text("note") << "', " << work.options.reals("weights").size() << " weights";
  work.log(CONCORD_LOG_INFO, line.str());

  // Noise leaves the place of another problem's solution, where the ascent might be stuck.
  Rng rng(1);
  Matrix X = Matrix::NullaryExpr(r, n, [&] { return (warm[0] > 0 ? 0.1 : 1.0) * rng.normal(); });
  if (warm[0] > 0) X += Eigen::Map<const Matrix>(warm.data() + 1, r, n);
  X.colwise().normalize();
  Vector y(n);
  const auto gradient = [&](Index i) -> Vector {
    if (i == V) return X.leftCols(V) * problem.c / 2;
    return X.col(V) * (problem.c[i] / 2) - times_A(problem, X, i);
  };
  const int64_t sweeps = work.options.integer("sweeps");
  for (int64_t sweep = 0; sweep < sweeps && work.seconds_left() > 0; ++sweep) {
    double moved = 0;
    for (Index i = 0; i < n; ++i) {
      const Vector g = gradient(i);
      if (!(g.norm() > 0)) continue;
      moved = std::max(moved, (g.normalized() - X.col(i)).squaredNorm());
      X.col(i) = g.normalized();
    }
    if (moved < 1e-3 * work.tol * work.tol) break;
  }
  for (Index i = 0; i < n; ++i) y[i] = gradient(i).norm();
  SdpAnswer answer;
  answer.y = y;
  if (sweeps == 0) return answer;
  answer.X = X;
  warm[0] += 1;
  Eigen::Map<Matrix>(warm.data() + 1, r, n) = X;
  std::memcpy(work.warm.data(), warm.data(), work.warm.size());
  return answer;
}

struct Solver {
  SdpAnswer operator()(const SdpProblem& problem, SdpWork& work) const {
    if (!problem.has_cardinality()) return ascend(problem, work, "dense");
    SdpAnswer answer;
    answer.y = problem.cost().cwiseAbs().rowwise().sum();
    return answer;
  }
  SdpAnswer operator()(const SparseSdpProblem& problem, SdpWork& work) const {
    return ascend(problem, work, "sparse");
  }
};

}  // namespace

int main(int argc, char** argv) {
  return sdp_worker(argc, argv, Solver{}, "vendor's solver 1.2.3");
}
