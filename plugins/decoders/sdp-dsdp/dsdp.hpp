// SPDX-License-Identifier: MIT
#pragma once
// One call of DSDP: from a problem to M and y. The library has a global variable: one call at a time.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <concord/kit/sdp_answer.hpp>

extern "C" {  // parts of the header forget it
#include <dsdp/dsdp5.h>
}

namespace concord::dsdp {

/// Throws when a function of the library does not return 0.
inline void must(int code, const char* what) {
  if (code != 0)
    throw std::runtime_error(std::string("DSDP failed in ") + what + " (code " + std::to_string(code) + ")");
}

class Solver {
 public:
  explicit Solver(int variables) { must(DSDPCreate(variables, &handle_), "DSDPCreate"); }
  ~Solver() { DSDPDestroy(handle_); }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  operator DSDP() const { return handle_; }

 private:
  DSDP handle_ = nullptr;
};

/// Asked once per iteration whether it is time to stop.
using Interrupted = std::function<bool()>;

inline int poll(DSDP handle, void* interrupted) {
  if ((*static_cast<const Interrupted*>(interrupted))())
    DSDPSetConvergenceFlag(handle, DSDP_USER_TERMINATION);
  return 0;
}

/// DSDP's symmetric matrices: the lower triangle by rows.
inline int place(Eigen::Index i, Eigen::Index j) {
  return static_cast<int>(i * (i + 1) / 2 + j);
}

/// requires V >= 3, and 0 < k < V with a cardinality. An interrupted solve returns y alone. `reuse` is DSDP's
/// own default, for comparisons of time.
inline kit::SdpAnswer solve(const kit::SdpProblem& problem, double tol, Interrupted interrupted = nullptr,
                            bool reuse = false) {
  using Eigen::Index;
  const kit::SdpReduced reduced(problem);
  const Index n = problem.order(), m = reduced.order();
  const int order = static_cast<int>(m);
  const int count = static_cast<int>(n) + (problem.is_row() ? 1 : 0);

  // DSDP minimises <C, Z> and has C - sum_i y_i A_i >= 0, so its C and y are ours with the other sign.
  std::vector<double> cost, dense;
  std::vector<int> units, everywhere;
  const auto lower = static_cast<size_t>(m * (m + 1) / 2);
  cost.reserve(lower);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) cost.push_back(-reduced.cost()(i, j));
  const std::vector<double> ones(static_cast<size_t>(n), 1.0), halves(static_cast<size_t>(n), 0.5);
  for (Index i = 0; i < n; ++i) units.push_back(place(reduced.unit_row(i), reduced.unit_row(i)));

  const Solver dsdp(count);
  SDPCone cone = nullptr;
  must(DSDPCreateSDPCone(dsdp, 1, &cone), "DSDPCreateSDPCone");
  must(SDPConeSetBlockSize(cone, 0, order), "SDPConeSetBlockSize");
  must(SDPConeSetStorageFormat(cone, 0, 'P'), "SDPConeSetStorageFormat");
  must(SDPConeSetADenseVecMat(cone, 0, 0, order, 1.0, cost.data(), static_cast<int>(lower)),
       "SDPConeSetADenseVecMat");
  for (Index i = 0; i < n; ++i) {
    const int variable = static_cast<int>(i) + 1;
    if (const kit::Vector* b = reduced.dense_row(i)) {
      for (Index j = 0; j < m; ++j) everywhere.push_back(static_cast<int>(j));
      dense.assign(b->data(), b->data() + m);
      must(SDPConeSetARankOneMat(cone, 0, variable, order, 1.0, 0, everywhere.data(), dense.data(), order),
           "SDPConeSetARankOneMat");
    } else {
      const auto at = static_cast<size_t>(i);
      must(SDPConeSetASparseVecMat(cone, 0, variable, order, 1.0, 0, &units[at], &ones[at], 1),
           "SDPConeSetASparseVecMat");
    }
    must(DSDPSetDualObjective(dsdp, variable, 1.0), "DSDPSetDualObjective");
  }
  if (problem.is_row()) {
    for (Index v = 0; v + 1 < n; ++v) everywhere.push_back(place(n - 1, v));
    must(SDPConeSetASparseVecMat(cone, 0, count, order, 1.0, 0, everywhere.data(), halves.data(),
                                 static_cast<int>(n) - 1),
         "SDPConeSetASparseVecMat");
    must(DSDPSetDualObjective(dsdp, count, problem.beta), "DSDPSetDualObjective");
  }
  must(DSDPSetGapTolerance(dsdp, tol), "DSDPSetGapTolerance");
  // By default DSDP gives up too soon. After steps that reuse the Schur matrix, DSDP may also believe in an X
  // that is far from feasible.
  must(DSDPSetStepTolerance(dsdp, 1e-6), "DSDPSetStepTolerance");
  if (!reuse) must(DSDPReuseMatrix(dsdp, 0), "DSDPReuseMatrix");
  if (interrupted) must(DSDPSetMonitor(dsdp, poll, &interrupted), "DSDPSetMonitor");
  must(DSDPSetup(dsdp), "DSDPSetup");
  must(DSDPSolve(dsdp), "DSDPSolve");

  DSDPTerminationReason reason = CONTINUE_ITERATING;
  must(DSDPStopReason(dsdp, &reason), "DSDPStopReason");
  kit::SdpAnswer answer;
  kit::Vector y(count);
  must(DSDPGetY(dsdp, y.data(), count), "DSDPGetY");
  answer.y = -y.head(n);
  if (problem.is_row()) answer.mu = -y[n];
  if (reason == DSDP_USER_TERMINATION) return answer;
  answer.cut = reason != DSDP_CONVERGED;
  if (answer.cut) answer.remark = "DSDP stopped early (reason " + std::to_string(reason) + ")";
  must(DSDPComputeX(dsdp), "DSDPComputeX");
  double* x = nullptr;
  int length = 0;
  must(SDPConeGetXArray(cone, 0, &x, &length), "SDPConeGetXArray");
  if (length != static_cast<int>(lower)) throw std::runtime_error("DSDP returned an X of another size");
  kit::Matrix Z(m, m);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) Z(i, j) = Z(j, i) = x[place(i, j)];
  must(SDPConeRestoreXArray(cone, 0, &x, &length), "SDPConeRestoreXArray");
  double primal = 0;
  must(DSDPGetPObjective(dsdp, &primal), "DSDPGetPObjective");
  answer.M = reduced.expand(Z);
  answer.objective = -primal;
  return answer;
}

}  // namespace concord::dsdp
