// SPDX-License-Identifier: MIT
// A decoder that is asked to stop, has no time left, or gets input that breaks the contract.
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "check/examine.hpp"
#include "check/raw.hpp"
#include "process/fork.hpp"
#include "solve/verify.hpp"

namespace concord::check {
namespace {

/// A decoder that needs less in all need not poll.
const TimeLimits kPatience = 4;

/// Runs `work` in a thread. False: it is still running at a limit (and is left alone: the process ends soon).
template <class Work>
bool ends_within(const TimeLimits& limits, Work work) {
  struct State {
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    std::exception_ptr failure;
  };
  auto state = std::make_shared<State>();
  std::thread([state, work] {
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(state->mutex);
    state->failure = failure;
    state->done = true;
    state->ended.notify_all();
  }).detach();
  Stopwatch watch(::getpgrp());
  std::unique_lock lock(state->mutex);
  while (!state->ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return state->done; }))
    if (watch.cpu_seconds() > limits.cpu_seconds || watch.wall_seconds() > limits.wall_seconds) return false;
  if (state->failure) std::rethrow_exception(state->failure);
  return true;
}

/// Everything that the thread uses, shared with it: it may outlive the test.
struct Run {
  std::shared_ptr<const Plugin> plugin;
  std::atomic<bool> stop{false};
  RunControl control;
  std::unique_ptr<Decoder> decoder;
  CanonicalProblem problem;
  Instance instance;
  RelaxedSolution answer;
};

/// Problems that grow to 128 labels. `before` sets the run up, `during` happens beside it; `event` names what
/// the decoder should obey.
template <class Before, class During>
std::string interrupted(Subject& subject, const char* event, Before&& before, During&& during) {
  const Scope scope = Scope::of(subject.plugin());
  kit::Rng rng(subject.seed_of(event));
  int64_t last = 0;
  for (const int64_t wanted : {8, 24, 64, 128}) {
    const int64_t V = scope.labels(wanted);
    if (V == last) break;
    last = V;
    auto run = std::make_shared<Run>();
    run->plugin = subject.shared_plugin();
    before(*run);
    run->control.stop = &run->stop;
    run->problem = problem_in(scope, rng, V, false);
    run->instance = instance_of(run->problem, subject);
    run->decoder = make_decoder(subject, {}, run->control);
    subject.note_problem(run->problem);
    std::jthread later([run, during] { during(*run); });  // joins, also when the run throws
    const bool ended = ends_within(kPatience, [run] {
      run->decoder->prepare(run->problem.A);
      run->answer = run->decoder->solve(run->instance);
    });
    if (!ended)
      throw Failure(fmt::format(
          "it still runs after {}, {:g} s of CPU time or {:g} s later (V = {}); poll env.interruption()",
          event, kPatience.cpu_seconds, kPatience.wall_seconds, V));
    if (run->answer.has_point())
      verify_solution(subject.plugin(), run->answer, run->problem.A, run->problem.c, {});
  }
  return fmt::format("up to V = {}", last);
}

void nothing(Run&) {}

std::string stop(Subject& subject) {
  interrupted(
      subject, "a stop request", [](Run& run) { run.stop = true; }, nothing);
  return interrupted(subject, "a stop request", nothing, [](Run& run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    run.stop = true;
  });
}

std::string deadline(Subject& subject) {
  for (const int milliseconds : {0, 20})
    interrupted(
        subject, "the deadline",
        [&](Run& run) {
          run.control.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
        },
        nothing);
  return "";
}

std::string bad_input(Subject& subject) {
  const Plugin& plugin = subject.plugin();
  const Scope scope = Scope::of(plugin);
  kit::Rng rng(subject.seed_of("bad-input"));
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const RunControl control = deadline_in(2);
  const auto attempt = [&](const char* what, const PriorMatrix& A, const Eigen::VectorXd& c,
                           std::optional<double> beta) {
    subject.note(what);
    try {
      RawDecoder decoder(subject, control, [](const char*) {});
      const int32_t called = decoder.prepare(A);
      const int32_t status = called == CONCORD_OK ? decoder.solve(c, beta) : called;
      if (status < CONCORD_OPTIMAL || status > CONCORD_FAILED)
        throw Failure(fmt::format("{} it returns the status {}, which there is not", what, status));
    } catch (const Failure&) {
      throw;
    } catch (const std::exception& e) {
      throw Failure(fmt::format("{} it lets an exception escape: {}", what, e.what()));
    } catch (...) {
      throw Failure(fmt::format("{} it lets an exception escape", what));
    }
  };
  const CanonicalProblem fine = problem_in(scope, rng, scope.labels(5), false);
  const int64_t V = fine.labels();
  for (const double bad : {nan, infinity, -infinity, 1e308}) {
    Eigen::VectorXd c = fine.c;
    c[0] = bad;
    attempt("given a c that is not finite or overflows", fine.A, c, std::nullopt);
    if (V < 2 || scope.widest == PriorSign::none) continue;
    Eigen::MatrixXd A = fine.A.dense();
    A(0, 1) = A(1, 0) = -bad;
    attempt("given an A that is not finite or overflows", PriorMatrix(A), fine.c, std::nullopt);
  }
  if (scope.cardinality)
    for (const int64_t k : {int64_t{-1}, V + 1})
      attempt("given a cardinality that is not possible", fine.A, fine.c, static_cast<double>(2 * k - V));
  if (scope.widest != PriorSign::any) {
    const CanonicalProblem repels = problem_in(Scope{}, rng, V + 1, false);
    attempt("given a prior outside its class", repels.A, repels.c, std::nullopt);
  }
  if (scope.most_labels > 0 && scope.most_labels < 1000) {
    Scope larger = scope;
    larger.most_labels = 0;
    const CanonicalProblem problem = problem_in(larger, rng, scope.most_labels + 1, false);
    attempt("given more labels than it takes", problem.A, problem.c, std::nullopt);
  }
  return "";
}

}  // namespace

std::vector<Test> interruption_tests() {
  return {
      {"stop", "A stop request ends every call soon, and what it returns then is still true.", stop},
      {"deadline", "The deadline ends every call soon, and what it returns then is still true.", deadline},
      {"bad-input",
       "Input that breaks the contract comes back as a status: no crash, no exception, no endless loop.",
       bad_input},
  };
}

}  // namespace concord::check
