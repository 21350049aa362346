// SPDX-License-Identifier: MIT
#include "train/oracle.hpp"

#include <algorithm>
#include <limits>

#include <concord/kit/rng.hpp>

#include "solve/verify.hpp"

namespace concord {
namespace {

constexpr int64_t kVerifiedEvery = 64;  // instances

/// How many of n instances a thread decodes at a time: large enough for matrix products, small enough to share a batch. Part
/// of the bits, so that it depends on n alone.
int64_t chunk_of(int64_t n) {
  return std::clamp<int64_t>((n + 7) / 8, 4, 32);
}

}  // namespace

Oracle::Oracle(const BoundPlugin& decoder, const BoundPlugin& loss, const LabelMatrix& Y,
               const Eigen::MatrixXd* offsets, Ranks& ranks, ThreadPool& pool, const RunControl& control)
    : chosen_decoder_(decoder),
      Y_(Y),
      offsets_(offsets),
      ranks_(ranks),
      pool_(pool),
      control_(control),
      loss_(*loss.plugin, loss.options, control) {
  control_.pool = &pool;
  loss_.prepare(Y.rows(), Y.cols(), positives_per_label(Y));
  renew();
}

void Oracle::renew() {
  decoder_ = std::make_unique<Decoder>(*chosen_decoder_.plugin, chosen_decoder_.options, control_);
}

void Oracle::prepare(const Eigen::MatrixXd& A) {
  if (!A.allFinite())
    fail(Fault::input,
         "training diverged: the prior is not finite; a larger train.lambda_a keeps it in bounds");
  A_ = PriorMatrix(A);
  decoder_->prepare(A_);
  const WarmBlock empty = decoder_->warm_block();
  if (warm_.empty()) warm_ = decoder_->warm_blocks(static_cast<size_t>(Y_.cols()));
  for (const WarmBlock& block : warm_)  // of a checkpoint, perhaps
    if (block.size() != empty.size() || warm_.size() != static_cast<size_t>(Y_.cols()))
      fail(Fault::input, About{"", kCheckpointSubject},
           "the warm blocks of the checkpoint are not those of {}", decoder_->plugin().id());
}

void Oracle::save_warm(ArchiveWriter& out) const {
  out.put(static_cast<uint64_t>(warm_.size()));
  for (const WarmBlock& block : warm_) out.put_array(block);
}

void Oracle::restore_warm(ArchiveReader& in) {
  warm_.resize(in.get_count(sizeof(uint64_t)));
  for (WarmBlock& block : warm_) block = WarmBlock(in.get_vector<uint64_t>());
}

std::vector<MostViolated> Oracle::solve(std::span<const int64_t> instances, const Eigen::MatrixXd& scores,
                                        uint64_t seed, bool verify) {
  const auto n = static_cast<int64_t>(instances.size());
  std::vector<MostViolated> answers(instances.size());
  for_pieces(n, chunk_of(n), &pool_, [&](int64_t first, int64_t count) {
    solve_chunk(instances.subspan(static_cast<size_t>(first), static_cast<size_t>(count)), scores, first,
                seed, verify, answers);
  });
  return answers;
}

std::vector<MostViolated> Oracle::solve_by_ranks(std::span<const int64_t> instances,
                                                 const Eigen::MatrixXd& scores, uint64_t seed, bool verify) {
  if (ranks_.is_alone()) return solve(instances, scores, seed, verify);
  const auto n = static_cast<int64_t>(instances.size()), size = chunk_of(n), chunks = (n + size - 1) / size;
  const auto members = [&](int64_t chunk) {
    return instances.subspan(static_cast<size_t>(chunk * size),
                             static_cast<size_t>(std::min(size, n - chunk * size)));
  };
  std::vector<MostViolated> answers(instances.size());
  std::vector<int64_t> own;
  for (int64_t c = 0; c < chunks; ++c)
    if (ranks_.takes(c)) own.push_back(c);
  pool_.run(static_cast<int64_t>(own.size()), [&](int64_t k) {
    const int64_t c = own[static_cast<size_t>(k)];
    solve_chunk(members(c), scores, c * size, seed, verify, answers);
  });
  ArchiveWriter out;
  for (const int64_t c : own) put_answers(members(c), c * size, answers, out);
  const std::vector<std::string> shared = ranks_.exchange(out.bytes());
  for (int64_t r = 0; r < ranks_.count(); ++r) {
    if (r == ranks_.rank()) continue;
    ArchiveReader in(shared[static_cast<size_t>(r)]);
    for (int64_t c = r; c < chunks; c += ranks_.count()) get_answers(members(c), c * size, in, answers);
  }
  return answers;
}

void Oracle::put_answers(std::span<const int64_t> instances, int64_t first,
                         const std::vector<MostViolated>& answers, ArchiveWriter& out) const {
  for (size_t j = 0; j < instances.size(); ++j) {
    const MostViolated& answer = answers[static_cast<size_t>(first) + j];
    for (const double x : {answer.loss, answer.value, answer.bound}) out.put(x);
    for (const int64_t x : {answer.solved, answer.pruned, static_cast<int64_t>(answer.F.cols())}) out.put(x);
    out.put_array(answer.F);
    if (!warm_.empty()) out.put_array(warm_[static_cast<size_t>(instances[j])]);
  }
}

void Oracle::get_answers(std::span<const int64_t> instances, int64_t first, ArchiveReader& in,
                         std::vector<MostViolated>& answers) {
  for (size_t j = 0; j < instances.size(); ++j) {
    MostViolated& answer = answers[static_cast<size_t>(first) + j];
    for (double* x : {&answer.loss, &answer.value, &answer.bound}) *x = in.get<double>();
    for (int64_t* x : {&answer.solved, &answer.pruned}) *x = in.get<int64_t>();
    const auto columns = in.get<int64_t>();
    in.get_matrix(answer.F, Y_.rows(), columns);
    if (!warm_.empty()) warm_[static_cast<size_t>(instances[j])] = WarmBlock(in.get_vector<uint64_t>());
  }
}

void Oracle::gather_warm(const std::function<bool(int64_t)>& is_own) {
  if (ranks_.is_alone() || warm_.empty() || warm_.front().empty()) return;
  ArchiveWriter out;
  for (int64_t i = 0; i < Y_.cols(); ++i)
    if (is_own(i)) {
      out.put(i);
      out.put_array(warm_[static_cast<size_t>(i)]);
    }
  for (const std::string& theirs : ranks_.exchange(out.bytes()))
    for (ArchiveReader in(theirs); !in.at_end();) {
      const auto i = static_cast<size_t>(in.get<int64_t>());
      warm_[i] = WarmBlock(in.get_vector<uint64_t>());
    }
}

void Oracle::solve_chunk(std::span<const int64_t> instances, const Eigen::MatrixXd& scores, int64_t first,
                         uint64_t seed, bool verify, std::vector<MostViolated>& answers) {
  if (control_.stop_requested()) {  // the truth is feasible, and nobody counts on these answers
    for (size_t j = 0; j < instances.size(); ++j) {
      const Eigen::VectorXd y = Y_.col(instances[j]).cast<double>();
      MostViolated& answer = answers[static_cast<size_t>(first) + j];
      answer.F = y;
      answer.loss = 0;
      answer.value = y.dot(scores.col(first + static_cast<int64_t>(j))) - A_.quadratic(y);
      answer.bound = std::numeric_limits<double>::quiet_NaN();
    }
    return;
  }
  std::vector<Instance> bases;
  std::vector<FamilyData> families;
  for (size_t j = 0; j < instances.size(); ++j) {
    const int64_t i = instances[j];
    families.push_back(loss_.describe(Y_.col(i)));
    bases.push_back({scores.col(first + static_cast<int64_t>(j)), std::nullopt,
                     kit::derive(seed, static_cast<uint64_t>(i)),
                     warm_.empty() ? nullptr : &warm_[static_cast<size_t>(i)]});
    if (offsets_ != nullptr) bases.back().c += offsets_->col(i);
  }
  std::vector<RelaxedSolution> solutions = decoder_->solve_families(bases, families);
  const Plugin& plugin = decoder_->plugin();
  for (size_t j = 0; j < instances.size(); ++j) {
    RelaxedSolution& s = solutions[j];
    if (!s.has_point())
      fail(Fault::plugin, "{} answered '{}' for training instance {}{}{}", plugin.id(), status_name(s.status),
           instances[j], s.message.empty() ? "" : ": ", s.message);
    const Eigen::VectorXd linear = families[j].D * families[j].t.col(s.subproblem);
    const double constant = families[j].constants(s.subproblem);
    const Eigen::VectorXd y = Y_.col(instances[j]).cast<double>();
    const auto truth = [&] { return y.dot(bases[j].c) - A_.quadratic(y); };  // its loss is 0
    if (verify || instances[j] % kVerifiedEvery == 0) {
      verify_solution(plugin, s, A_, bases[j].c + linear, families[j].rows_of(s.subproblem), constant);
      verify_bound(plugin, s.bound, truth(), value_tolerance(bases[j].c, A_));
    }
    MostViolated& answer = answers[static_cast<size_t>(first) + j];
    answer.loss = constant + linear.dot(s.u());
    answer.value = s.value;
    answer.bound = s.bound;
    answer.solved = s.solved;
    answer.pruned = s.pruned;
    answer.F = std::move(s.F);
    const bool proven = s.status == CONCORD_OPTIMAL || s.status == CONCORD_RELAXED;
    // A decoder without a proof may miss even the truth, which is then the better answer.
    if (const double value = proven ? answer.value : truth(); value > answer.value) {
      answer.F = y;
      answer.loss = 0;
      answer.value = value;
    }
    if (offsets_ == nullptr) continue;
    const auto offset = offsets_->col(instances[j]);
    answer.loss += offset.dot(answer.u() - y);
    answer.value -= offset.dot(y);
    answer.bound -= offset.dot(y);
  }
}

DecodingFit::DecodingFit(const TrainPlan& plan, const FitData& data, uint64_t seed, ThreadPool& pool,
                         const RunControl& control)
    : plan_(plan),
      X_(data.X),
      Y_(data.Y),
      offsets_(data.offsets),
      seed_(seed),
      ranks_(data.ranks != nullptr ? *data.ranks : alone_),
      pool_(pool),
      control_(control),
      with_prior_(plan.prior != PriorSign::none),
      cone_(plan.prior),
      oracle_(*plan_.decoder, *plan_.loss, data.Y, data.offsets, ranks_, pool, control) {}

}  // namespace concord
