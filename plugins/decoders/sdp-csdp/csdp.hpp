// SPDX-License-Identifier: MIT
#pragma once
// One call of CSDP (libsdp): from a problem to M and y. Include it in one file of an *executable* only: it
// takes the place of the library's `initparams`, which would read param.csdp from the current directory. The
// library may call exit() and keeps state in globals.
#include <array>
#include <stdexcept>
#include <vector>

#include <concord/kit/sdp_answer.hpp>

// CSDP declares these functions of LAPACK without their arguments, against every other declaration of them.
#define dpotrf_ csdp_declares_dpotrf_
#define dpotri_ csdp_declares_dpotri_
#define dpotrs_ csdp_declares_dpotrs_
#define dtrtri_ csdp_declares_dtrtri_
extern "C" {
#include <csdp/declarations.h>
}
#undef dpotrf_
#undef dpotri_
#undef dpotrs_
#undef dtrtri_

namespace concord::csdp {

struct Parameters {
  double tol = 0;
  bool asked = false;  ///< by the library, so it reads no file
};
inline Parameters parameters;

}  // namespace concord::csdp

/// The library's own defaults but for the tolerance of the gap, and silence.
extern "C" __attribute__((visibility("default"))) void initparams(paramstruc* out, int* print_level) {
  *out = {.axtol = 1e-8,
          .atytol = 1e-8,
          .objtol = concord::csdp::parameters.tol,
          .pinftol = 1e8,
          .dinftol = 1e8,
          .maxiter = 100,
          .minstepfrac = 0.90,
          .maxstepfrac = 0.97,
          .minstepp = 1e-8,
          .minstepd = 1e-8,
          .usexzgap = 1,
          .tweakgap = 0,
          .affine = 0,
          .perturbobj = 1,
          .fastmode = 0};
  *print_level = 0;
  concord::csdp::parameters.asked = true;
}

namespace concord::csdp {

/// The meaning of a return code.
inline const char* meaning(int code) {
  static constexpr std::array text{"success",
                                   "it believes the problem primal infeasible",
                                   "it believes the problem dual infeasible",
                                   "it did not reach its full accuracy",
                                   "it reached its limit of iterations",
                                   "it is stuck at the edge of primal feasibility",
                                   "it is stuck at the edge of dual feasibility",
                                   "it makes no more progress",
                                   "a matrix became singular",
                                   "it met NaN or infinity",
                                   "it gave up"};
  return code >= 0 && code < static_cast<int>(text.size()) ? text[static_cast<size_t>(code)]
                                                           : "an unknown return code";
}

/// One constraint matrix: the entries of its upper triangle, counted from 1 as CSDP does.
struct Constraint {
  std::vector<double> entries{0};
  std::vector<int> rows{0};
  std::vector<int> columns{0};
  sparseblock block{};

  void add(Eigen::Index i, Eigen::Index j, double value) {
    entries.push_back(value);
    rows.push_back(static_cast<int>(i) + 1);
    columns.push_back(static_cast<int>(j) + 1);
  }
};

/// requires V >= 3, and 0 < k < V with a cardinality. Throws when CSDP has no answer.
inline kit::SdpAnswer solve(const kit::SdpProblem& problem, double tol) {
  using Eigen::Index;
  const kit::SdpReduced reduced(problem);
  const Index n = problem.order(), m = reduced.order();
  const int order = static_cast<int>(m);
  const int count = static_cast<int>(n) + (problem.is_row() ? 1 : 0);

  std::vector<Constraint> constraints(static_cast<size_t>(count));
  std::vector<double> right(static_cast<size_t>(count) + 1, 1.0);
  for (Index i = 0; i < n; ++i) {
    Constraint& one = constraints[static_cast<size_t>(i)];
    if (const kit::Vector* b = reduced.dense_row(i)) {
      for (Index col = 0; col < m; ++col)
        for (Index row = 0; row <= col; ++row)
          if (const double value = (*b)[row] * (*b)[col]; value != 0) one.add(row, col, value);
    } else {
      one.add(reduced.unit_row(i), reduced.unit_row(i), 1);
    }
  }
  if (problem.is_row()) {
    for (Index v = 0; v + 1 < n; ++v) constraints.back().add(v, n - 1, 0.5);
    right.back() = problem.beta;
  }
  std::vector<constraintmatrix> table(static_cast<size_t>(count) + 1);
  for (int i = 1; i <= count; ++i) {
    Constraint& one = constraints[static_cast<size_t>(i) - 1];
    one.block = {.next = nullptr,
                 .nextbyblock = nullptr,
                 .entries = one.entries.data(),
                 .iindices = one.rows.data(),
                 .jindices = one.columns.data(),
                 .numentries = static_cast<int>(one.entries.size()) - 1,
                 .blocknum = 1,
                 .blocksize = order,
                 .constraintnum = i,
                 .issparse = 0};
    table[static_cast<size_t>(i)].blocks = &one.block;
  }

  kit::Matrix cost = reduced.cost();
  std::array<blockrec, 2> blocks{};  // the first is not used
  blocks[1].blockcategory = MATRIX;
  blocks[1].blocksize = order;
  blocks[1].data.mat = cost.data();
  const blockmatrix C{1, blocks.data()};

  blockmatrix Z{}, slack{};
  double* y = nullptr;
  double primal = 0, dual = 0;
  parameters = {tol, false};
  initsoln(order, count, C, right.data(), table.data(), &Z, &y, &slack);
  const int code = easy_sdp(order, count, C, right.data(), table.data(), 0, &Z, &y, &slack, &primal, &dual);

  kit::SdpAnswer answer;
  answer.M = reduced.expand(Eigen::Map<const kit::Matrix>(Z.blocks[1].data.mat, m, m));
  answer.y = Eigen::Map<const kit::Vector>(y + 1, n);
  if (problem.is_row()) answer.mu = y[count];
  answer.objective = primal;
  free_mat(Z);
  free_mat(slack);
  std::free(y);
  if (!parameters.asked) throw std::runtime_error("this libsdp does not let its parameters be set");
  if (code != 0) answer.remark = std::string("CSDP says: ") + meaning(code);
  answer.cut = code >= 3;
  if (code == 1 || code == 2 || code > 7) throw std::runtime_error(answer.remark);
  return answer;
}

}  // namespace concord::csdp
