// SPDX-License-Identifier: MIT
#include "problem/problem.hpp"

namespace concord {

Eigen::MatrixXd PriorMatrix::to_dense() const {
  return sparse_ ? Eigen::MatrixXd(*sparse_) : dense_;
}

Eigen::VectorXd PriorMatrix::diagonal() const {
  if (sparse_) return sparse_->diagonal();
  return dense_.diagonal();
}

PriorMatrix PriorMatrix::without_diagonal() const {
  if (sparse_) {
    SparseMatrix rest = *sparse_;
    rest.prune([](int64_t i, int64_t j, double) { return i != j; });
    return PriorMatrix(rest);
  }
  Eigen::MatrixXd rest = dense_;
  rest.diagonal().setZero();
  return PriorMatrix(std::move(rest));
}

double PriorMatrix::quadratic(const Eigen::VectorXd& u) const {
  return sparse_ ? u.dot(*sparse_ * u) : u.dot(dense_ * u);
}

double PriorMatrix::inner(const Eigen::MatrixXd& F) const {
  // <A, FF'> = <AF, F>
  if (!sparse_) return (dense_ * F).cwiseProduct(F).sum();
  const Eigen::MatrixXd AF = *sparse_ * F;
  return AF.cwiseProduct(F).sum();
}

template <class Predicate>
std::optional<std::pair<int64_t, int64_t>> PriorMatrix::first_pair(Predicate wanted) const {
  for (int64_t i = 0; i < labels_; ++i) {
    if (sparse_) {
      for (SparseMatrix::InnerIterator entry(*sparse_, i); entry; ++entry) {
        if (entry.col() > i && wanted(entry.value())) return std::pair(i, entry.col());
      }
    } else {
      // Column i below the diagonal is row i right of it, and contiguous.
      for (int64_t j = i + 1; j < labels_; ++j) {
        if (wanted(dense_(j, i))) return std::pair(i, j);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::pair<int64_t, int64_t>> PriorMatrix::repelling_pair() const {
  return first_pair([](double value) { return value > 0; });
}

std::optional<std::pair<int64_t, int64_t>> PriorMatrix::coupled_pair() const {
  return first_pair([](double value) { return value != 0; });
}

int64_t PriorMatrix::couplings() const {
  int64_t entries = 0;  // off the diagonal, in both triangles
  if (sparse_) {
    for (int64_t i = 0; i < labels_; ++i)
      for (SparseMatrix::InnerIterator entry(*sparse_, i); entry; ++entry)
        entries += entry.col() != i && entry.value() != 0 ? 1 : 0;
  } else {
    entries = (dense_.array() != 0).count() - (dense_.diagonal().array() != 0).count();
  }
  return entries / 2;
}

}  // namespace concord
