// SPDX-License-Identifier: MIT
// concord_decode: right by enumeration, the same for any number of threads, errors with fields, stop and time limit, and
// a library that is used by several threads and after a fork.
#include <atomic>
#include <chrono>
#include <cmath>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "support.hpp"

using namespace concord::api_test;

namespace {

concord_error failure() {
  return *concord_last_error();
}

bool contains(const char* text, const char* part) {
  return std::string(text).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the library speaks the API of its header") {
  CHECK(concord_api() == CONCORD_API);
  CHECK(concord_last_error() != nullptr);
}

TEST_CASE("decode finds what enumeration finds, with and without a cardinality") {
  const auto session = open_session();
  for (unsigned seed = 0; seed < 100; ++seed) {
    Batch batch(2 + seed % 7, 1 + seed % 5, seed);
    for (int64_t i = 0; seed % 3 != 0 && i < batch.count;
         ++i)  // some problems of a batch have one, others none
      batch.k.push_back((seed + i) % (batch.V + 2) - 1);
    for (const char* decoder : {"exact", "exhaustive"}) {
      batch.decoder = decoder;
      REQUIRE(batch.solve(session.get()) == CONCORD_OK);
      for (int64_t i = 0; i < batch.count; ++i) {
        const auto at = static_cast<size_t>(i);
        CHECK(batch.objective[at] == Approx(batch.optimum(i)).margin(1e-9));
        CHECK(batch.objective[at] ==
              Approx(batch.evaluate(i, &batch.labels[at * static_cast<size_t>(batch.V)])));
        CHECK(batch.bound[at] == batch.objective[at]);
        CHECK(batch.status[at] == CONCORD_OPTIMAL);
      }
    }
  }
}

TEST_CASE("any number of threads gives the same bits") {
  const auto session = open_session();
  for (const char* decoder : {"spectral", "sdp-mixing", "tabu"}) {
    Batch one(20, 150, 5), four(20, 150, 5);
    one.decoder = four.decoder = decoder;
    four.run.threads = 4;
    REQUIRE(one.solve(session.get()) == CONCORD_OK);
    REQUIRE(four.solve(session.get()) == CONCORD_OK);
    CHECK(one.u == four.u);
    CHECK(one.value == four.value);
    CHECK(one.labels == four.labels);
  }
}

TEST_CASE("a sparse prior is the dense one") {
  const auto session = open_session();
  Batch batch(8, 3, 11);
  batch.A.assign(64, 0.0);
  std::vector<int64_t> start = {0}, column;
  std::vector<double> entry;
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < 8; ++j)
      if (j == i + 1 || j == i - 1) {
        batch.A[static_cast<size_t>(8 * i + j)] = 0.25 * static_cast<double>(i + j);
        column.push_back(j);
        entry.push_back(0.25 * static_cast<double>(i + j));
      }
    start.push_back(static_cast<int64_t>(entry.size()));
  }
  REQUIRE(batch.solve(session.get()) == CONCORD_OK);
  const std::vector<double> dense = batch.objective;
  concord_prior prior{sizeof prior, 0, 8, nullptr, start.data(), column.data(), entry.data()};
  REQUIRE(batch.solve(session.get(), prior) == CONCORD_OK);
  CHECK(batch.objective == dense);
  entry[0] += 1;
  CHECK(batch.solve(session.get(), prior) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().reason, "not symmetric"));
  column[0] = 9;
  CHECK(batch.solve(session.get(), prior) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().reason, "column 9"));
}

TEST_CASE("what is wrong is told with its fields") {
  const auto session = open_session();
  Batch batch(4, 1, 1);
  batch.decoder = "exakt";
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_UNAVAILABLE);
  CHECK(failure().kind == CONCORD_ERROR_UNAVAILABLE);
  CHECK(std::string(failure().subject) == "decoder/exakt");
  CHECK(contains(failure().text, "did you mean exact?"));
  batch.decoder = "spectral";
  batch.options = R"({"decoder.prun": "no"})";
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().place, "options.decoder.prun"));
  CHECK(contains(failure().text, "did you mean prune?"));
  batch.options = "{";
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().text, "options is not JSON"));
  batch.options = "[1]";
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  batch.options = R"({"tol": 1})";
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().text, "SCOPE.OPTION"));
  batch.options = "";
  batch.c[2] = std::nan("");
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().text, "c holds nan at 2"));
  batch.c[2] = 0;
  batch.A[1] += 1;
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().remedy, "(A + A') / 2"));
  batch.A[4] = batch.A[1];
  batch.k = {5};
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().text, "cardinality of problem 0 is 5, and there are 4 labels"));
  batch.k.clear();
  batch.decoder = "modular";
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_UNSUPPORTED);
  batch.time_limit = -1;
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  batch.run.size = 0;
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INPUT);
  CHECK(contains(failure().text, "sizeof"));
  CHECK(concord_decode(nullptr, nullptr, nullptr, nullptr) == CONCORD_ERROR_INPUT);
  const char* nowhere = "/nowhere";
  concord_session* none = nullptr;
  CHECK(concord_open(&nowhere, 1, &none) == CONCORD_ERROR_INPUT);
  CHECK(none == nullptr);
}

TEST_CASE("an error belongs to its thread") {
  const auto session = open_session();
  Batch batch(4, 1, 1);
  batch.decoder = "nothing-of-that-name";
  REQUIRE(batch.solve(session.get()) == CONCORD_ERROR_UNAVAILABLE);
  std::thread([] { CHECK(concord_last_error()->kind == CONCORD_OK); }).join();
  CHECK(failure().kind == CONCORD_ERROR_UNAVAILABLE);
}

TEST_CASE("a plugin in memory is found by its name, verified, and replaced") {
  const auto session = open_session();
  Batch batch(5, 40, 3);
  batch.A.assign(25, 0.0);
  batch.decoder = "signs";
  batch.run.threads = 4;
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_UNAVAILABLE);
  REQUIRE(concord_register(session.get(), SignDecoder::table()) == CONCORD_OK);
  REQUIRE(concord_register(session.get(), SignDecoder::table()) == CONCORD_OK);
  SignDecoder::calls = 0;
  REQUIRE(batch.solve(session.get()) == CONCORD_OK);
  CHECK(SignDecoder::calls == 40);
  CHECK(batch.objective[7] == Approx(batch.optimum(7)));
  CHECK(std::isnan(batch.bound[7]));
  SignDecoder::lie = 1;
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_PLUGIN);
  SignDecoder::lie = 0;
  CHECK(std::string(failure().subject) == "decoder/signs");

  char* json = nullptr;
  REQUIRE(concord_plugins(session.get(), &json) == CONCORD_OK);
  const Owned<char> listing(json);
  CHECK(contains(json, R"("name":"signs")"));
  CHECK(contains(json, R"("name":"spectral")"));
  REQUIRE(concord_describe(session.get(), "decoder/spectral", &json) == CONCORD_OK);
  const Owned<char> description(json);
  CHECK(contains(json, R"("name":"prune")"));
  REQUIRE(concord_describe(session.get(), "config", &json) == CONCORD_OK);
  const Owned<char> keys(json);
  CHECK(contains(json, R"("key":"lambda_w")"));
  CHECK(concord_describe(session.get(), "spectral", &json) == CONCORD_ERROR_INPUT);

  concord_plugin_table broken = *SignDecoder::table();
  broken.abi = 2;
  CHECK(concord_register(session.get(), &broken) == CONCORD_ERROR_UNAVAILABLE);
  broken = *SignDecoder::table();
  broken.name = "Not A Name";
  CHECK(concord_register(session.get(), &broken) == CONCORD_ERROR_UNAVAILABLE);
  CHECK(concord_register(session.get(), nullptr) == CONCORD_ERROR_UNAVAILABLE);
}

TEST_CASE("a stop flag and a time limit end a search") {
  const auto session = open_session();
  Batch batch(120, 1, 1);  // far beyond what branch and bound proves in seconds
  batch.options = R"({"decoder.node_limit": 1000000000})";
  unsigned char stop = 0;
  batch.run.stop = &stop;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::atomic_ref(stop).store(1);
  });
  CHECK(batch.solve(session.get()) == CONCORD_ERROR_INTERRUPTED);
  later.join();
  stop = 0;
  batch.time_limit = 0.05;
  REQUIRE(batch.solve(session.get()) == CONCORD_OK);
  CHECK(batch.status[0] == CONCORD_LIMIT);
  CHECK(batch.bound[0] >= batch.objective[0]);
}

TEST_CASE("several threads share a session") {
  const auto session = open_session();
  Batch expected(12, 20, 9);
  expected.decoder = "sdp-mixing";
  REQUIRE(expected.solve(session.get()) == CONCORD_OK);
  std::atomic<int> same = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Batch mine(12, 20, 9);
      mine.decoder = "sdp-mixing";
      for (int i = 0; i < 5; ++i)
        if (mine.solve(session.get()) == CONCORD_OK && mine.u == expected.u) ++same;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(same == 20);
}

#if !defined(__SANITIZE_THREAD__)  // which forbids threads after a fork of several
TEST_CASE("a child goes on where other threads of the parent were at work") {
  const auto session = open_session();
  REQUIRE(concord_register(session.get(), SignDecoder::table()) == CONCORD_OK);
  std::atomic<bool> done = false;
  std::thread busy([&] {
    Batch batch(15, 50, 2);
    batch.A.assign(225, 0.0);
    batch.decoder = "signs";  // not re-entrant: its lock is held nearly all the time
    while (!done) static_cast<void>(batch.solve(session.get()));
  });
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const pid_t child = ::fork();
    if (child == 0) {
      Batch mine(10, 4, 1), zero(4, 1, 2);
      mine.decoder = "sdp-mixing";
      mine.run.threads = 2;
      zero.A.assign(16, 0.0);
      zero.decoder = "signs";
      ::_exit(mine.solve(session.get()) == CONCORD_OK && zero.solve(session.get()) == CONCORD_OK ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  done = true;
  busy.join();
}
#endif
