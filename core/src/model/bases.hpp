// SPDX-License-Identifier: MIT
#pragma once
// Bases of scores: what enters the linear term beside W'x, c = W'x + sum_m a_m s_m(x) + b.
//
// A kernel base is ridge regression of the labels z in {0,1}: with G = (K + 11' + lambda I)^-1 and alpha = GZ the score of
// a new x is (k(x) + 1)'alpha. One-versus-rest is a base, and so are scores that come with the data.
//
// Random Fourier features stand for a Gaussian kernel of more rows than a matrix of all pairs has room for.
//
// Direct expected F1 regresses z_v 2/(|z| + k) for every k. Ridge regression is linear in its targets, so it is enough to
// regress the indicators z_v [|z| = s] of the pairs (v, s) that occur.
#include <Eigen/Core>
#include <vector>

#include "base/run.hpp"
#include "data/dataset.hpp"

namespace concord {

enum class Kernel { rbf, laplace };

/// The target z_v [|z| = s]; without a label (-1) it is [|z| = 0].
struct SizedLabel {
  int64_t label = -1, size = 0;
  auto operator<=>(const SizedLabel&) const = default;  // NOLINT(modernize-use-nullptr): the check errs
};

struct KernelRidge {
  Kernel kernel = Kernel::rbf;
  double width = 1;       ///< in the units of the features
  RowMatrix alpha;        ///< N x V
  RowMatrix direct = {};  ///< N x targets: alpha of the targets, times the weight of this kernel; or empty
};

/// n random Fourier features of x, sqrt(2/n) cos(omega_j'x + phase_j), omega_j normal with deviation 1/width and phase_j
/// uniform: their inner products approach the Gaussian kernel exp(-|x-z|^2 / (2 width^2)) (Rahimi, Recht 2007).
struct Waves {
  RowMatrix frequencies;   ///< columns of x times n; omega_j is a column
  Eigen::VectorXd phases;  ///< n of them

  static Waves draw(int64_t columns, int64_t n, double width, uint64_t seed);
  bool empty() const { return phases.size() == 0; }
  /// One row for each of X. The bits of an instance depend neither on the others nor on how it is stored.
  RowMatrix of(const Features& X, ThreadPool* pool) const;
};

/// Ridge regression on waves and a constant 1, with lambda as a kernel base has it.
struct WaveRidge {
  Waves waves;
  RowMatrix beta;  ///< (n + 1) x V
};

struct Bases {
  int64_t labels = 0;                ///< V
  Features rows;                     ///< the N scaled training rows that kernels compare with; else empty
  WaveRidge waves;                   ///< in the place of the rbf kernel; else empty
  std::vector<KernelRidge> kernels;  ///< rbf, then laplace, where they are there
  RowMatrix W;        ///< of one-versus-rest on the scaled features and a constant 1; else empty
  int64_t given = 0;  ///< bases that come with the data
  Eigen::VectorXd
      weights;  ///< a_m: of waves, of the kernels, of one-versus-rest, of those that come with the data
  Eigen::VectorXd offsets;          ///< b_v
  std::vector<SizedLabel> targets;  ///< of direct expected F1, increasing; else empty

  bool empty() const { return count() == 0; }
  int64_t count() const {
    return static_cast<int64_t>(kernels.size()) + (waves.beta.size() > 0 ? 1 : 0) + (W.size() > 0 ? 1 : 0) +
           given;
  }
};

/// The rows z_j of Z, which other rows are compared with.
class KernelRows {
 public:
  /// `Z` must outlive it.
  explicit KernelRows(const Features& Z);
  static constexpr int64_t kChunk = 64;

  /// |x_i - z_j|^2 for `count` rows x_i from `begin` on, as columns. Bits may depend on where a chunk begins and on how
  /// many rows it has: whoever divides X does so at multiples of kChunk.
  Eigen::MatrixXd squared_distances(const Features& X, int64_t begin, int64_t count) const;
  int64_t rows() const { return Z_.rows(); }

 private:
  const Features& Z_;
  SparseMatrix by_feature_;  // the transpose of sparse Z
  Eigen::VectorXd norms_;    // |z_j|^2
};

/// The kernel's values in the place of squared distances.
void apply_kernel(Kernel kernel, double width, Eigen::Ref<Eigen::MatrixXd> squared_distances);

/// sqrt(2 (mean |x|^2 - |mean x|^2)): the root mean square distance of two rows. 1 if all are equal.
double rms_distance(const Features& X);

/// V x n scores of each base, in the order of the weights. `given` has given * V columns. `direct`, if asked for, gets the
/// estimates of the targets, targets x n.
std::vector<Eigen::MatrixXd> base_scores(const Bases& bases, const Features& scaled, const RowMatrix& given,
                                         ThreadPool* pool, Eigen::MatrixXd* direct = nullptr);

/// sum_m a_m s_m + b
Eigen::MatrixXd stacked(const Eigen::VectorXd& weights, const Eigen::VectorXd& offsets,
                        const std::vector<Eigen::MatrixXd>& scores);

}  // namespace concord
