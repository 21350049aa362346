// SPDX-License-Identifier: MIT
#pragma once
// The report of a comparison.
#include <nlohmann/json.hpp>
#include <string>

namespace concord {

/// One HTML page with everything inside: tables, figures as static SVG, a script that sorts and shows what is
/// under the pointer. Its policy forbids every request and every other script. Fault::input if the results are not
/// what `concord compare` writes.
std::string report_html(const nlohmann::ordered_json& results);

}  // namespace concord
