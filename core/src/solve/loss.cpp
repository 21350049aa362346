// SPDX-License-Identifier: MIT
#include "solve/loss.hpp"

#include <cmath>
#include <limits>

#include <concord/kit/conventions.hpp>

#include "base/error.hpp"
#include "plugin/call.hpp"
#include "plugin/guarded.hpp"

namespace concord {

Loss::Loss(const Plugin& plugin, const OptionValues& options, RunControl control)
    : plugin_(plugin), control_(std::move(control)), functions_(plugin.loss()) {
  object_ = create_object(plugin, functions_, options, control_);
}

void Loss::prepare(int64_t labels, int64_t instances, const std::vector<int64_t>& positives) {
  if (static_cast<int64_t>(positives.size()) != labels)
    fail(Fault::input, "there are counts of positives for {} labels, and {} labels", positives.size(),
         labels);
  const Call call(control_, plugin_.id());
  const std::vector<int64_t> lent = positives;
  call.require_ok("prepare", [&] {
    return functions_.prepare(object_.get(), call.env(), labels, instances, lent.data());
  });
  labels_ = labels;
  Guarded<concord_family> largest(1);
  largest[0].size = sizeof largest_;
  largest[0].labels = labels;
  call.run("shape", [&] { functions_.shape(object_.get(), largest.data()); });
  require_intact(largest, plugin_.id(), "its shape");
  largest_ = largest[0];
  // V + 1 cardinalities of a few losses at once is the most that is known; beyond it is nonsense.
  if (largest_.subproblems < 1 || largest_.subproblems > 1000 * (labels + 1) || largest_.directions < 0 ||
      largest_.directions > labels || largest_.row_count < 0 || largest_.row_count > labels)
    fail(Fault::plugin, About{"", plugin_.id()},
         "{} asks for a family of {} subproblems, {} directions and {} rows for {} labels", plugin_.id(),
         largest_.subproblems, largest_.directions, largest_.row_count, labels);
}

void Loss::require_size(const LabelVector& y) const {
  if (y.size() != labels_)
    fail(Fault::input, "a labelling of {} labels is given, and {} are known", y.size(), labels_);
}

double Loss::evaluate(const LabelVector& y, const LabelVector& truth) const {
  require_size(y);
  require_size(truth);
  const LabelVector lent_y = y, lent_truth = truth;
  const Call call(control_, plugin_.id());
  const double loss = call.run("evaluate", [&] {
    return functions_.evaluate(object_.get(), call.env(), labels_, lent_y.data(), lent_truth.data());
  });
  if (std::isnan(loss))
    fail(Fault::plugin, About{"", plugin_.id()}, "{} failed in evaluate: {}", plugin_.id(), call.reason());
  if (!std::isfinite(loss) || loss < 0)
    fail(Fault::plugin, About{"", plugin_.id()}, "{} returned the loss {}", plugin_.id(), loss);
  return loss;
}

FamilyData Loss::describe(const LabelVector& truth) const {
  require_size(truth);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const int64_t n = largest_.subproblems, m = largest_.directions, q = largest_.row_count;
  // Filled with NaN, so that what the loss forgets to write is noticed.
  const auto blank = [&](int64_t rows, int64_t columns) {
    return Guarded<double>(static_cast<size_t>(rows * columns), nan);
  };
  Guarded<double> D = blank(labels_, m), constants = blank(n, 1), t = blank(m, n), rows = blank(labels_, q),
                  beta = blank(q, n);
  Guarded<concord_family> view(1);
  view[0] = {sizeof(concord_family), 0,        labels_,     n,          m, q, D.data(),
             constants.data(),       t.data(), rows.data(), beta.data()};
  const LabelVector lent = truth;
  const Call call(control_, plugin_.id());
  call.require_ok("describe",
                  [&] { return functions_.describe(object_.get(), call.env(), lent.data(), view.data()); });
  require_intact(view, plugin_.id(), "its family");
  for (const auto* numbers : {&D, &constants, &t, &rows, &beta})
    require_intact(*numbers, plugin_.id(), "the numbers of its family");
  const int64_t used = view[0].subproblems;
  if (used < 1 || used > n || view[0].directions != m || view[0].row_count != q)
    fail(Fault::plugin, About{"", plugin_.id()},
         "{} described {} subproblems, {} directions and {} rows, and had asked for {}, {} and {}",
         plugin_.id(), used, view[0].directions, view[0].row_count, n, m, q);
  // Column-major, so that fewer subproblems leave the columns that are used in place.
  const auto taken = [](const Guarded<double>& from, int64_t height, int64_t width) {
    return Eigen::Map<const Eigen::MatrixXd>(from.data(), height, width);
  };
  const FamilyData family{taken(D, labels_, m), taken(constants, used, 1), taken(t, m, used),
                          taken(rows, labels_, q), taken(beta, q, used)};
  if (!family.D.allFinite() || !family.constants.allFinite() || !family.t.allFinite() ||
      !family.rows.allFinite() || family.beta.array().isInf().any())
    fail(Fault::plugin, About{"", plugin_.id()},
         "{} described a family with numbers that are missing or not finite", plugin_.id());
  for (int64_t r = 0; r < q; ++r) {
    const auto e = family.rows.col(r).array();
    if ((e != 0 && e != 1).any()) continue;
    const int64_t ones = (e == 1).count();
    for (int64_t s = 0; s < family.size(); ++s)
      if (!std::isnan(family.beta(r, s)) && !kit::k_of(ones, family.beta(r, s)))
        fail(Fault::plugin, About{"", plugin_.id()},
             "{} described subproblem {} with {} = {}, which no labelling of {} labels has", plugin_.id(), s,
             family.is_cardinality(r) ? "1'u" : fmt::format("e'u over {} labels", ones), family.beta(r, s),
             labels_);
  }
  return family;
}

}  // namespace concord
