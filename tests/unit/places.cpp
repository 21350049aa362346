// SPDX-License-Identifier: MIT
#include "tests/unit/places.hpp"

namespace places {

std::string tests() {
  return CONCORD_TESTS_FOLDER;
}
std::string plugins() {
  return CONCORD_PLUGINS_FOLDER;
}
std::string fakes() {
  return CONCORD_FAKES_FOLDER;
}
std::string hostile() {
  return CONCORD_HOSTILE_FOLDER;
}
std::string consumers() {
  return CONCORD_CONSUMERS_FOLDER;
}
std::string program() {
  return CONCORD_PROGRAM;
}

}  // namespace places
