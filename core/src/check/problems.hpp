// SPDX-License-Identifier: MIT
#pragma once
// Generated problems, always inside the capabilities that the plugin declares.
#include <vector>

#include "plugin/plugin.hpp"
#include "problem/random.hpp"
#include "solve/family.hpp"
#include "solve/loss.hpp"

namespace concord::check {

/// What a decoder declares that it takes. Roundings take every prior of any size.
struct Scope {
  PriorSign widest = PriorSign::any;
  int64_t most_labels = 0;  ///< 0: no limit
  bool cardinality = false;
  bool subset = false;  ///< a row of zeros and ones
  bool rows = false;    ///< any rows

  static Scope of(const Plugin& plugin);
  int64_t labels(int64_t wanted) const { return most_labels > 0 ? std::min(wanted, most_labels) : wanted; }
  /// The wanted sign if the plugin takes it, else the widest that it takes.
  PriorSign sign(PriorSign wanted) const;
};

/// The families of problems on which answers are compared with enumeration.
enum class Source { random, attractive, repulsive, sparse, zero, ties, hard, scales, planted };
const char* source_name(Source source);

/// A few problems that share A, without and (where the scope has it) with a cardinality; 1 to 12 labels.
std::vector<CanonicalProblem> generate(Source source, const Scope& scope, kit::Rng& rng);

/// A problem of exactly V labels with normal entries, and `k` positives if the scope takes a cardinality.
CanonicalProblem problem_in(const Scope& scope, kit::Rng& rng, int64_t V, bool with_k);
/// The same with the solution planted.
CanonicalProblem planted_in(const Scope& scope, kit::Rng& rng, int64_t V, bool with_k);

/// A family of subproblems as a loss would describe it: F-beta of a random truth, or one without a
/// cardinality. `general` is several random directions, `subset` one row of zeros and ones. `rows` is some
/// rows of small integers, for which some subproblems have no labelling.
enum class FamilyShapeKind { f_beta, single, general, subset, rows };
FamilyData random_family(const Scope& scope, kit::Rng& rng, int64_t V, FamilyShapeKind kind);

/// "V = 5, k = 2"
std::string size_of(const CanonicalProblem& problem);
/// The problem as a file that `decode` reads.
std::string problem_text(const CanonicalProblem& problem);

}  // namespace concord::check
