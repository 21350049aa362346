// SPDX-License-Identifier: MIT
// Pieces of work on threads.
#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "base/run.hpp"

namespace concord::pool_test {

TEST_CASE("a pool runs every piece once, in jobs of any size") {
  for (const int threads : {1, 2, 4, 16}) {
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    for (int64_t job = 0; job < 2000; ++job) {
      const int64_t count = job % 37;
      std::vector<int> times(static_cast<size_t>(count), 0);
      pool.run(count, [&](int64_t i) { ++times[static_cast<size_t>(i)]; });
      REQUIRE(times == std::vector<int>(static_cast<size_t>(count), 1));
    }
  }
}

TEST_CASE("a pool throws what its first failing piece threw, and works on") {
  for (const int threads : {1, 2, 4, 16}) {
    ThreadPool pool(threads);
    for (int job = 0; job < 200; ++job) {
      std::atomic<int> begun = 0;
      CHECK_THROWS_WITH(pool.run(50,
                                 [&](int64_t i) {
                                   ++begun;
                                   if (i >= 3) throw std::runtime_error("piece " + std::to_string(i));
                                 }),
                        "piece 3");
      CHECK(begun >= 4);
      std::atomic<int> done = 0;
      pool.run(50, [&](int64_t) { ++done; });
      REQUIRE(done == 50);
    }
  }
}

}  // namespace concord::pool_test
