// SPDX-License-Identifier: MIT
// What must not change a decoder's answer: repetition, batches, other objects, threads, seeds, warm blocks, the
// form of the prior, and whether a family is solved at once or one by one.
#include <cmath>
#include <exception>
#include <malloc.h>
#include <thread>

#include "base/error.hpp"
#include "check/examine.hpp"
#include "check/problems.hpp"
#include "solve/verify.hpp"

namespace concord::check {
namespace {

/// Problems of one prior, without and with a cardinality.
struct Batch {
  PriorMatrix A;
  std::vector<Instance> instances;

  CanonicalProblem problem(size_t i) const { return {A, instances[i].c, instances[i].k}; }
};

Batch random_batch(Subject& subject, kit::Rng& rng, int64_t V, size_t size) {
  const Scope scope = Scope::of(subject.plugin());
  Batch batch;
  batch.A = problem_in(scope, rng, scope.labels(V), false).A;
  for (size_t i = 0; i < size; ++i) {
    const CanonicalProblem problem = problem_in(scope, rng, scope.labels(V), i % 2 == 1);
    batch.instances.push_back({problem.c, problem.k, kit::derive(subject.seed(), i), nullptr});
  }
  return batch;
}

std::string of(const Batch& batch, size_t i) {
  return fmt::format("request {}, {}", i, size_of(batch.problem(i)));
}

/// The first difference in bits between two answers.
std::optional<std::string> difference(const RelaxedSolution& a, const RelaxedSolution& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  if (a.status != b.status)
    return fmt::format("status '{}' against '{}'", status_name(a.status), status_name(b.status));
  if (!a.has_point()) return std::nullopt;
  if (!same(a.value, b.value)) return fmt::format("value {:.17g} against {:.17g}", a.value, b.value);
  if (!same(a.bound, b.bound)) return fmt::format("bound {:.17g} against {:.17g}", a.bound, b.bound);
  if (a.F.cols() != b.F.cols()) return fmt::format("rank {} against {}", a.F.cols(), b.F.cols());
  for (int64_t v = 0; v < a.F.rows(); ++v)
    for (int64_t j = 0; j < a.F.cols(); ++j)
      if (a.F(v, j) != b.F(v, j))
        return fmt::format("F[{},{}] = {:.17g} against {:.17g}", v, j, a.F(v, j), b.F(v, j));
  return std::nullopt;
}

void require_same(const RelaxedSolution& a, const RelaxedSolution& b, const std::string& what,
                  const Batch& batch, size_t i) {
  if (const auto differs = difference(a, b))
    throw Failure(fmt::format("{}: {} ({})", what, *differs, of(batch, i)));
}

/// Value and bound to 1e-9 of the problem's scale: what another order of summation may do.
void require_near(const RelaxedSolution& a, const RelaxedSolution& b, const std::string& what,
                  const Batch& batch, size_t i) {
  const double tolerance = value_tolerance(batch.instances[i].c, batch.A);
  if (a.has_point() != b.has_point())
    throw Failure(fmt::format("{}: status '{}' against '{}' ({})", what, status_name(a.status),
                              status_name(b.status), of(batch, i)));
  if (!a.has_point()) return;
  if (std::abs(a.value - b.value) > tolerance)
    throw Failure(
        fmt::format("{}: value {:.12g} against {:.12g} ({})", what, a.value, b.value, of(batch, i)));
  if (std::isnan(a.bound) != std::isnan(b.bound) || std::abs(a.bound - b.bound) > tolerance)
    throw Failure(
        fmt::format("{}: bound {:.12g} against {:.12g} ({})", what, a.bound, b.bound, of(batch, i)));
}

/// use(batch, a decoder that is prepared for it), for random batches.
template <class Use>
void for_batches(Subject& subject, const char* name, int rounds, size_t size, Use&& use) {
  kit::Rng rng(subject.seed_of(name));
  for (int round = 0; round < rounds; ++round) {
    const Batch batch = random_batch(subject, rng, 10, size);
    const auto decoder = make_decoder(subject);
    decoder->prepare(batch.A);
    use(batch, *decoder);
  }
}

std::string repeat(Subject& subject) {
  for_batches(subject, "repeat", 10, 16, [](const Batch& batch, Decoder& decoder) {
    const auto first = decoder.solve(batch.instances);
    const auto second = decoder.solve(batch.instances);
    decoder.prepare(batch.A);
    const auto prepared_again = decoder.solve(batch.instances);
    for (size_t i = 0; i < first.size(); ++i) {
      require_same(second[i], first[i], "the same chunk twice differs", batch, i);
      require_same(prepared_again[i], first[i], "the same prior prepared again differs", batch, i);
    }
  });
  return "";
}

std::string batch_sizes(Subject& subject) {
  for_batches(subject, "batch", 5, 70, [](const Batch& batch, const Decoder& decoder) {
    const auto whole = decoder.solve(batch.instances);
    std::vector<Instance> reversed(batch.instances.rbegin(), batch.instances.rend());
    const auto backwards = decoder.solve(reversed);
    const std::span<const Instance> all(batch.instances);
    for (size_t i = 0; i < all.size(); ++i) {
      require_near(decoder.solve(all[i]), whole[i], "alone against in a batch", batch, i);
      require_near(backwards[all.size() - 1 - i], whole[i], "another order of the batch", batch, i);
    }
    for (size_t first = 0; first < all.size(); first += 7) {
      const auto part = decoder.solve(all.subspan(first, 7));
      for (size_t i = 0; i < part.size(); ++i)
        require_near(part[i], whole[first + i], "batches of 7 against one of 70", batch, first + i);
    }
  });
  return "";
}

std::string objects(Subject& subject) {
  kit::Rng rng(subject.seed_of("objects"));
  const Batch mine = random_batch(subject, rng, 9, 12), other = random_batch(subject, rng, 6, 12);
  const auto decoder = make_decoder(subject);
  decoder->prepare(mine.A);
  const auto before = decoder->solve(mine.instances);

  const auto second = make_decoder(subject);
  second->prepare(other.A);
  second->solve(other.instances);
  const auto after = decoder->solve(mine.instances);
  second->prepare(mine.A);
  const auto moved = second->solve(mine.instances);
  const auto third = make_decoder(subject);
  third->prepare(mine.A);
  const auto fresh = third->solve(mine.instances);
  for (size_t i = 0; i < before.size(); ++i) {
    require_same(after[i], before[i], "what another object did changes an answer", mine, i);
    require_same(moved[i], before[i], "an object that had another prior before differs", mine, i);
    require_same(fresh[i], before[i], "a new object differs from an earlier one", mine, i);
  }
  return "";
}

std::string seed(Subject& subject) {
  if (subject.plugin().has(CONCORD_RANDOMISED)) throw Skip("it declares that its answer depends on the seed");
  kit::Rng rng(subject.seed_of("seed"));
  Batch batch = random_batch(subject, rng, 10, 50);
  const auto decoder = make_decoder(subject);
  decoder->prepare(batch.A);
  const auto before = decoder->solve(batch.instances);
  for (auto& instance : batch.instances) instance.seed = rng.next();
  const auto after = decoder->solve(batch.instances);
  for (size_t i = 0; i < before.size(); ++i)
    require_same(after[i], before[i], "another seed changes an answer; declare CONCORD_RANDOMISED", batch, i);
  return "";
}

/// Small problems for many calls, and larger ones that last long enough for two calls to overlap. An exact decoder is not
/// asked for the larger ones: it would take too long.
std::string threads(Subject& subject) {
  kit::Rng rng(subject.seed_of("threads"));
  const bool exact = subject.plugin().capabilities().guarantee == CONCORD_MAY_BE_OPTIMAL;
  for (const int64_t V : {int64_t{10}, int64_t{exact ? 16 : 60}}) {
    const Batch batch = random_batch(subject, rng, V, V == 10 ? 48 : 12);
    const auto reference = make_decoder(subject);
    reference->prepare(batch.A);
    std::vector<RelaxedSolution> alone;
    for (const auto& instance : batch.instances) alone.push_back(reference->solve(instance));

    for (int round = 0; round < 5 && !subject.time_is_short(); ++round) {
      // A new object, so that what it prepares lazily is prepared by several threads at once.
      const auto decoder = make_decoder(subject);
      decoder->prepare(batch.A);
      in_threads([&](size_t t) {
        for (size_t j = 0; j < alone.size(); ++j) {  // each begins elsewhere
          const size_t i = (j + t * alone.size() / kThreads) % alone.size();
          require_same(decoder->solve(batch.instances[i]), alone[i], "in another thread", batch, i);
        }
      });
    }
  }
  return subject.plugin().has(CONCORD_REENTRANT) ? "concurrently" : "one after the other: not re-entrant";
}

/// The allocator of the C library fills what it hands out with other bytes in each round, so a member that nobody set has
/// another value. In a thread of its own: what a thread has freed is handed to it again as it is.
std::string fresh_memory(Subject& subject) {
  kit::Rng rng(subject.seed_of("fresh-memory"));
  const Batch batch = random_batch(subject, rng, 10, 24);
  std::vector<RelaxedSolution> first, answers;
  for (const int filling : {0x00, 0x55, 0xaa}) {
    ::mallopt(M_PERTURB, ~filling & 0xff);  // it fills with the complement; 0 would mean not at all
    std::exception_ptr thrown;
    std::thread([&] {
      try {
        const auto decoder = make_decoder(subject);
        decoder->prepare(batch.A);
        answers = decoder->solve(batch.instances);
      } catch (...) {
        thrown = std::current_exception();
      }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
    if (first.empty()) first = answers;
    for (size_t i = 0; i < first.size(); ++i)
      require_same(answers[i], first[i], "it reads memory that it never wrote", batch, i);
  }
  return "";
}

std::string thread_budget(Subject& subject) {
  kit::Rng rng(subject.seed_of("thread-budget"));
  const Batch batch = random_batch(subject, rng, 10, 40);
  std::vector<RelaxedSolution> first;
  for (const int threads : {1, 2, 3}) {
    RunControl control;
    control.threads = threads;
    const auto decoder = make_decoder(subject, {}, control);
    decoder->prepare(batch.A);
    const auto answers = decoder->solve(batch.instances);
    if (first.empty()) first = answers;
    for (size_t i = 0; i < first.size(); ++i)
      require_same(answers[i], first[i], fmt::format("with env->threads = {} instead of 1", threads), batch,
                   i);
  }
  return "";
}

/// How far two solves of one problem to a tolerance may be apart: the gap that they themselves prove, but at
/// most one per cent. Without a gap only rounding.
double own_tolerance(const RelaxedSolution& answer) {
  const double gap = answer.status == CONCORD_RELAXED ? answer.bound - answer.value : 0;
  return std::isnan(gap) ? 0 : std::min(std::max(gap, 0.0), 0.01 * (1 + std::abs(answer.value)));
}

std::string warm(Subject& subject) {
  if (!subject.plugin().has(CONCORD_WARM)) throw Skip("it declares that it uses no warm block");
  kit::Rng rng(subject.seed_of("warm"));
  for (int round = 0; round < 20; ++round) {
    Batch batch = random_batch(subject, rng, 10, 12);
    const auto decoder = make_decoder(subject);
    decoder->prepare(batch.A);
    if (decoder->warm_block().empty()) throw Failure("it declares CONCORD_WARM, and its warm_size is 0");
    // One block goes from problem to problem, so that each starts from the solution of another; then again.
    WarmBlock block = decoder->warm_block();
    for (int pass = 0; pass < 2; ++pass)
      for (size_t i = 0; i < batch.instances.size(); ++i) {
        Instance instance = batch.instances[i];
        WarmBlock zeros = decoder->warm_block();
        instance.warm = &zeros;
        const RelaxedSolution cold = decoder->solve(instance);
        WarmBlock moved = block;  // a warm block may be saved and restored elsewhere
        instance.warm = &moved;
        const RelaxedSolution hot = decoder->solve(instance);
        block = moved;
        const double allowed =
            value_tolerance(instance.c, batch.A) + std::max(own_tolerance(cold), own_tolerance(hot));
        if (hot.has_point() != cold.has_point() || !(std::abs(hot.value - cold.value) <= allowed))
          throw Failure(fmt::format("a warm start changes the answer: {} '{}' instead of {} '{}' ({})",
                                    hot.value, status_name(hot.status), cold.value, status_name(cold.status),
                                    of(batch, i)));
        if (integral_labels(cold.u(), instance.k) && cold.status != CONCORD_RELAXED &&
            (hot.u() - cold.u()).cwiseAbs().maxCoeff() > 1e-6)
          throw Failure(fmt::format("a warm start changes the labels ({})", of(batch, i)));
      }
  }
  return "";
}

std::string sparse_form(Subject& subject) {
  if (!subject.plugin().has(CONCORD_SPARSE_PRIOR)) throw Skip("it declares that it takes only dense priors");
  kit::Rng rng(subject.seed_of("sparse-form"));
  const Scope scope = Scope::of(subject.plugin());
  for (int round = 0; round < 50; ++round) {
    const auto problems = generate(Source::sparse, scope, rng);
    Batch batch{problems.front().A, {}};
    for (const auto& problem : problems) batch.instances.push_back(instance_of(problem, subject));
    const auto dense = make_decoder(subject), sparse = make_decoder(subject);
    dense->prepare(batch.A);
    sparse->prepare(PriorMatrix(SparseMatrix(batch.A.dense().sparseView())));
    for (size_t i = 0; i < problems.size(); ++i)
      require_near(sparse->solve(batch.instances[i]), dense->solve(batch.instances[i]),
                   "the sparse form of A against the dense one", batch, i);
  }
  return "";
}

}  // namespace

std::vector<Test> repetition_tests() {
  return {
      {"repeat", "The same chunk twice, and after preparing again, gives the same bits.", repeat},
      {"batch", "Another size or order of the batch gives the same value and bound to 1e-9.", batch_sizes},
      {"objects", "Other objects and earlier priors change no bit of an answer.", objects},
      {"seed", "A decoder that does not declare itself randomised gives the same bits for every seed.", seed},
      {"threads", "Other threads get the same bits, concurrently if it declares itself re-entrant.", threads},
      {"fresh-memory", "What fresh memory holds changes no bit: nothing is read that was not written.",
       fresh_memory},
      {"thread-budget", "The number of threads that it may use changes no bit.", thread_budget},
      {"warm", "What a warm block holds changes the time, never the answer.", warm},
      {"sparse-form", "The sparse form of a prior gives what its dense form gives.", sparse_form},
  };
}

}  // namespace concord::check
