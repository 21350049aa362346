// SPDX-License-Identifier: MIT
// Bases of scores in a model file.
#include <cmath>
#include <limits>

#include "model/blocks.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Kernel kernel) {
  return kernel == Kernel::rbf ? "rbf" : "laplace";
}

const char* alpha_of(Kernel kernel) {
  return kernel == Kernel::rbf ? "rbf_alpha" : "laplace_alpha";
}

const char* direct_of(Kernel kernel) {
  return kernel == Kernel::rbf ? "rbf_direct" : "laplace_direct";
}

void write_targets(const std::vector<SizedLabel>& targets, BlockWriter& out) {
  RowMatrix pairs(static_cast<int64_t>(targets.size()), 2);
  for (int64_t t = 0; t < pairs.rows(); ++t) {
    const auto [label, size] = targets[static_cast<size_t>(t)];
    pairs.row(t) << static_cast<double>(label), static_cast<double>(size);
  }
  out.matrix("direct_targets", pairs);
}

std::vector<SizedLabel> read_targets(int64_t V, BlockReader& in) {
  const RowMatrix pairs = in.matrix("direct_targets");
  std::vector<SizedLabel> targets;
  for (int64_t t = 0; t < pairs.rows(); ++t) {
    const double label = pairs(t, 0), size = pairs(t, 1);
    const auto most = static_cast<double>(V);
    const bool is_empty = label == -1 && size == 0;
    if (pairs.cols() != 2 || std::floor(label) != label || std::floor(size) != size ||
        !(is_empty || (label >= 0 && label < most && size >= 1 && size <= most)))
      in.refuse("target {} of its direct regression is no label with a number of labels", t);
    targets.push_back({static_cast<int64_t>(label), static_cast<int64_t>(size)});
  }
  return targets;
}

/// Rows in compressed form: where each row ends, then the columns and the values of the entries.
void write_sparse_rows(const Features& rows, BlockWriter& out) {
  Eigen::VectorXd ends(rows.rows()), at(rows.stored()), values(at.size());
  int64_t entry = 0;
  for (int64_t i = 0; i < ends.size(); ++i) {
    rows.for_row(i, [&](int64_t j, double x) {
      at(entry) = static_cast<double>(j);
      values(entry++) = x;
    });
    ends(i) = static_cast<double>(entry);
  }
  out.vector("row_ends", ends);
  out.vector("row_columns", at);
  out.vector("row_values", values);
}

Features read_sparse_rows(int64_t columns, BlockReader& in) {
  const Eigen::VectorXd ends = in.vector("row_ends"), at = in.vector("row_columns"),
                        values = in.vector("row_values");
  if (at.size() != values.size() || at.size() > std::numeric_limits<int>::max() ||
      columns > std::numeric_limits<int>::max())
    in.refuse("the blocks of its sparse rows do not fit together");
  SparseMatrix rows(ends.size(), columns);
  rows.reserve(values.size());
  int64_t entry = 0;
  for (int64_t i = 0; i < ends.size(); ++i) {
    rows.startVec(i);
    int64_t before = -1;
    for (; entry < values.size() && static_cast<double>(entry) < ends(i); ++entry) {
      const double column = at(entry);
      if (!(column > static_cast<double>(before) && column < static_cast<double>(columns)) ||
          column != std::floor(column))
        in.refuse("row {} of its sparse rows has columns that do not increase", i);
      before = static_cast<int64_t>(column);
      rows.insertBack(i, before) = values(entry);
    }
    if (static_cast<double>(entry) != ends(i))
      in.refuse("row {} of its sparse rows ends where it should not", i);
  }
  if (entry != values.size()) in.refuse("entries follow its last sparse row");
  rows.finalize();
  return Features(rows);
}

}  // namespace

Json write_bases(const Bases& bases, BlockWriter& out) {
  Json described = {{"given", bases.given},
                    {"kernels", Json::array()},
                    {"sparse", bases.rows.is_sparse()},
                    {"columns", bases.rows.columns()},
                    {"ovr", bases.W.size() > 0}};
  if (!bases.targets.empty()) described["direct"] = bases.targets.size();
  if (bases.waves.beta.size() > 0) {
    described["waves"] = bases.waves.waves.phases.size();
    out.matrix("rbf_frequencies", bases.waves.waves.frequencies);
    out.vector("rbf_phases", bases.waves.waves.phases);
    out.matrix("rbf_beta", bases.waves.beta);
  }
  for (const KernelRidge& base : bases.kernels) {
    described["kernels"].push_back({{"kernel", name_of(base.kernel)}, {"width", base.width}});
    out.matrix(alpha_of(base.kernel), base.alpha);
    if (!bases.targets.empty()) out.matrix(direct_of(base.kernel), base.direct);
  }
  if (!bases.targets.empty()) write_targets(bases.targets, out);
  if (!bases.kernels.empty() && bases.rows.is_sparse())
    write_sparse_rows(bases.rows, out);
  else if (!bases.kernels.empty())
    out.matrix("rows", bases.rows.dense());
  if (bases.W.size() > 0) out.matrix("ovr_W", bases.W);
  out.vector("base_weights", bases.weights);
  out.vector("base_offsets", bases.offsets);
  return described;
}

Bases read_bases(const Json& described, int64_t V, BlockReader& in) {
  Bases bases;
  bases.labels = V;
  bases.given = in.extent(in.member(described, "given"), "given");
  if (bases.given > 1'000'000) in.refuse("{} bases come with the data", bases.given);
  const Json& kernels = in.member(described, "kernels");
  if (!kernels.is_array() || kernels.size() > 2)
    in.refuse("bases.kernels in its header is not a list of at most 2");
  for (const Json& one : kernels) {
    const Json &name = in.member(one, "kernel"), &width = in.member(one, "width");
    if (name != "rbf" && name != "laplace")
      in.refuse("its header has a kernel that is neither rbf nor laplace");
    if (!width.is_number()) in.refuse("the width of a kernel in its header is not a number");
    const Kernel kernel = name == "rbf" ? Kernel::rbf : Kernel::laplace;
    KernelRidge& base =
        bases.kernels.emplace_back(KernelRidge{kernel, width.get<double>(), in.matrix(alpha_of(kernel))});
    if (described.contains("direct")) base.direct = in.matrix(direct_of(kernel));
  }
  if (described.contains("direct")) bases.targets = read_targets(V, in);
  if (!bases.kernels.empty())
    bases.rows = in.member(described, "sparse") == true
                     ? read_sparse_rows(in.extent(in.member(described, "columns"), "columns"), in)
                     : Features(in.matrix("rows"));
  if (described.contains("waves"))
    bases.waves = {{in.matrix("rbf_frequencies"), in.vector("rbf_phases")}, in.matrix("rbf_beta")};
  if (in.member(described, "ovr") == true) bases.W = in.matrix("ovr_W");
  bases.weights = in.vector("base_weights");
  bases.offsets = in.vector("base_offsets");
  return bases;
}

}  // namespace concord
