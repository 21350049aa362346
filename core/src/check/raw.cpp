// SPDX-License-Identifier: MIT
#include "check/raw.hpp"

#include <limits>

namespace concord::check {
namespace {

constexpr int64_t kLabels = 5;  // of the problems in exercise()

template <class Functions>
void* create(const Functions& functions, Subject& subject, const Call& call, const AfterCall& after) {
  const OptionValues options = subject.options();
  void* self = functions.create(call.env(), options.records().data(), options.records().size());
  after("create");
  if (self == nullptr) throw Failure("it could not be created: " + call.reason());
  return self;
}

void require_ok(int32_t status, const char* name, const Call& call) {
  if (status != CONCORD_OK) throw Failure(fmt::format("failed in {}: {}", name, call.reason()));
}

/// use(functions, self, call) with an object of the plugin, which is destroyed then.
template <class Functions, class Use>
void with_object(const Functions& functions, Subject& subject, const AfterCall& after, Use&& use) {
  const RunControl control;
  const Call call(control, subject.plugin().id());
  void* self = create(functions, subject, call, after);
  use(functions, self, call);
  functions.destroy(self);
  after("destroy");
}

}  // namespace

/// One request with its result.
struct RawDecoder::Buffers {
  concord_row row{};
  concord_request request{};
  concord_result result{};
  Eigen::MatrixXd F;
  char message[256] = "";

  Buffers(const Eigen::VectorXd& c, std::optional<double> beta, int64_t max_rank,
          std::vector<uint64_t>& warm) {
    row = {sizeof row, 0, nullptr, beta.value_or(0)};
    request = request_view(c, &row, beta ? 1 : 0);
    request.warm = warm.empty() ? nullptr : warm.data();
    F.setZero(c.size(), max_rank);
    result.size = sizeof result;
    result.F = F.data();
    result.F_columns = max_rank;
    result.value = result.bound = std::numeric_limits<double>::quiet_NaN();
    result.message = message;
    result.message_bytes = sizeof message;
  }
};

RawDecoder::RawDecoder(Subject& subject, RunControl control, AfterCall after)
    : plugin_(subject.plugin()),
      control_(std::move(control)),
      call_(control_, plugin_.id()),
      after_(std::move(after)),
      functions_(plugin_.decoder()) {
  self_ = create(functions_, subject, call_, after_);
}

RawDecoder::~RawDecoder() {
  try {
    functions_.destroy(self_);
  } catch (...) {  // the test `destroy` is about that
  }
}

int32_t RawDecoder::prepare(const PriorMatrix& A) {
  PriorMatrix copy;
  const concord_prior view = prior_view(A, plugin_, copy);
  const int32_t status = functions_.prepare(self_, call_.env(), &view);
  after_("prepare");
  if (status != CONCORD_OK) return status;
  labels_ = A.labels();
  max_rank_ = 1;
  if (functions_.max_rank != nullptr) {
    max_rank_ = functions_.max_rank(self_, labels_);
    after_("max_rank");
    if (max_rank_ < 1 || max_rank_ > labels_ + 1)
      throw Failure(fmt::format("its max_rank is {} for {} labels", max_rank_, labels_));
  }
  warm_.clear();
  if (functions_.warm_size != nullptr) {
    warm_.resize((functions_.warm_size(self_, labels_) + 7) / 8);
    after_("warm_size");
  }
  return status;
}

int32_t RawDecoder::solve(const Eigen::VectorXd& c, std::optional<double> beta) {
  Buffers b(c, beta, max_rank_, warm_);
  const int32_t status = functions_.solve(self_, call_.env(), &b.request, &b.result, 1);
  after_("solve");
  return status == CONCORD_OK ? b.result.status : status;
}

int32_t RawDecoder::solve_family(const Eigen::VectorXd& c, const FamilyData& family) {
  if (functions_.solve_family == nullptr) return CONCORD_UNSUPPORTED;
  Buffers b(c, std::nullopt, max_rank_, warm_);
  const concord_family view = family.view();
  const int32_t status = functions_.solve_family(self_, call_.env(), &b.request, &view, &b.result, 1);
  after_("solve_family");
  return status == CONCORD_OK ? b.result.status : status;
}

namespace {

void exercise_decoder(Subject& subject, const AfterCall& after) {
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of("exercise"));
  {
    RawDecoder decoder(subject, {}, after);
    const CanonicalProblem problem = problem_in(scope, rng, scope.labels(kLabels), false);
    const int64_t V = problem.labels();
    if (decoder.prepare(problem.A) != CONCORD_OK) throw Failure("failed in prepare");
    decoder.solve(problem.c, std::nullopt);
    if (scope.cardinality) decoder.solve(problem.c, kit::beta_of(V, V / 2));
    for (const auto kind : {FamilyShapeKind::f_beta, FamilyShapeKind::single})
      decoder.solve_family(problem.c, random_family(scope, rng, V, kind));
  }
  after("destroy");
}

void exercise_loss(const concord_loss& functions, void* self, const Call& call, const AfterCall& after) {
  const std::vector<int64_t> positives(kLabels, 2);
  require_ok(functions.prepare(self, call.env(), kLabels, 4, positives.data()), "prepare", call);
  after("prepare");
  const int8_t truth[kLabels] = {1, -1, 1, -1, -1}, y[kLabels] = {1, 1, -1, -1, -1};
  functions.evaluate(self, call.env(), kLabels, y, truth);
  after("evaluate");
  concord_family family{};
  family.size = sizeof family;
  family.labels = kLabels;
  functions.shape(self, &family);
  after("shape");
  const int64_t n = family.subproblems, m = family.directions, q = family.row_count;
  if (n < 1 || n > 1000 || m < 0 || m > kLabels || q < 0 || q > kLabels)
    throw Failure(fmt::format("its shape is {} subproblems, {} directions and {} rows", n, m, q));
  Eigen::MatrixXd D(kLabels, m), t(m, n), rows(kLabels, q), beta(q, n);
  Eigen::VectorXd constants(n);
  family.D = D.data();
  family.constants = constants.data();
  family.coefficients = t.data();
  family.rows = rows.data();
  family.beta = beta.data();
  require_ok(functions.describe(self, call.env(), truth, &family), "describe", call);
  after("describe");
}

void exercise_rounding(Subject& subject, const concord_rounding& functions, void* self, const Call& call,
                       const AfterCall& after) {
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of("exercise"));
  const CanonicalProblem problem = problem_in(scope, rng, kLabels, false);
  PriorMatrix copy;
  const concord_prior prior = prior_view(problem.A, subject.plugin(), copy);
  const concord_row row = cardinality_row(kLabels, 2);
  const concord_request request = request_view(problem.c, &row, scope.cardinality ? 1 : 0);
  Eigen::MatrixXd F = Eigen::MatrixXd::Constant(kLabels, 2, 0.5);
  concord_result relaxed{};
  relaxed.size = sizeof relaxed;
  relaxed.status = CONCORD_RELAXED;
  relaxed.F = F.data();
  relaxed.F_columns = relaxed.rank = F.cols();
  int8_t labels[kLabels] = {};
  const int32_t status = functions.round(self, call.env(), &prior, &request, &relaxed, nullptr, labels);
  after("round");
  require_ok(status, "round", call);
}

}  // namespace

void create_and_destroy(Subject& subject) {
  const Plugin& plugin = subject.plugin();
  const AfterCall after = [](const char*) {};
  const auto leave = [](const auto&, void*, const Call&) {};
  if (plugin.kind() == CONCORD_LOSS) return with_object(plugin.loss(), subject, after, leave);
  if (plugin.kind() == CONCORD_ROUNDING) return with_object(plugin.rounding(), subject, after, leave);
  with_object(plugin.decoder(), subject, after, leave);
  kit::Rng rng(subject.seed_of("destroy"));
  const Scope scope = Scope::of(plugin);
  const CanonicalProblem problem = problem_in(scope, rng, scope.labels(kLabels), false);
  PriorMatrix copy;
  const concord_prior view = prior_view(problem.A, plugin, copy);
  with_object(plugin.decoder(), subject, after, [&](const auto& functions, void* self, const Call& call) {
    require_ok(functions.prepare(self, call.env(), &view), "prepare", call);
  });
}

void exercise(Subject& subject, const AfterCall& after) {
  const Plugin& plugin = subject.plugin();
  if (plugin.kind() == CONCORD_DECODER) return exercise_decoder(subject, after);
  if (plugin.kind() == CONCORD_LOSS)
    return with_object(plugin.loss(), subject, after,
                       [&](const auto& functions, void* self, const Call& call) {
                         exercise_loss(functions, self, call, after);
                       });
  with_object(plugin.rounding(), subject, after, [&](const auto& functions, void* self, const Call& call) {
    exercise_rounding(subject, functions, self, call, after);
  });
}

}  // namespace concord::check
