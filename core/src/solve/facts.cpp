// SPDX-License-Identifier: MIT
#include "solve/facts.hpp"

#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace concord {
namespace {

/// By joining the labels of one coupling after the other: a coupling of labels that are joined already closes a cycle.
int64_t cycles_of(const SparseMatrix& A) {
  std::vector<int64_t> above(static_cast<size_t>(A.rows()));
  std::iota(above.begin(), above.end(), int64_t{0});
  const auto top = [&](int64_t v) {
    while (above[static_cast<size_t>(v)] != v) {
      int64_t& next = above[static_cast<size_t>(v)];
      next = above[static_cast<size_t>(next)];
      v = next;
    }
    return v;
  };
  int64_t cycles = 0;
  for (int64_t i = 0; i < A.rows(); ++i)
    for (SparseMatrix::InnerIterator entry(A, i); entry; ++entry) {
      if (entry.col() >= i || entry.value() == 0) continue;
      const int64_t mine = top(i), other = top(entry.col());
      if (mine == other) ++cycles;
      above[static_cast<size_t>(mine)] = other;
    }
  return cycles;
}

}  // namespace

ProblemFacts facts_of(const PriorMatrix& A, bool with_cardinality) {
  return {.labels = A.labels(),
          .is_sparse = A.is_sparse(),
          .with_cardinality = with_cardinality,
          .coupled = A.coupled_pair(),
          .repelling = A.repelling_pair()};
}

ProblemFacts counted_facts_of(const PriorMatrix& A, bool with_cardinality) {
  ProblemFacts facts = facts_of(A, with_cardinality);
  facts.couplings = A.couplings();
  if (A.is_sparse()) facts.cycles = cycles_of(A.sparse());
  return facts;
}

std::optional<std::string> why_unsupported(const concord_capabilities& can, const ProblemFacts& problem) {
  if (can.max_labels > 0 && problem.labels > can.max_labels)
    return fmt::format("it takes at most {} labels, and this problem has {}", can.max_labels, problem.labels);
  if (can.prior == CONCORD_PRIOR_ZERO && problem.coupled)
    return fmt::format("it needs A = 0, and labels {} and {} are coupled", problem.coupled->first,
                       problem.coupled->second);
  if (can.prior == CONCORD_PRIOR_ATTRACTIVE && problem.repelling)
    return fmt::format("it needs an attractive prior (A_ij <= 0), and A is positive for labels {} and {}",
                       problem.repelling->first, problem.repelling->second);
  if (problem.with_cardinality && can.constraints == CONCORD_CONSTRAINTS_NONE)
    return "it takes no cardinality";
  return std::nullopt;
}

}  // namespace concord
