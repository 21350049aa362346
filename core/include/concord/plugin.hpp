// SPDX-License-Identifier: MIT
#pragma once
// The author's side of the border: write a plain class, export it with the last line of the file.
//
// Decoder   void prepare(const Prior&);  or  void prepare(const Prior&, const Env&);
//           void solve(const Request&, const Result&[, const Env&]);       one problem at a time, or
//           void solve(const Requests&, const Results&, const Env&);       a batch
//   optional: void solve_family(const Request&, const Family&, const Result&, const Env&);   or
//             void solve_family(const Requests&, const Families&, const Results&, const Env&);
//             int64_t max_rank(int64_t V);  size_t warm_size(int64_t V);
//             uint32_t flags() const noexcept;    the declared flags, less what the options give up
// Loss      void prepare(int64_t V, int64_t N, const Counts& positives);
//           double evaluate(const Labels& y, const Labels& truth) const;
//           FamilyShape shape() const;  void describe(const Labels& truth, const Family& out) const;
//             or int64_t describe(...), which returns how many of the subproblems it used
// Rounding  void round(const Problem&, const Relaxed&, const int8_t* start, LabelsOut labels,
//                      const Env&) const;
//
// Any of them may have: struct Options with static options(), and a constructor that takes them;
// static Capabilities capabilities(); static void probe() (throws Unsupported with the reason when the plugin
// cannot work here); static constexpr const char* version, licence;
// static const void* get_extension(const char* id) noexcept (see abi.h).
// Use Eigen and exceptions freely; nothing but C crosses the border.
#include <concord/abi.h>
#include <concord/sdk/build_tag.hpp>
#include <concord/sdk/thunks.hpp>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "NaN has a meaning at the border (no bound, no row): build without -ffast-math and -ffinite-math-only"
#endif
#ifndef CONCORD_PLUGIN_VERSION
#define CONCORD_PLUGIN_VERSION "0.1.0"
#endif
#ifndef CONCORD_PLUGIN_LICENCE
#define CONCORD_PLUGIN_LICENCE "unspecified"
#endif

namespace concord {

/// What the plugin can do, see abi.h. The defaults promise nothing.
struct Capabilities {
  int32_t prior = CONCORD_PRIOR_ANY;
  int64_t max_labels = 0;
  int32_t constraints = CONCORD_CONSTRAINTS_NONE;
  int32_t moment = CONCORD_MOMENT_ANY;
  int32_t guarantee = CONCORD_HEURISTIC;
  uint32_t flags = 0;
};

namespace sdk {

template <class P>
int32_t probe(const concord_env* env) {
  return guarded(env, [] { P::probe(); });
}

/// A template, since the headers of the first releases have no such field.
template <class Table>
void set_extension(Table& table, const void* (*get_extension)(const char*)) {
  table.get_extension = get_extension;
}

/// The static table of a plugin class; `functions` is the table of its kind.
template <class P>
const concord_plugin_table* plugin_table(int32_t kind, const char* name, const char* summary,
                                         const void* functions) {
  static const concord_capabilities capabilities = [] {
    Capabilities c;
    if constexpr (requires { P::capabilities(); }) c = P::capabilities();
    return concord_capabilities{
        sizeof(concord_capabilities), c.prior, c.max_labels, c.constraints, c.moment, c.guarantee, c.flags};
  }();
  static const std::string tag = build_tag();
  static const concord_plugin_table table = [&] {
    concord_plugin_table t{};
    t.magic = CONCORD_MAGIC;
    t.abi = CONCORD_ABI;
    t.size = sizeof t;
    t.kind = kind;
    t.name = name;
    t.version = CONCORD_PLUGIN_VERSION;
    t.licence = CONCORD_PLUGIN_LICENCE;
    if constexpr (requires { P::version; }) t.version = P::version;
    if constexpr (requires { P::licence; }) t.licence = P::licence;
    t.summary = summary;
    t.build_tag = tag.c_str();
    t.capabilities = &capabilities;
    t.options = OptionRecords<P>::get().records.data();
    t.option_count = OptionRecords<P>::get().records.size();
    if constexpr (requires { P::probe(); }) t.probe = probe<P>;
    t.functions = functions;
    if constexpr (requires { P::get_extension(""); }) set_extension(t, P::get_extension);
    return t;
  }();
  return &table;
}

}  // namespace sdk
}  // namespace concord

#define CONCORD_EXPORT_(Class, kind, thunks, name, summary)                                           \
  extern "C" __attribute__((visibility("default"))) const concord_plugin_table* concord_plugin(void); \
  extern "C" const concord_plugin_table* concord_plugin(void) {                                       \
    try {                                                                                             \
      return ::concord::sdk::plugin_table<Class>(kind, name, summary,                                 \
                                                 ::concord::sdk::thunks<Class>::functions());         \
    } catch (...) {                                                                                   \
      return nullptr;                                                                                 \
    }                                                                                                 \
  }

#define CONCORD_EXPORT_DECODER(Class, name, summary) \
  CONCORD_EXPORT_(Class, CONCORD_DECODER, DecoderThunks, name, summary)
#define CONCORD_EXPORT_LOSS(Class, name, summary) \
  CONCORD_EXPORT_(Class, CONCORD_LOSS, LossThunks, name, summary)
#define CONCORD_EXPORT_ROUNDING(Class, name, summary) \
  CONCORD_EXPORT_(Class, CONCORD_ROUNDING, RoundingThunks, name, summary)
