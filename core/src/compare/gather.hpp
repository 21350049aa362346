// SPDX-License-Identifier: MIT
#pragma once
// From the folder of a comparison to results.json, which the tables and the report are made of.
#include "compare/folder.hpp"

namespace concord {

/// Every cell of the plan; those without a result of their key are "pending".
Json gather_results(const CompareFolder& folder, const Json& plan);

/// Mean of the paired differences loss - baseline, its standard error and a 95 % interval of the bootstrap.
Json paired_difference(const std::vector<double>& losses, const std::vector<double>& baseline, uint64_t seed);

}  // namespace concord
