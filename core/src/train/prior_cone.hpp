// SPDX-License-Identifier: MIT
#pragma once
// The closed cone of allowed priors: a sign off the diagonal. The diagonal is free where it is learned, else zero.
#include <limits>

#include "config/settings.hpp"

namespace concord {

class PriorCone {
 public:
  explicit PriorCone(PriorSign sign)
      : lowest_(sign == PriorSign::repulsive || sign == PriorSign::none ? 0 : -infinity),
        highest_(sign == PriorSign::attractive || sign == PriorSign::none ? 0 : infinity) {}

  bool is_whole_space() const { return lowest_ != 0 && highest_ != 0; }
  /// The range of an entry off the diagonal.
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double lowest_, highest_;
};

}  // namespace concord
