// SPDX-License-Identifier: MIT
#include <algorithm>

#include "base/error.hpp"
#include "solve/choice.hpp"
#include "solve/pipeline.hpp"

namespace concord {
namespace {

/// Decoders that share work among the problems of a call gain little beyond so many.
constexpr int64_t kLargestPiece = 64;
/// A batch is divided into so many pieces at least, if it has that many problems, for as many threads.
constexpr int64_t kPieces = 16;

/// Problems that are planned alike: all with a cardinality, or all without.
struct Group {
  std::vector<int64_t> problems;
  std::optional<Pipeline> pipeline = {};
};

/// Piece `first` to `last` - 1 of a group's problems.
struct Piece {
  const Group* group;
  size_t first, last;
};

Instance instance_of(const BatchRequest& request, int64_t i) {
  const int64_t V = request.A.labels();
  Instance instance{Eigen::Map<const Eigen::VectorXd>(request.c + i * V, V)};
  if (request.k != nullptr && request.k[i] >= 0) instance.k = request.k[i];
  instance.seed = request.seed + static_cast<uint64_t>(i);
  return instance;
}

}  // namespace

void solve_batch(Registry& registry, const BatchRequest& request, int threads, const RunControl& control,
                 const std::function<void(int64_t, const Pipeline::Solved&)>& found) {
  Group groups[2];
  for (int64_t i = 0; i < request.count; ++i)
    groups[request.k != nullptr && request.k[i] >= 0 ? 1 : 0].problems.push_back(i);

  const int64_t size = std::clamp((request.count + kPieces - 1) / kPieces, int64_t{1}, kLargestPiece);
  std::vector<Piece> pieces;
  for (Group& group : groups) {
    if (group.problems.empty()) continue;
    const bool with_cardinality = &group == &groups[1];
    ErrorList errors;
    const DecoderChoice choice = resolve_decoder(registry, request.decoder, request.A, with_cardinality);
    const std::vector<SolvePlan> plans =
        plan_decodes(registry, {choice.name}, request.rounding, with_cardinality, request.settings, errors);
    errors.throw_if_any();
    group.pipeline.emplace(plans.front(), request.A, with_cardinality, control);
    for (size_t first = 0; first < group.problems.size(); first += static_cast<size_t>(size))
      pieces.push_back({&group, first, std::min(first + static_cast<size_t>(size), group.problems.size())});
  }

  ThreadPool pool(static_cast<int>(std::min<int64_t>(threads, static_cast<int64_t>(pieces.size()))));
  pool.run(static_cast<int64_t>(pieces.size()), [&](int64_t index) {
    if (control.stop_requested()) return;
    const auto& [group, first, last] = pieces[static_cast<size_t>(index)];
    std::vector<Instance> batch;
    for (size_t j = first; j < last; ++j) batch.push_back(instance_of(request, group->problems[j]));
    const std::vector<Pipeline::Solved> solved = group->pipeline->solve(batch);
    for (size_t j = first; j < last; ++j) found(group->problems[j], solved[j - first]);
  });
  if (control.stop_requested()) fail(Fault::interrupted, "interrupted");
}

}  // namespace concord
