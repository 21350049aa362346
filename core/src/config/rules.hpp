// SPDX-License-Identifier: MIT
#pragma once
// Keys that contradict each other. A key without effect would be a wrong experiment, so it is refused.
#include <functional>
#include <map>
#include <string>

#include "config/settings.hpp"

namespace concord {

/// Where each key was given, by its name ("train.decoder").
using GivenKeys = std::map<std::string, std::string>;

/// Whether contradictions depend on the value of this key, so that none can be named while it is wrong.
bool is_rule_input(const std::string& key);

/// Whether one-versus-rest has no use for this key.
bool is_unused_by_ovr(const std::string& key);

/// Calls `complain` with a sentence for each contradiction in one cell.
void check_rules(const Settings& settings, const GivenKeys& given,
                 const std::function<void(const std::string&)>& complain);

}  // namespace concord
