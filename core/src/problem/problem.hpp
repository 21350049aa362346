// SPDX-License-Identifier: MIT
#pragma once
// The canonical problem: maximise u'c - u'Au over u in {-1,+1}^V, optionally with k labels at +1.
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <optional>
#include <utility>

namespace concord {

/// Which signs the couplings of a prior may have: A_ij < 0 attracts, A_ij > 0 repels.
enum class PriorSign { any, attractive, repulsive, none };

using LabelVector = Eigen::Array<int8_t, Eigen::Dynamic, 1>;  ///< -1 and +1
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int64_t>;

/// A symmetric matrix in exactly one of two forms. Sparse rows hold both triangles, columns increasing.
class PriorMatrix {
 public:
  PriorMatrix() = default;
  explicit PriorMatrix(Eigen::MatrixXd dense) : labels_(dense.rows()), dense_(std::move(dense)) {
    abs_sum_ = dense_.cwiseAbs().sum();
  }
  explicit PriorMatrix(SparseMatrix sparse) : labels_(sparse.rows()) {
    sparse_.emplace().swap(sparse);  // a sparse matrix of Eigen is not moved but copied
    abs_sum_ = sparse_->cwiseAbs().sum();
  }

  int64_t labels() const { return labels_; }
  bool is_sparse() const { return sparse_.has_value(); }
  const Eigen::MatrixXd& dense() const { return dense_; }  ///< requires !is_sparse()
  const SparseMatrix& sparse() const { return *sparse_; }  ///< requires is_sparse()
  Eigen::MatrixXd to_dense() const;
  double trace() const { return diagonal().sum(); }
  Eigen::VectorXd diagonal() const;
  /// The same matrix with a zero diagonal.
  PriorMatrix without_diagonal() const;
  /// u'Au
  double quadratic(const Eigen::VectorXd& u) const;
  /// <A, FF'>, without forming FF'
  double inner(const Eigen::MatrixXd& F) const;
  /// Sum of |A_ij|, the scale of rounding errors
  double abs_sum() const { return abs_sum_; }
  /// A pair i < j with A_ij > 0 (nullopt: the prior is attractive), or with A_ij != 0 (nullopt: it is zero)
  std::optional<std::pair<int64_t, int64_t>> repelling_pair() const;
  std::optional<std::pair<int64_t, int64_t>> coupled_pair() const;
  /// How many pairs i < j have A_ij != 0
  int64_t couplings() const;

 private:
  template <class Predicate>
  std::optional<std::pair<int64_t, int64_t>> first_pair(Predicate wanted) const;

  int64_t labels_ = 0;
  double abs_sum_ = 0;  // kept, as every answer of a decoder is judged by it
  Eigen::MatrixXd dense_;
  std::optional<SparseMatrix> sparse_;
};

enum class ProblemFormat { json, max_cut, qubo, matrix_market, dimod };

/// What a problem file talks about: u'b - u'Au and the weight of a cut are maximised, x'Qx and energies minimised.
enum class Objective { prior, cut, qubo, binary_energy, spin_energy };

struct CanonicalProblem {
  PriorMatrix A;  ///< may have a diagonal, which only shifts the objective by its trace
  Eigen::VectorXd c;
  std::optional<int64_t> k;
  Objective objective = Objective::prior;
  /// The file's own objective is objective_offset + objective_sign * (u'c - u'Au).
  double objective_offset = 0;
  double objective_sign = 1;

  int64_t labels() const { return A.labels(); }
  double value(const Eigen::VectorXd& u) const { return u.dot(c) - A.quadratic(u); }
  double file_objective(double canonical) const { return objective_offset + objective_sign * canonical; }
};

}  // namespace concord
