// SPDX-License-Identifier: MIT
#include "config/settings.hpp"

#include <array>

namespace concord {
namespace {

/// `names` in the order of the enumeration.
template <class Enum, size_t n>
const char* nth(const std::array<const char*, n>& names, Enum value) {
  return names.at(static_cast<size_t>(value));
}

}  // namespace

const char* name_of(DataFormat format) {
  return nth(std::array{"detect", "arff", "libsvm"}, format);
}
const char* name_of(Method method) {
  return nth(std::array{"bcfw", "subgradient", "likelihood", "ovr", "bundle"}, method);
}
const char* name_of(PriorSign sign) {
  return nth(std::array{"any", "attractive", "repulsive", "none"}, sign);
}
const char* name_of(Scale scale) {
  return nth(std::array{"none", "l2", "standardise", "idf"}, scale);
}
const char* name_of(HingeLoss hinge) {
  return nth(std::array{"hinge", "squared-hinge", "logistic"}, hinge);
}
const char* name_of(ThresholdOn on) {
  return nth(std::array{"scores", "u", "marginals"}, on);
}
const char* name_of(ThresholdKind kind) {
  return nth(std::array{"none", "fixed", "tuned", "per-label", "expected-f1"}, kind);
}

}  // namespace concord
