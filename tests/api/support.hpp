// SPDX-License-Identifier: MIT
#pragma once
// A session, problems and decoders in memory, for the tests of concord.h.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <concord/concord.h>

namespace concord::api_test {

struct Closer {
  void operator()(concord_session* session) const { concord_close(session); }
  void operator()(concord_model* model) const { concord_model_free(model); }
  void operator()(char* text) const { concord_free(text); }
};
template <class T>
using Owned = std::unique_ptr<T, Closer>;

inline Owned<concord_session> open_session() {
  const char* folder = CONCORD_TEST_PLUGINS;
  concord_session* session = nullptr;
  REQUIRE(concord_open(&folder, 1, &session) == CONCORD_OK);
  return Owned<concord_session>(session);
}

/// Problems of one prior, and room for every answer.
struct Batch {
  int64_t V, count;
  std::vector<double> A, c;
  std::vector<int64_t> k;
  std::string decoder = "exact";
  std::string options;
  double time_limit = 0;
  concord_run run{sizeof(concord_run), 1, nullptr, nullptr, nullptr, nullptr};

  std::vector<int8_t> labels;
  std::vector<double> objective, bound, u, value;
  std::vector<int32_t> status;

  Batch(int64_t labels_, int64_t problems, unsigned seed)
      : V(labels_),
        count(problems),
        A(static_cast<size_t>(V * V), 0),
        c(static_cast<size_t>(count * V)),
        labels(c.size()),
        objective(static_cast<size_t>(count)),
        bound(objective),
        u(c.size()),
        value(objective),
        status(static_cast<size_t>(count)) {
    std::mt19937 random(seed);
    const auto draw = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
    for (int64_t i = 0; i < V; ++i)
      for (int64_t j = 0; j < i; ++j)
        A[static_cast<size_t>(i * V + j)] = A[static_cast<size_t>(j * V + i)] = draw();
    for (double& number : c) number = draw();
  }

  int32_t solve(concord_session* session) {
    concord_prior prior{};
    prior.size = sizeof prior;
    prior.labels = V;
    prior.dense = A.data();
    return solve(session, prior);
  }

  int32_t solve(concord_session* session, const concord_prior& prior) {
    concord_problems problems{};
    problems.size = sizeof problems;
    problems.prior = &prior;
    problems.count = count;
    problems.c = c.data();
    problems.cardinality = k.empty() ? nullptr : k.data();
    problems.decoder = decoder.c_str();
    problems.options = options.empty() ? nullptr : options.c_str();
    problems.seed = 1;
    problems.time_limit = time_limit;
    concord_answers answers{sizeof(concord_answers), 0,        labels.data(), objective.data(), bound.data(),
                            status.data(),           u.data(), value.data(),  nullptr};
    return concord_decode(session, &problems, &run, &answers);
  }

  /// u'c - u'Au of a labelling of problem i
  double evaluate(int64_t i, const int8_t* y) const {
    double sum = 0;
    for (int64_t v = 0; v < V; ++v) {
      sum += y[v] * c[static_cast<size_t>(i * V + v)];
      for (int64_t w = 0; w < V; ++w) sum -= y[v] * y[w] * A[static_cast<size_t>(v * V + w)];
    }
    return sum;
  }

  /// The largest value of problem i by enumeration.
  double optimum(int64_t i) const {
    double best = -1e300;
    std::vector<int8_t> y(static_cast<size_t>(V));
    for (uint32_t bits = 0; bits < (1U << V); ++bits) {
      int64_t positive = 0;
      for (int64_t v = 0; v < V; ++v) {
        const bool is_set = (bits >> v & 1U) != 0;
        y[static_cast<size_t>(v)] = is_set ? 1 : -1;
        positive += is_set ? 1 : 0;
      }
      const int64_t wanted = k.empty() ? -1 : k[static_cast<size_t>(i)];
      if (wanted >= 0 && positive != wanted) continue;
      best = std::max(best, evaluate(i, y.data()));
    }
    return best;
  }
};

/// A decoder in memory that answers the signs of c and says of its value what `lie` adds.
struct SignDecoder {
  static inline double lie = 0;
  static inline int calls = 0;

  static void* create(const concord_env*, const concord_value*, size_t) { return std::malloc(8); }
  static void destroy(void* self) { std::free(self); }
  static int32_t prepare(void*, const concord_env*, const concord_prior*) { return CONCORD_OK; }
  static int32_t solve(void*, const concord_env*, const concord_request* requests, concord_result* results,
                       size_t count) {
    for (size_t i = 0; i < count; ++i) {
      concord_result& result = results[i];
      result.value = lie;
      for (int64_t v = 0; v < requests[i].labels; ++v) {
        result.F[v] = requests[i].c[v] > 0 ? 1 : -1;
        result.value += result.F[v] * requests[i].c[v];
      }
      result.rank = 1;
      result.status = CONCORD_FEASIBLE;
      ++calls;
    }
    return CONCORD_OK;
  }

  static const concord_plugin_table* table() {
    static const concord_capabilities can{sizeof can,
                                          CONCORD_PRIOR_ZERO,
                                          0,
                                          CONCORD_CONSTRAINTS_NONE,
                                          CONCORD_MOMENT_RANK_ONE,
                                          CONCORD_HEURISTIC,
                                          0};
    static const concord_decoder functions{sizeof functions, 0,       create, destroy, prepare,
                                           nullptr,          nullptr, solve,  nullptr, nullptr};
    static const concord_plugin_table table{
        CONCORD_MAGIC, CONCORD_ABI, sizeof table, CONCORD_DECODER, 0, "signs", "1",        "the signs of c",
        "MIT",         "a test",    &can,         nullptr,         0, nullptr, &functions, nullptr};
    return &table;
  }
};

}  // namespace concord::api_test
