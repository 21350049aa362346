// SPDX-License-Identifier: MIT
#pragma once
// From a problem and the names of a decoder and a rounding to labels, every claim recomputed.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "plugin/registry.hpp"
#include "problem/problem.hpp"
#include "solve/decoder.hpp"
#include "solve/loss.hpp"
#include "solve/rounding.hpp"

namespace concord {

/// A plugin and its effective options.
struct ChosenPlugin {
  const Plugin* plugin;
  OptionValues options;
  bool configured = false;  ///< the user set some of them
};

/// "SCOPE.key=value": SCOPE is `decoder`, `rounding`, or the name of one plugin.
struct ScopedSetting {
  std::string scope;
  Setting setting;
};
ScopedSetting parse_setting(const std::string& text);

/// Everything a decode needs, resolved before any work.
struct DecodePlan {
  ChosenPlugin decoder;
  std::vector<ChosenPlugin> rounding;
  std::string rounding_name;        ///< "a+b"
  bool rounding_is_default = true;  ///< then it is skipped when u is already a feasible labelling
};

/// One plan per decoder name. Adds all errors to `errors`; settings that nobody consumes are among them.
std::vector<DecodePlan> plan_decodes(Registry& registry, const std::vector<std::string>& decoders,
                                     const std::optional<std::string>& rounding, bool with_cardinality,
                                     const std::vector<ScopedSetting>& settings, ErrorList& errors);

struct DecodeReport {
  std::string decoder;
  std::string rounding;  ///< empty when none was needed
  int32_t status = CONCORD_FAILED;
  LabelVector labels;
  double objective = 0;        ///< of the labels, in the file's own terms
  double objective_bound = 0;  ///< NaN without a proof
  double value = 0;            ///< canonical, of the relaxed solution
  double bound = 0;            ///< canonical; NaN without a proof
  double gap = 0;              ///< NaN without a bound
  double seconds = 0;          ///< prepare, solve and round
  int64_t nodes = 0;
  std::string message;
};

DecodeReport run_decode(const DecodePlan& plan, const CanonicalProblem& problem, uint64_t seed,
                        const RunControl& control);

}  // namespace concord
