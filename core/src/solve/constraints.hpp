// SPDX-License-Identifier: MIT
#pragma once
// The classes of equality rows (CONCORD_CONSTRAINTS_...): none, a cardinality, the count of a subset, any.
#include <span>

#include "solve/family.hpp"

namespace concord {

/// The narrowest class that holds these rows of V coefficients (null: all ones).
int32_t class_of_rows(std::span<const concord_row> rows, int64_t labels);
int32_t class_of_rows(const FamilyData& family);

/// Does a plugin that declares `can` take every problem of class `needed`?
bool covers(int32_t can, int32_t needed);

/// "an equality row of zeros and ones", of a class of problems.
const char* rows_of_class(int32_t constraints);
/// "takes only a cardinality", of a plugin that declares the class.
const char* takes_of_class(int32_t constraints);

}  // namespace concord
