// SPDX-License-Identifier: MIT
// Slips in the names of plugins, found by names alone: no data are read and no plugin is loaded.
#include "compare/run_cell.hpp"
#include "metrics/label_metric.hpp"

namespace concord::compare {

void check_spelling(const Cell& cell, Registry& registry, ErrorList& slips) {
  const auto check = [&](int32_t kind, const PluginSpec& spec) {
    if (registry.is_misspelt(kind, spec.name)) bind_plugin(registry, kind, spec, slips);
  };
  const auto check_metric = [&](const PluginSpec& spec) {
    if (PluginReference(spec.name).kind == CONCORD_LOSS && registry.is_misspelt(CONCORD_LOSS, spec.name))
      slips.attempt([&] { LabelMetric(registry, spec); });
  };
  if (!cell.is_training()) {
    check(CONCORD_DECODER, cell.solver().decoder);
    for (const PluginSpec& part : cell.solver().rounding) check(CONCORD_ROUNDING, part);
    return;
  }
  check_metric(cell.training().metric);
  for (const auto& [settings, chosen] : cell.training().config.cells) {
    check(CONCORD_DECODER, settings.train.decoder);
    check(CONCORD_LOSS, settings.train.loss);
    if (settings.predict.decoder) check(CONCORD_DECODER, *settings.predict.decoder);
    for (const PluginSpec& part : settings.predict.rounding) check(CONCORD_ROUNDING, part);
    check_metric(settings.select.metric);
  }
}

}  // namespace concord::compare
