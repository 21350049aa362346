// SPDX-License-Identifier: MIT
// A plugin that was linked without a library it needs.
#include <concord/abi.h>

extern "C" int function_of_a_missing_library(void);
extern "C" __attribute__((visibility("default"))) const concord_plugin_table* concord_plugin(void) {
  function_of_a_missing_library();
  return nullptr;
}
