// SPDX-License-Identifier: MIT
#pragma once
// Training rows as fits see them: preprocessed features, and the bases of scores that settings ask for, fitted to these
// rows. The scores of the rows themselves are out of sample, so that a fit can weigh the bases by them.
#include <Eigen/Core>
#include <vector>

#include "model/model.hpp"
#include "train/fit.hpp"

namespace concord {

class FitInput {
 public:
  /// `Y` must outlive it. Fault::input where a kernel matrix of all rows is too large for the memory.
  FitInput(const Settings& settings, const Features& X, const LabelMatrix& Y, uint64_t seed, ThreadPool& pool,
           const RunControl& control);

  const Preprocessor& preprocess() const { return preprocess_; }
  FitData data() const;
  /// What direct-f1 regresses; else empty.
  const std::vector<SizedLabel>& targets() const { return bases_.targets; }
  /// The bases with the weights that `parameters` have found, or those of the stack alone.
  Bases bases(const Parameters& parameters) const;

  /// The rows of X as the fitted bases see them: what linear_terms() needs of rows that are looked at several times.
  struct Rows {
    Features X;
    std::vector<Eigen::MatrixXd> scores;
    Eigen::MatrixXd direct;  ///< estimates of bases().targets; empty unless the rule is direct-f1
  };
  Rows rows(const Features& X, ThreadPool& pool) const;
  /// c = W'x + sum_m a_m s_m + b of these rows, V x n.
  Eigen::MatrixXd linear_terms(const Parameters& parameters, const Rows& rows) const;

 private:
  void fit_bases(const Settings& all, const Features& X, uint64_t seed, ThreadPool& pool,
                 const RunControl& control);
  void fit_kernel(Kernel kernel, double width, double lambda, ThreadPool& pool);
  void fit_waves(double width, int64_t waves, double lambda, const Features& scaled, uint64_t seed,
                 ThreadPool& pool);
  void weigh_direct();
  void fit_one_versus_rest(double lambda, const Features& scaled, uint64_t seed, ThreadPool& pool,
                           const RunControl& control);

  const LabelMatrix& Y_;
  Preprocessor preprocess_;
  Features X_;
  Bases bases_;
  std::vector<Eigen::MatrixXd> scores_;  // of each base, out of sample
  std::vector<Eigen::MatrixXd> direct_;  // of each kernel, out of sample: N x targets
  Eigen::MatrixXd offsets_;              // of the stack; empty without bases
};

/// alpha of kernel ridge regression on labels z in {0,1}, from squared distances, whose lower triangle becomes that of the
/// inverse (K + 11' + lambda I)^-1; `scores` become the
/// exact leave-one-out scores z_i - alpha_i / G_ii, V x N. One Cholesky factorisation, O(N^3).
RowMatrix kernel_ridge(Kernel kernel, double width, double lambda, Eigen::MatrixXd& squared_distances,
                       const LabelMatrix& Y, Eigen::MatrixXd& scores);

/// beta of ridge regression of the labels z on the waves of X and a constant 1: what kernel_ridge would be with the inner
/// products of waves for a kernel. `scores` become the exact leave-one-out scores (zhat_i - h_i z_i) / (1 - h_i), h_i =
/// phi_i'M^-1 phi_i, M = Phi'Phi + lambda I. Waves are made piece by piece, so that memory is by n^2 and not by N n. The bits
/// are the same for any threads.
RowMatrix wave_ridge(const Waves& waves, double lambda, const Features& X, const LabelMatrix& Y,
                     Eigen::MatrixXd& scores, ThreadPool& pool);

/// The targets of direct expected F1 that occur in Y, increasing.
std::vector<SizedLabel> direct_targets(const LabelMatrix& Y);

/// alpha of the targets, N x targets, by the inverse that kernel_ridge has left in the lower triangle of G; `estimates` become
/// the exact leave-one-out ones. No matrix of targets is made, as nearly all of it would be zero.
Eigen::MatrixXd direct_ridge(Eigen::MatrixXd& G, const LabelMatrix& Y, const std::vector<SizedLabel>& targets,
                             Eigen::MatrixXd& estimates);

/// Fault::input with what to do, unless `bytes` of a kernel matrix of so many rows fit.
void require_kernel_memory(double bytes, double available, int64_t rows);
/// The same for the kernels that settings ask for on all of X, before any work.
void require_kernel_memory(const Settings& settings, int64_t rows);

}  // namespace concord
