// SPDX-License-Identifier: MIT
#pragma once
// What the verbs share: their context, their arguments, and how they are listed.
#include <boost/program_options.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "exit.hpp"
#include "output.hpp"
#include "solve/plan.hpp"

namespace concord {

using Json = nlohmann::ordered_json;

struct ManPage;
class Ranks;
struct Shard;

struct Context {
  const Output& out;
  Ranks& ranks;  ///< more than one under mpirun only
  RunControl control = {};
  /// A verb that gets the words {kPageWord, SUMMARY} adds its page here instead of working: manual pages and the
  /// completions of shells are made of them.
  std::vector<ManPage>* pages = nullptr;
};

using Strings = std::vector<std::string>;

inline constexpr const char* kPageWord = "--page";

/// The arguments of one verb. Boost's exceptions become sentences; --help is handled by parse().
class Arguments {
 public:
  /// `usage` is the synopsis after "concord "; `about` one paragraph.
  Arguments(std::string usage, std::string about);

  boost::program_options::options_description_easy_init add() { return options_.add_options(); }
  /// The argument without a dash, which the usage line shows.
  void positional(const char* name) {
    hidden_.add_options()(name, boost::program_options::value<std::string>());
    positional_.add(name, 1);
  }

  /// A flag that the host gives to itself; the help does not show it.
  void internal(const char* name) { hidden_.add_options()(name, ""); }

  /// False if help or a page was asked for, and given.
  bool parse(const Strings& words, Context& context);

  bool has(const char* name) const { return values_.count(name) != 0; }
  template <class T>
  T get(const char* name) const {
    return values_[name].as<T>();
  }
  /// As get, but Fault::input with the usage if it was not given.
  std::string required(const char* name) const;
  Strings list(const char* name) const { return has(name) ? get<Strings>(name) : Strings{}; }

 private:
  ManPage page(const std::string& summary) const;

  std::string usage_;
  std::string about_;
  boost::program_options::options_description options_{"Options"};
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positional_;
  boost::program_options::variables_map values_;
};

/// Adds --plugin-dir to a verb, and makes the registry from it.
void add_plugin_dir(Arguments& arguments);
/// `configured` are the directories that a config names, searched after those of --plugin-dir.
Registry registry_for(const Arguments& arguments, const Context& context,
                      const std::vector<std::filesystem::path>& configured = {});

/// The parts of --rounding; none if it was not given.
std::vector<PluginSpec> rounding_given(const Arguments& arguments);

/// The values of --seed and --threads; 0 threads: one for each processor.
uint64_t parse_seed(const std::string& text);
int parse_threads(const std::string& text);
/// A number from 1 to `high`, of an option.
int parse_count(const char* option, const std::string& text, int high);
/// The I/N of --shard.
Shard parse_shard(const std::string& text);
/// The seconds of --time-limit.
double time_limit_given(const Arguments& arguments);

/// One compact line of JSON; bytes that are not UTF-8 (in a file name, say) are replaced.
std::string to_line(const Json& json);

/// A verb, or a sub-verb of one.
struct Verb {
  const char* name;
  const char* summary;
  Exit (*run)(const Strings&, Context&);
  bool runs_plugins = false;  ///< in its own process
  bool has_ranks = false;     ///< processes of one mpirun can do it together
};

Exit run_plugins(const Strings& words, Context& context);
Exit run_describe(const Strings& words, Context& context);
Exit run_decode_verb(const Strings& words, Context& context);
Exit run_train(const Strings& words, Context& context);
Exit run_demo(const Strings& words, Context& context);
Exit run_data(const Strings& words, Context& context);
Exit run_predict(const Strings& words, Context& context);
Exit run_explain(const Strings& words, Context& context);
Exit run_evaluate(const Strings& words, Context& context);
Exit run_compare(const Strings& words, Context& context);
Exit run_check(const Strings& words, Context& context);
Exit run_new(const Strings& words, Context& context);

}  // namespace concord
