// SPDX-License-Identifier: MIT
// The splits of repeats: training and test data pooled, and drawn anew with the same sizes.
#include <algorithm>

#include <concord/kit/rng.hpp>

#include "compare/request.hpp"
#include "train/fit.hpp"

namespace concord::compare {
namespace {

constexpr uint64_t kSplitSeed = 1;

/// The rows of both, those of `a` first.
Features stacked(const Features& a, const Features& b) {
  if (!a.is_sparse() && !b.is_sparse()) {
    RowMatrix all(a.rows() + b.rows(), a.columns());
    all.topRows(a.rows()) = a.dense();
    all.bottomRows(b.rows()) = b.dense();
    return Features(all);
  }
  std::vector<Eigen::Triplet<double, int64_t>> entries;
  entries.reserve(static_cast<size_t>(a.stored() + b.stored()));
  const auto add = [&](const Features& part, int64_t first) {
    for (int64_t i = 0; i < part.rows(); ++i)
      part.for_row(i, [&](int64_t j, double value) {
        if (value != 0) entries.emplace_back(first + i, j, value);
      });
  };
  add(a, 0);
  add(b, a.rows());
  SparseMatrix all(a.rows() + b.rows(), a.columns());
  all.setFromTriplets(entries.begin(), entries.end());
  return Features(all);
}

}  // namespace

std::pair<std::vector<int64_t>, std::vector<int64_t>> redrawn_rows(int64_t first, int64_t count,
                                                                   int64_t repeat) {
  std::vector<int64_t> rows = shuffled(count, kit::derive(kSplitSeed, static_cast<uint64_t>(repeat)));
  const auto middle = rows.begin() + first;
  std::sort(rows.begin(), middle);
  std::sort(middle, rows.end());
  return {{rows.begin(), middle}, {middle, rows.end()}};
}

Split split_of(const CellName& name, const TrainingRequest& request) {
  Split given{request.read_train(), {}};
  given.test = request.read_test(given.train);
  if (name.repeat == 1) return given;
  Dataset all = given.train;
  all.X = stacked(given.train.X, given.test.X);
  all.Y.resize(given.train.labels(), given.train.instances() + given.test.instances());
  all.Y.leftCols(given.train.instances()) = given.train.Y;
  all.Y.rightCols(given.test.instances()) = given.test.Y;
  const auto [train, test] = redrawn_rows(given.train.instances(), all.instances(), name.repeat);
  return {all.select(train), all.select(test)};
}

}  // namespace concord::compare
