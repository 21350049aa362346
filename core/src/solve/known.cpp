// SPDX-License-Identifier: MIT
#include "solve/known.hpp"

#include "base/error.hpp"

namespace concord {

std::vector<int64_t> unknown_labels(const LabelVector& known) {
  std::vector<int64_t> unknown;
  for (int64_t v = 0; v < known.size(); ++v)
    if (known(v) == 0) unknown.push_back(v);
  return unknown;
}

PriorMatrix restricted(const PriorMatrix& A, std::span<const int64_t> labels) {
  const auto size = static_cast<int64_t>(labels.size());
  if (!A.is_sparse()) {
    Eigen::MatrixXd part(size, size);
    for (int64_t j = 0; j < size; ++j)
      for (int64_t i = 0; i < size; ++i)
        part(i, j) = A.dense()(labels[static_cast<size_t>(i)], labels[static_cast<size_t>(j)]);
    return PriorMatrix(part);
  }
  std::vector<int64_t> place(static_cast<size_t>(A.labels()), -1);
  for (size_t r = 0; r < labels.size(); ++r) place[static_cast<size_t>(labels[r])] = static_cast<int64_t>(r);
  std::vector<Eigen::Triplet<double, int64_t>> entries;
  for (int64_t i = 0; i < size; ++i)
    for (SparseMatrix::InnerIterator entry(A.sparse(), labels[static_cast<size_t>(i)]); entry; ++entry)
      if (const int64_t j = place[static_cast<size_t>(entry.col())]; j >= 0)
        entries.emplace_back(i, j, entry.value());
  SparseMatrix part(size, size);
  part.setFromTriplets(entries.begin(), entries.end());
  return PriorMatrix(part);
}

ReducedProblem reduced(const PriorMatrix& A, const Instance& instance, const LabelVector& known,
                       std::span<const int64_t> unknown) {
  const Eigen::VectorXd u = known.cast<double>();  // zero where unknown: A u is A_.K u_K
  const Eigen::VectorXd Au = A.is_sparse() ? Eigen::VectorXd(A.sparse() * u) : Eigen::VectorXd(A.dense() * u);
  const auto left = static_cast<int64_t>(unknown.size());
  ReducedProblem problem;
  problem.instance.c.resize(left);
  for (int64_t r = 0; r < left; ++r) {
    const int64_t v = unknown[static_cast<size_t>(r)];
    problem.instance.c(r) = instance.c(v) - 2 * Au(v);
  }
  problem.instance.seed = instance.seed;
  problem.constant = u.dot(instance.c) - u.dot(Au);
  if (instance.k) {
    const int64_t positive = (known > 0).count();
    const int64_t k = *instance.k - positive;
    if (k < 0 || k > left)
      fail(Fault::input, About{"", "known labels"},
           "{} labels are to be +1, and of the known ones {} are; {} are unknown", *instance.k, positive,
           left);
    problem.instance.k = k;
  }
  return problem;
}

}  // namespace concord
