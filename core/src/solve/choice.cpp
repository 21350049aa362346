// SPDX-License-Identifier: MIT
#include "solve/choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "base/run.hpp"

namespace concord {
namespace {

/// By joining the labels of one coupling after the other: a coupling of labels that are joined already closes a cycle.
int64_t cycles_of(const SparseMatrix& A) {
  std::vector<int64_t> above(static_cast<size_t>(A.rows()));
  std::iota(above.begin(), above.end(), int64_t{0});
  const auto top = [&](int64_t v) {
    while (above[static_cast<size_t>(v)] != v) {
      int64_t& next = above[static_cast<size_t>(v)];
      next = above[static_cast<size_t>(next)];
      v = next;
    }
    return v;
  };
  int64_t cycles = 0;
  for (int64_t i = 0; i < A.rows(); ++i)
    for (SparseMatrix::InnerIterator entry(A, i); entry; ++entry) {
      if (entry.col() >= i || entry.value() == 0) continue;
      const int64_t mine = top(i), other = top(entry.col());
      if (mine == other) ++cycles;
      above[static_cast<size_t>(mine)] = other;
    }
  return cycles;
}

constexpr double kLargestMemory = 4 * kGiB;
constexpr double kPatience = 60;  // seconds, for a method whose cost is well known
constexpr double kProofPatience =
    1;  // seconds, for branch and bound: one problem in ten takes five times the estimate

struct Cost {
  double seconds = 0, bytes = 0;
};

/// Best first. A decoder that declares less than its row says falls to what it declares.
enum class Answer { optimum, bound, labels };

double cubed(double x) {
  return x * x * x;
}

/// Couplings of a label, on average.
double degree(const ProblemFacts& p) {
  return 2.0 * static_cast<double>(p.couplings) / static_cast<double>(p.labels);
}

// The cost model: one thread, defaults of the options, random problems, within a factor of about three. Bytes are those of a
// whole process. docs/which-decoder.md says what was measured.

Cost modular(const ProblemFacts& p) {
  return {1e-8 * static_cast<double>(p.labels), 0};
}

Cost min_cut(const ProblemFacts& p) {
  const auto V = static_cast<double>(p.labels);
  if (p.is_sparse) return {1e-6 * (V + static_cast<double>(p.couplings)), 0};
  return {5e-8 * V * V, 56 * V * V};
}

/// The tree doubles with every 7 labels of a dense problem, and with every 7 + 40/d where a label has d couplings: 20 for
/// d = 3, 12 for d = 8. A cardinality takes 2.5 times as long. A factorisation of a matrix without any tree is V^3.
/// A sparse A without a cardinality is taken apart first: labels with one or two neighbours are eliminated, which leaves at
/// most 2 labels for each cycle, with 3 couplings each. No part of more than 2,000 labels becomes dense.
Cost exact(const ProblemFacts& p) {
  const auto V = static_cast<double>(p.labels);
  double doublings = V * degree(p) / (7 * degree(p) + 40), together = V, eliminated = 0;
  if (p.is_sparse && !p.with_cardinality) {
    const double left = std::min(V, 2 * static_cast<double>(p.cycles.value_or(p.couplings)));
    doublings = std::min(doublings, left * 3 / 61);
    together = std::min(left, 2000.0);
    eliminated = 1e-6 * V;
  }
  return {0.004 * std::exp2(doublings) * (p.with_cardinality ? 2.5 : 1) + 1e-9 * cubed(together) + eliminated,
          56 * together * together};
}

/// Dense: one factorisation is most of the time. Sparse: the factor fills as in a random graph of this degree, which is the
/// worst; grids take a tenth. The conditions for a sparse solve are those of docs/plugins/decoder-sdp-mixing.md.
Cost sdp_mixing(const ProblemFacts& p) {
  const auto V = static_cast<double>(p.labels);
  const bool stays_sparse =
      p.is_sparse && !p.with_cardinality && V >= 300 && static_cast<double>(p.couplings) <= V * (V - 1) / 16;
  if (stays_sparse) return {std::min(1e-12 * degree(p), 7e-11) * cubed(V), 8 * V * V};
  return {7e-11 * cubed(V), 80 * V * V};
}

Cost spectral(const ProblemFacts& p) {
  const auto V = static_cast<double>(p.labels);
  return {2e-10 * cubed(V), 64 * V * V};
}

/// A budget of moves: 32 V of O(V) each, or on a sparse A at most 2e8 visits of 10 ns, 40 ns under a cardinality.
Cost tabu(const ProblemFacts& p) {
  const auto V = static_cast<double>(p.labels);
  if (p.is_sparse) return {std::min(32'000 * V, 2e8) * (p.with_cardinality ? 4e-8 : 1e-8), 0};
  return {5e-8 * V * V, 56 * V * V};
}

struct Method {
  const char* name;
  Answer answer;
  double patience;
  Cost (*cost)(const ProblemFacts&);
};

/// Methods with the same kind of answer: the tighter first.
constexpr std::array<Method, 6> kMethods{{{"modular", Answer::optimum, kPatience, modular},
                                          {"min-cut", Answer::optimum, kPatience, min_cut},
                                          {"exact", Answer::optimum, kProofPatience, exact},
                                          {"sdp-mixing", Answer::bound, kPatience, sdp_mixing},
                                          {"spectral", Answer::bound, kPatience, spectral},
                                          {"tabu", Answer::labels, kPatience, tabu}}};

Answer answer_of(const Method& method, const concord_capabilities& can) {
  const Answer declared = can.guarantee == CONCORD_MAY_BE_OPTIMAL ? Answer::optimum
                          : can.guarantee == CONCORD_BOUNDS       ? Answer::bound
                                                                  : Answer::labels;
  return std::max(method.answer, declared);
}

/// What the method costs with a plugin that may want A as a dense matrix.
Cost cost_of(const Method& method, const concord_capabilities& can, ProblemFacts problem) {
  if ((can.flags & CONCORD_SPARSE_PRIOR) == 0) problem.is_sparse = false;
  return method.cost(problem);
}

/// Which limit the cost exceeds; none: the method fits.
std::optional<std::string> why_too_expensive(const Method& method, const Cost& cost) {
  if (cost.bytes > kLargestMemory)
    return fmt::format("{} may take about {:.0f} GiB of memory", method.name, cost.bytes / kGiB);
  if (cost.seconds > 3600) return fmt::format("{} may take more than an hour", method.name);
  if (cost.seconds > method.patience)
    return fmt::format("{} may take about {:.2g} s", method.name, cost.seconds);
  return std::nullopt;
}

std::string shape_of(const ProblemFacts& p) {
  if (!p.coupled) return "A = 0";
  if (!p.repelling && !p.with_cardinality) return "all couplings attract, and there is no cardinality";
  return fmt::format("branch and bound is quick on {} labels with {} couplings", p.labels, p.couplings);
}

/// One clause: what the answer will be, and what stands in the way of a better one.
std::string reason_for(Answer answer, const ProblemFacts& problem,
                       const std::vector<std::string>& too_expensive) {
  if (answer == Answer::optimum)
    return fmt::format("the cheapest here that proves the optimum: {}", shape_of(problem));
  const char* const what =
      answer == Answer::bound ? "the tightest bound here that fits" : "labels without a bound";
  if (too_expensive.empty()) return fmt::format("{}: nothing here that proves more takes this problem", what);
  return fmt::format("{}: {}", what, fmt::join(too_expensive, ", "));
}

[[noreturn]] void refuse(const std::vector<std::string>& obstacles, bool any_usable) {
  fail(any_usable ? Fault::unsupported : Fault::unavailable,
       About{"", kChosenDecoder, "A decoder that is named is tried nevertheless"}, "{}: {}",
       any_usable ? "no decoder here can solve this problem" : "no decoder to choose from is usable here",
       fmt::join(obstacles, "; "));
}

}  // namespace

ProblemFacts facts_of(const PriorMatrix& A, bool with_cardinality) {
  return {.labels = A.labels(),
          .is_sparse = A.is_sparse(),
          .with_cardinality = with_cardinality,
          .coupled = A.coupled_pair(),
          .repelling = A.repelling_pair()};
}

ProblemFacts counted_facts_of(const PriorMatrix& A, bool with_cardinality) {
  ProblemFacts facts = facts_of(A, with_cardinality);
  facts.couplings = A.couplings();
  if (A.is_sparse()) facts.cycles = cycles_of(A.sparse());
  return facts;
}

std::optional<std::string> why_unsupported(const concord_capabilities& can, const ProblemFacts& problem) {
  if (can.max_labels > 0 && problem.labels > can.max_labels)
    return fmt::format("it takes at most {} labels, and this problem has {}", can.max_labels, problem.labels);
  if (can.prior == CONCORD_PRIOR_ZERO && problem.coupled)
    return fmt::format("it needs A = 0, and labels {} and {} are coupled", problem.coupled->first,
                       problem.coupled->second);
  if (can.prior == CONCORD_PRIOR_ATTRACTIVE && problem.repelling)
    return fmt::format("it needs an attractive prior (A_ij <= 0), and A is positive for labels {} and {}",
                       problem.repelling->first, problem.repelling->second);
  if (problem.with_cardinality && can.constraints == CONCORD_CONSTRAINTS_NONE)
    return "it takes no cardinality";
  return std::nullopt;
}

std::vector<std::string> decoders_of_known_cost() {
  std::vector<std::string> names;
  for (const Method& method : kMethods) names.emplace_back(method.name);
  return names;
}

DecoderChoice choose_decoder(const ProblemFacts& problem, const std::vector<DecoderCandidate>& candidates) {
  struct Best {
    const Method* method;
    Answer answer;
    double seconds;
  };
  std::optional<Best> best;
  std::vector<std::string> obstacles, too_expensive;
  bool any_usable = false;
  for (const Method& method : kMethods) {
    const auto candidate = std::find_if(candidates.begin(), candidates.end(),
                                        [&](const DecoderCandidate& one) { return one.name == method.name; });
    if (candidate == candidates.end()) continue;
    if (!candidate->unavailable.empty()) {
      obstacles.push_back(fmt::format("{} is not usable: {}", method.name, candidate->unavailable));
      continue;
    }
    any_usable = true;
    if (const auto why = why_unsupported(candidate->can, problem)) {
      obstacles.push_back(fmt::format("{}: {}", method.name, *why));
      continue;
    }
    const Cost cost = cost_of(method, candidate->can, problem);
    const Answer answer = answer_of(method, candidate->can);
    if (const auto why = why_too_expensive(method, cost)) {
      obstacles.push_back(*why);
      if (!best) too_expensive.push_back(*why);  // later methods would not have been better
      continue;
    }
    const bool cheaper_proof =
        best && answer == Answer::optimum && best->answer == answer && cost.seconds < best->seconds;
    if (!best || answer < best->answer || cheaper_proof) best = Best{&method, answer, cost.seconds};
  }
  if (!best) refuse(obstacles, any_usable);
  return {best->method->name, reason_for(best->answer, problem, too_expensive)};
}

DecoderChoice resolve_decoder(Registry& registry, const std::string& name, const PriorMatrix& A,
                              bool with_cardinality) {
  if (name != kChosenDecoder) return {name, ""};
  std::vector<DecoderCandidate> candidates;
  for (const std::string& known : decoders_of_known_cost()) {
    DecoderCandidate& candidate = candidates.emplace_back(DecoderCandidate{known});
    try {
      candidate.can = registry.find(CONCORD_DECODER, known).capabilities();
    } catch (const Error& e) {
      candidate.unavailable = e.reason();
    }
  }
  return choose_decoder(counted_facts_of(A, with_cardinality), candidates);
}

}  // namespace concord
