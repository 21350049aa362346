// SPDX-License-Identifier: MIT
#pragma once
// From a plain class to the C functions of its kind. Optional members are found by looking for them.
#include <concepts>
#include <limits>
#include <vector>

#include <concord/sdk/firewall.hpp>
#include <concord/sdk/options.hpp>
#include <concord/sdk/views.hpp>

namespace concord {

/// Batches, walked with the stride of the host's structs.
class Requests {
 public:
  Requests(const concord_request* first, size_t count) : first_(first), count_(count) {}
  size_t size() const { return count_; }
  Request operator[](size_t i) const { return Request(CONCORD_AT(const concord_request, first_, i)); }

 private:
  const concord_request* first_;
  size_t count_;
};

class Results {
 public:
  Results(concord_result* first, int64_t labels) : first_(first), labels_(labels) {}
  Result operator[](size_t i) const { return {CONCORD_AT(concord_result, first_, i), labels_}; }

 private:
  concord_result* first_;
  int64_t labels_;
};

class Families {
 public:
  explicit Families(const concord_family* first) : first_(first) {}
  Family operator[](size_t i) const { return Family(CONCORD_AT(const concord_family, first_, i)); }

 private:
  const concord_family* first_;
};

namespace sdk {

template <class P>
struct CommonThunks {
  static void* create(const concord_env* env, const concord_value* values, size_t count) {
    P* made = nullptr;
    guarded(env, [&] { made = make<P>(values, count); });
    return made;
  }
  static void destroy(void* self) { delete static_cast<P*>(self); }
};

template <class D>
struct DecoderThunks {
  static D& of(void* self) { return *static_cast<D*>(self); }

  static int32_t prepare(void* self, const concord_env* env, const concord_prior* prior) {
    return guarded(env, [&] {
      if constexpr (requires(D & d) { d.prepare(Prior(prior), Env(env)); })
        of(self).prepare(Prior(prior), Env(env));
      else
        of(self).prepare(Prior(prior));
    });
  }
  static int64_t max_rank(void* self, int64_t labels) {
    try {
      return of(self).max_rank(labels);
    } catch (...) {
      return 0;  // never valid: the host reports it
    }
  }
  static size_t warm_size(void* self, int64_t labels) {
    try {
      return of(self).warm_size(labels);
    } catch (...) {
      return std::numeric_limits<size_t>::max();  // never valid: the host reports it
    }
  }
  static uint32_t flags(void* self) { return of(self).flags(); }

  /// What an author does not set.
  static void set_defaults(concord_result* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      concord_result& r = *CONCORD_AT(concord_result, out, i);
      r.status = CONCORD_FAILED;
      r.rank = 1;
      r.value = r.bound = std::numeric_limits<double>::quiet_NaN();
      r.subproblem = r.pruned = r.nodes = 0;
      r.solved = 1;
      if (r.message_bytes > 0) r.message[0] = '\0';
    }
  }

  /// One failing instance is one failed result.
  template <class Solve>
  static void each(size_t count, const Results& results, Solve&& solve_one) {
    for (size_t i = 0; i < count; ++i) {
      const Result result = results[i];
      try {
        solve_one(i, result);
      } catch (...) {
        const auto [status, why] = current_failure();
        result.fail(status, why);
      }
    }
  }

  static int32_t solve(void* self, const concord_env* c_env, const concord_request* first,
                       concord_result* out, size_t count) {
    set_defaults(out, count);
    return guarded(c_env, [&] {
      const Requests requests(first, count);
      const Results results(out, first->labels);
      const Env env(c_env);
      D& d = of(self);
      if constexpr (requires { d.solve(requests, results, env); }) {
        d.solve(requests, results, env);
      } else {
        each(count, results, [&](size_t i, const Result& result) {
          if constexpr (requires { d.solve(requests[i], result, env); }) {
            d.solve(requests[i], result, env);
          } else {
            d.solve(requests[i], result);
          }
        });
      }
    });
  }

  static constexpr bool has_batch_family =
      requires(D & d, const Requests& q, const Families& f, const Results& r, const Env& e) {
    d.solve_family(q, f, r, e);
  };
  static constexpr bool has_single_family =
      requires(D & d, const Request& q, const Family& f, const Result& r, const Env& e) {
    d.solve_family(q, f, r, e);
  };

  static int32_t solve_family(void* self, const concord_env* c_env, const concord_request* first,
                              const concord_family* family, concord_result* out, size_t count) {
    set_defaults(out, count);
    return guarded(c_env, [&] {
      const Requests requests(first, count);
      const Families families(family);
      const Results results(out, first->labels);
      const Env env(c_env);
      if constexpr (has_batch_family) {
        of(self).solve_family(requests, families, results, env);
      } else if constexpr (has_single_family) {
        each(count, results, [&](size_t i, const Result& result) {
          of(self).solve_family(requests[i], families[i], result, env);
        });
      }
    });
  }

  static const concord_decoder* functions() {
    static const concord_decoder table = [] {
      concord_decoder t{};
      t.size = sizeof t;
      t.create = CommonThunks<D>::create;
      t.destroy = CommonThunks<D>::destroy;
      t.prepare = prepare;
      if constexpr (requires(D & d) { d.max_rank(int64_t{}); }) t.max_rank = max_rank;
      if constexpr (requires(D & d) { d.warm_size(int64_t{}); }) t.warm_size = warm_size;
      t.solve = solve;
      if constexpr (has_batch_family || has_single_family) t.solve_family = solve_family;
      if constexpr (requires(const D& d) { d.flags(); }) t.flags = flags;
      return t;
    }();
    return &table;
  }
};

template <class L>
struct LossThunks {
  static const L& of(void* self) { return *static_cast<const L*>(self); }

  static int32_t prepare(void* self, const concord_env* env, int64_t labels, int64_t instances,
                         const int64_t* positives) {
    return guarded(env,
                   [&] { static_cast<L*>(self)->prepare(labels, instances, Counts(positives, labels)); });
  }
  static double evaluate(void* self, const concord_env* env, int64_t labels, const int8_t* y,
                         const int8_t* truth) {
    double loss = std::numeric_limits<double>::quiet_NaN();
    guarded(env, [&] { loss = of(self).evaluate(Labels(y, labels), Labels(truth, labels)); });
    return loss;
  }
  static void shape(void* self, concord_family* largest) {
    largest->subproblems = 0;  // never valid: the host reports it
    try {
      const FamilyShape shape = of(self).shape();
      largest->subproblems = shape.subproblems;
      largest->directions = shape.directions;
      largest->row_count = shape.rows;
    } catch (...) {
      largest->subproblems = 0;
    }
  }
  static int32_t describe(void* self, const concord_env* env, const int8_t* truth, concord_family* family) {
    return guarded(env, [&] {
      const FamilyShape shape = of(self).shape();
      family->subproblems = shape.subproblems;
      family->directions = shape.directions;
      family->row_count = shape.rows;
      const Labels labels(truth, family->labels);
      const Family out(family);
      if constexpr (requires {
                      { of(self).describe(labels, out) } -> std::same_as<int64_t>;
                    }) {
        family->subproblems = of(self).describe(labels, out);
      } else {
        of(self).describe(labels, out);
      }
    });
  }

  static const concord_loss* functions() {
    static const concord_loss table = {
        sizeof table, 0,       CommonThunks<L>::create, CommonThunks<L>::destroy, prepare, evaluate,
        shape,        describe};
    return &table;
  }
};

template <class R>
struct RoundingThunks {
  static int32_t round(void* self, const concord_env* c_env, const concord_prior* prior,
                       const concord_request* request, const concord_result* relaxed, const int8_t* start,
                       int8_t* labels) {
    return guarded(c_env, [&] {
      const R& r = *static_cast<const R*>(self);
      const Problem problem{Prior(prior), Request(request)};
      const int64_t V = request->labels;
      r.round(problem, Relaxed(relaxed, V), start, LabelsOut(labels, V), Env(c_env));
    });
  }

  static const concord_rounding* functions() {
    static const concord_rounding table = {sizeof table, 0, CommonThunks<R>::create, CommonThunks<R>::destroy,
                                           round};
    return &table;
  }
};

}  // namespace sdk
}  // namespace concord
