// SPDX-License-Identifier: MIT
#include "solve/rounding.hpp"

#include <limits>

#include "base/error.hpp"
#include "plugin/call.hpp"
#include "plugin/guarded.hpp"
#include "solve/verify.hpp"

namespace concord {

Rounding::Rounding(const Plugin& plugin, const OptionValues& options, RunControl control)
    : plugin_(plugin), control_(std::move(control)), functions_(plugin.rounding()) {
  object_ = create_object(plugin, functions_, options, control_);
}

void Rounding::require_supported(bool with_cardinality) const {
  if (with_cardinality && plugin_.capabilities().constraints == CONCORD_CONSTRAINTS_NONE)
    fail(Fault::unsupported, About{"", plugin_.id()},
         "{} cannot round this problem: it takes no cardinality. Use top-k or top-k+local-search",
         plugin_.id());
}

LabelVector Rounding::round(const PriorMatrix& A, const LentPrior& lent, const Instance& instance,
                            const RelaxedSolution& relaxed, const LabelVector* start) const {
  const int64_t V = A.labels();
  require_supported(instance.k.has_value());
  PriorMatrix converted;
  const concord_prior prior = prior_view(lent.A, plugin_, converted);
  const concord_row row = cardinality_row(V, instance.k.value_or(0));
  const Eigen::VectorXd c = instance.c;
  const LabelVector lent_start = start == nullptr ? LabelVector() : *start;
  concord_request request = request_view(c, &row, instance.k ? 1 : 0);
  request.seed = instance.seed;
  Eigen::MatrixXd F =
      relaxed.F;  // the struct has no const factor; a plugin that writes spoils only this copy
  concord_result result{};
  result.size = sizeof result;
  result.status = relaxed.status;
  result.F = F.data();
  result.F_columns = result.rank = F.cols();
  // Of another problem if the prior has a diagonal, which roundings do not see.
  result.value = result.bound = std::numeric_limits<double>::quiet_NaN();

  Guarded<int8_t> filled(static_cast<size_t>(V));
  const Call call(control_, plugin_.id());
  call.require_ok("round", [&] {
    return functions_.round(object_.get(), call.env(), &prior, &request, &result,
                            start == nullptr ? nullptr : lent_start.data(), filled.data());
  });
  require_intact(filled, plugin_.id(), "its labels");
  const LabelVector labels = Eigen::Map<const LabelVector>(filled.data(), V);
  verify_labels(plugin_.id(), labels, instance.k);
  if (start != nullptr) {
    const auto value = [&](const LabelVector& y) {
      const Eigen::VectorXd u = y.cast<double>();
      return u.dot(instance.c) - A.quadratic(u);
    };
    if (value(labels) < value(*start) - value_tolerance(instance.c, A))
      fail(Fault::plugin, About{"", plugin_.id()},
           "{} returned labels of value {}, worse than the {} it was given to start from", plugin_.id(),
           value(labels), value(*start));
  }
  return labels;
}

LabelVector round_by_chain(const std::vector<std::unique_ptr<Rounding>>& chain, const PriorMatrix& A,
                           const LentPrior& lent, const Instance& instance, const RelaxedSolution& relaxed) {
  LabelVector labels;
  for (const auto& rounding : chain)
    labels = rounding->round(A, lent, instance, relaxed, labels.size() == 0 ? nullptr : &labels);
  return labels;
}

}  // namespace concord
