// SPDX-License-Identifier: MIT
#include "solve/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <concord/kit/conventions.hpp>

#include "base/error.hpp"
#include "base/run.hpp"
#include "plugin/call.hpp"
#include "solve/choice.hpp"
#include "solve/decoder_batch.hpp"
#include "solve/family.hpp"

namespace concord {
namespace {

/// The largest warm block: sixteen matrices of V x V numbers, and something for small V.
double most_warm_bytes(int64_t labels) {
  const auto side = static_cast<double>(labels + 1);
  return 65536 + 16 * sizeof(double) * side * side;
}

constexpr int64_t kMostNodes = int64_t{1} << 53;  // what every reader of JSON can count to

}  // namespace

concord_row cardinality_row(int64_t labels, int64_t k) {
  return {sizeof(concord_row), 0, nullptr, static_cast<double>(2 * k - labels)};
}

const char* status_name(int32_t status) {
  switch (status) {
    case CONCORD_OPTIMAL:
      return "optimal";
    case CONCORD_RELAXED:
      return "relaxed";
    case CONCORD_FEASIBLE:
      return "feasible";
    case CONCORD_LIMIT:
      return "limit";
    case CONCORD_STOPPED:
      return "stopped";
    case CONCORD_UNSUPPORTED:
      return "unsupported";
    case CONCORD_INFEASIBLE:
      return "infeasible";
    case CONCORD_FAILED:
      return "failed";
    default:
      return "unknown";
  }
}

concord_request request_view(const Eigen::VectorXd& c, const concord_row* rows, uint32_t row_count) {
  concord_request request{};
  request.size = sizeof request;
  request.row_count = row_count;
  request.labels = c.size();
  request.c = c.data();
  request.rows = rows;
  return request;
}

void require_dense_memory(const Plugin& plugin, int64_t labels, double available) {
  const double bytes = sizeof(double) * static_cast<double>(labels) * static_cast<double>(labels);
  if (bytes <= available / 4) return;
  const bool is_decoder = plugin.kind() == CONCORD_DECODER;
  fail(Fault::unsupported,
       About{"", plugin.id(),
             is_decoder ? "Decoders that take a sparse A: exact, sdp-mixing, tabu, min-cut, modular"
                        : "Roundings that take a sparse A: threshold, top-k, local-search, tabu"},
       "{0} cannot {1} this problem: it takes A as a dense matrix only, which for {2} labels is {3:.3g} GiB, "
       "more than a quarter of the {4:.3g} GiB of memory that are available",
       plugin.id(), is_decoder ? "solve" : "round", labels, bytes / kGiB, available / kGiB);
}

concord_prior prior_view(const PriorMatrix& A, const Plugin& plugin, PriorMatrix& copy) {
  concord_prior view{};
  view.size = sizeof view;
  view.labels = A.labels();
  if (A.is_sparse() && plugin.has(CONCORD_SPARSE_PRIOR)) {
    view.row_start = A.sparse().outerIndexPtr();
    view.column = A.sparse().innerIndexPtr();
    view.entry = A.sparse().valuePtr();
  } else if (A.is_sparse()) {
    require_dense_memory(plugin, A.labels(), available_memory());
    copy = PriorMatrix(A.to_dense());
    view.dense = copy.dense().data();
  } else {
    view.dense = A.dense().data();
  }
  return view;
}

Decoder::Decoder(const Plugin& plugin, const OptionValues& options, RunControl control)
    : plugin_(plugin), control_(std::move(control)), functions_(plugin.decoder()) {
  object_ = create_object(plugin, functions_, options, control_);
  flags_ = plugin_.capabilities().flags;
  if (functions_.flags == nullptr) return;
  const Call call(control_, plugin_.id());
  const auto lock = plugin_.serialised();
  const uint32_t own = call.run("flags", [&] { return functions_.flags(object_.get()); });
  if ((own & ~flags_) != 0)
    fail(Fault::plugin, About{"", plugin_.id()},
         "{} has with its options the capability flags {:#x}, and declares only {:#x}", plugin_.id(), own,
         flags_);
  flags_ = own;
}

void Decoder::require_supported(const PriorMatrix& A, bool with_cardinality) const {
  if (const auto why = why_unsupported(plugin_.capabilities(), facts_of(A, with_cardinality)))
    fail(Fault::unsupported, About{"", plugin_.id()}, "{} cannot solve this problem: {}", plugin_.id(), *why);
}

void Decoder::prepare(const PriorMatrix& A) {
  require_supported(A, false);
  const bool hide_diagonal = !plugin_.has(CONCORD_USES_DIAGONAL);
  const PriorMatrix lent = hide_diagonal ? A.without_diagonal() : A;
  PriorMatrix converted;
  const concord_prior view = prior_view(lent, plugin_, converted);
  std::unique_ptr<FamilyBounds> bounds;  // of the prior before the plugin sees it
  if (!has_native_family() && has(CONCORD_AS_TIGHT_AS_SPECTRAL))
    bounds = std::make_unique<FamilyBounds>(lent);

  const Call call(control_, plugin_.id(), control_.pool);
  const auto lock = plugin_.serialised();
  void* const self = object_.get();
  call.require_ok("prepare", [&] { return functions_.prepare(self, call.env(), &view); });
  int64_t max_rank = 1;
  size_t warm_bytes = 0;
  if (functions_.max_rank != nullptr)
    max_rank = call.run("max_rank", [&] { return functions_.max_rank(self, A.labels()); });
  if (functions_.warm_size != nullptr)
    warm_bytes = call.run("warm_size", [&] { return functions_.warm_size(self, A.labels()); });
  // U is V x V, and F = [u, G] needs at most one column more.
  if (max_rank < 1 || max_rank > A.labels() + 1)
    fail(Fault::plugin, About{"", plugin_.id()},
         "{} says that its max_rank is {}; it must be 1 to V + 1 = {}", plugin_.id(), max_rank,
         A.labels() + 1);
  if (static_cast<double>(warm_bytes) > most_warm_bytes(A.labels()))
    fail(Fault::plugin, About{"", plugin_.id()},
         "{} says that its warm_size is {} bytes; for {} labels it may be {:.0f}", plugin_.id(), warm_bytes,
         A.labels(), most_warm_bytes(A.labels()));
  family_bounds_ = std::move(bounds);
  labels_ = A.labels();
  abs_sum_ = A.abs_sum();
  offset_ = hide_diagonal ? -A.trace() : 0.0;
  max_rank_ = max_rank;
  warm_bytes_ = warm_bytes;
}

WarmBlock Decoder::warm_block() const {
  return WarmBlock((warm_bytes_ + 7) / 8, 0);
}

std::vector<WarmBlock> Decoder::warm_blocks(size_t count) const {
  if (warm_bytes_ == 0) return {};
  const double bytes = static_cast<double>(warm_bytes_) * static_cast<double>(count);
  if (bytes > available_memory())
    fail(Fault::plugin, About{"", plugin_.id()},
         "{} asks for {} bytes to start each of {} instances from, and there is memory for {:.0f}",
         plugin_.id(), warm_bytes_, count, available_memory() / static_cast<double>(count));
  return std::vector<WarmBlock>(count, warm_block());
}

void Decoder::require_constraints(const Rows& rows) const {
  const int32_t can = plugin_.capabilities().constraints;
  const int32_t needed = class_of_rows(rows, labels_);
  if (!covers(can, needed))
    fail(Fault::unsupported, About{"", plugin_.id()},
         "{} cannot solve this problem: it has {}, and the decoder {}", plugin_.id(), rows_of_class(needed),
         takes_of_class(can));
}

std::vector<RelaxedSolution> Decoder::finish(const DecoderBatch& batch, std::span<const Rows> rows,
                                             std::span<const FamilyData> families) const {
  batch.require_intact(plugin_.id());
  std::vector<RelaxedSolution> solutions(batch.size());
  for (size_t i = 0; i < solutions.size(); ++i) {
    const concord_result& r = batch.result(i);
    RelaxedSolution& s = solutions[i];
    const auto lie = [&](const std::string& what) {
      fail(Fault::plugin, About{"", plugin_.id()}, "{} returned a wrong result: {}", plugin_.id(), what);
    };
    s.status = r.status;
    s.message = batch.message(i);
    if (r.status < CONCORD_OPTIMAL || r.status > CONCORD_FAILED)
      lie(fmt::format("its status is {}", r.status));
    if (r.status == CONCORD_INFEASIBLE &&  // a count that no labelling has is refused before it comes here
        class_of_rows(rows[i], labels_) != CONCORD_CONSTRAINTS_ROWS)
      lie("it says that no labelling is feasible, and there is one");
    if (r.status == CONCORD_STOPPED && !control_.stop_requested())
      lie("it says that it was stopped, and nobody asked it to stop");
    if (!s.has_point()) continue;
    if (r.rank < 1 || r.rank > max_rank_)
      lie(fmt::format("its rank is {}, and max_rank is {}", r.rank, max_rank_));
    s.F = batch.factor(i, r.rank);
    if (!s.F.allFinite()) lie("the factor F is not finite");
    if (!std::isfinite(r.value)) lie(fmt::format("its value is {}", r.value));
    if (std::isinf(r.bound)) lie(fmt::format("its bound is {} (NaN means none)", r.bound));
    const int64_t subproblems = families.empty() ? 1 : families[i].size();
    if (r.subproblem < 0 || r.subproblem >= subproblems)
      lie(fmt::format("it names subproblem {} of {}", r.subproblem, subproblems));
    if (r.solved < 0 || r.pruned < 0 || r.nodes < 0) lie("a counter is negative");
    if (r.solved > subproblems || r.pruned > subproblems - r.solved)
      lie(fmt::format("it says that it solved {} and left out {} of {} subproblems", r.solved, r.pruned,
                      subproblems));
    if (r.nodes > kMostNodes) lie(fmt::format("it counts {} nodes", r.nodes));
    s.value = r.value + offset_;
    s.bound = r.bound + offset_;
    s.subproblem = r.subproblem;
    s.solved = r.solved;
    s.pruned = r.pruned;
    s.nodes = r.nodes;
  }
  return solutions;
}

std::vector<RelaxedSolution> Decoder::solve(std::span<const Instance> instances) const {
  if (instances.empty()) return {};
  std::vector<Rows> rows(instances.size());
  for (size_t i = 0; i < instances.size(); ++i) {
    if (!instances[i].k) continue;
    if (*instances[i].k < 0 || *instances[i].k > labels_)
      fail(Fault::input, "the cardinality is {}, and must be 0 to {}", *instances[i].k, labels_);
    rows[i].push_back(cardinality_row(labels_, *instances[i].k));
  }
  return solve_with_rows(instances, rows);
}

RelaxedSolution Decoder::solve(const Instance& instance) const {
  return solve({&instance, 1}).front();
}

std::vector<RelaxedSolution> Decoder::solve_with_rows(std::span<const Instance> instances,
                                                      std::span<const Rows> rows) const {
  for (const Rows& r : rows) require_constraints(r);
  DecoderBatch batch(instances, rows, {}, labels_, max_rank_);
  const Call call(control_, plugin_.id());
  const auto lock = plugin_.serialised();
  call.require_ok("solve", [&] {
    return functions_.solve(object_.get(), call.env(), batch.requests(), batch.results(), batch.size());
  });
  return finish(batch, rows, {});
}

RelaxedSolution Decoder::solve_family(const Instance& base, const FamilyData& family) const {
  return solve_families({&base, 1}, {&family, 1}).front();
}

std::vector<RelaxedSolution> Decoder::solve_families(std::span<const Instance> bases,
                                                     std::span<const FamilyData> families) const {
  if (bases.empty()) return {};
  if (!has_native_family()) {
    std::vector<RelaxedSolution> solutions;
    for (size_t i = 0; i < bases.size(); ++i)
      solutions.push_back(solve_family_by_loop(bases[i], families[i]));
    return solutions;
  }
  std::vector<Rows> rows(bases.size());
  for (size_t i = 0; i < bases.size(); ++i) {
    const FamilyData& family = families[i];
    require_family_of_this_size(family);
    for (int64_t r = 0; r < family.rows.cols(); ++r) rows[i].push_back(family.row(r, 0));
    require_constraints(rows[i]);
  }
  DecoderBatch batch(bases, rows, families, labels_, max_rank_);
  const Call call(control_, plugin_.id());
  const auto lock = plugin_.serialised();
  call.require_ok("solve_family", [&] {
    return functions_.solve_family(object_.get(), call.env(), batch.requests(), batch.families(),
                                   batch.results(), batch.size());
  });
  return finish(batch, rows, families);
}

void Decoder::require_family_of_this_size(const FamilyData& family) const {
  if (family.labels() != labels_)
    fail(Fault::input, "the family has {} labels, and the prior {}", family.labels(), labels_);
}

/// Subproblem s, its constant included.
RelaxedSolution Decoder::solve_subproblem(const Instance& base, const FamilyData& family, int64_t s) const {
  Instance instance = base;
  instance.c = base.c + family.D * family.t.col(s);
  Rows rows;
  for (int64_t r = 0; r < family.rows.cols(); ++r)
    if (!std::isnan(family.beta(r, s))) rows.push_back(family.row(r, s));
  RelaxedSolution one = solve_with_rows({&instance, 1}, {&rows, 1}).front();
  one.value += family.constants(s);
  one.bound += family.constants(s);
  one.subproblem = s;
  return one;
}

RelaxedSolution Decoder::solve_family_by_loop(const Instance& base, const FamilyData& family) const {
  require_family_of_this_size(family);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Eigen::VectorXd bounds = Eigen::VectorXd::Constant(family.size(), infinity);
  if (family_bounds_ && FamilyBounds::apply_to(family))
    bounds = family_bounds_->of(base.c, family).array() + offset_;
  // Ties go to the smallest s, also between values that differ only by rounding.
  const double scale = family.constants.cwiseAbs().maxCoeff() + base.c.cwiseAbs().sum() + abs_sum_ +
                       family.D.cwiseAbs().sum() * (family.t.size() > 0 ? family.t.cwiseAbs().maxCoeff() : 0);
  RelaxedSolution best;
  best.status = CONCORD_INFEASIBLE;
  int32_t worst = CONCORD_OPTIMAL;
  int64_t solved = 0, nodes = 0;
  double bound = -infinity;
  for (const int64_t s : kit::descending(bounds)) {  // in their order if nothing is known of them
    if (best.has_point() && kit::exceeds(best.value, bounds[s], scale)) break;
    RelaxedSolution one = solve_subproblem(base, family, s);
    solved += 1;
    nodes += one.nodes;
    if (one.status == CONCORD_INFEASIBLE) continue;
    if (!one.has_point()) return one;
    // One subproblem without a bound leaves the family without one.
    bound = std::isnan(bound) || std::isnan(one.bound) ? std::numeric_limits<double>::quiet_NaN()
                                                       : std::max(bound, one.bound);
    worst = std::max(worst, one.status);
    if (!best.has_point() || kit::exceeds(one.value, best.value, scale) ||
        (s < best.subproblem && !kit::exceeds(best.value, one.value, scale)))
      best = std::move(one);
    if (worst == CONCORD_STOPPED) break;
  }
  if (!best.has_point()) return best;
  best.status = worst;  // the family is solved as well as its worst subproblem
  best.bound = worst == CONCORD_STOPPED ? std::numeric_limits<double>::quiet_NaN() : bound;
  best.solved = solved;
  best.pruned = worst == CONCORD_STOPPED ? 0 : family.size() - solved;
  best.nodes = nodes;
  return best;
}

}  // namespace concord
