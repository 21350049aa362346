// SPDX-License-Identifier: MIT
// concord: one verb per file. Exit codes are in exit.hpp.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <utility>

#include <concord/kit/numeric_environment.hpp>

#include "cli.hpp"
#include "completion.hpp"
#include "man.hpp"
#include "mpi/join.hpp"
#include "process/child.hpp"
#include "process/state.hpp"
#include "process/watch.hpp"
#include "supervise.hpp"

namespace {

using namespace concord;

std::atomic<bool> stop_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free,
              "the signal handler stores them");

/// The second Ctrl-C is final. One that comes at once is the first again: `timeout` and others signal a process and then its
/// group.
void on_interrupt(int) {
  static std::atomic<int64_t> first{0};  // in milliseconds
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t milliseconds = int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  if (!stop_flag.exchange(true)) {
    first = milliseconds;
  } else if (milliseconds - first > 100) {
    announce_exit(static_cast<int>(Exit::interrupted));
    std::_Exit(static_cast<int>(Exit::interrupted));
  }
}

/// A terminal that goes away (SIGHUP) and a system that shuts down (SIGTERM) are no reason to lose a training.
void handle_interrupts() {
  struct sigaction action {
  }, before{};
  action.sa_handler = on_interrupt;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    ::sigaction(number, nullptr, &before);
    if (number != SIGHUP || before.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);  // nohup
  }
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
}

constexpr Verb kVerbs[] = {
    {"plugins", "what is there, and why something is not usable", run_plugins},
    {"describe", "options and capabilities of a plugin, or the keys of a config", run_describe, true},
    {"check", "hold a plugin to the contract, each test in a child process", run_check},
    {"new", "a project for a plugin of your own", run_new},
    {"decode", "solve a problem with a decoder, or compare several", run_decode_verb, true},
    {"data", "look at datasets, convert, generate and fetch them", run_data},
    {"train", "learn a model from data, as a config says", run_train, true, true},
    {"predict", "labels, scores or rankings by a model", run_predict, true},
    {"explain", "why a model gives an instance its labels", run_explain, true},
    {"evaluate", "all metrics of a model on labelled data", run_evaluate, true},
    {"compare", "datasets x methods and problems x solvers, from one config to a report", run_compare},
    {"demo", "what a learned prior is worth, on planted data", run_demo, true},
};

constexpr const char* kAbout =
    "Solvers for multi-label classification with a learned label prior, as plugins.";
constexpr std::pair<const char*, const char*> kExitCodes[] = {{"0", "done"},
                                                              {"1", "negative verdict"},
                                                              {"2", "bad input"},
                                                              {"3", "plugin unavailable"},
                                                              {"4", "input/output failure"},
                                                              {"5", "a plugin failed or lied"},
                                                              {"130", "interrupted"},
                                                              {"128+N", "crashed with signal N"}};
constexpr std::pair<const char*, const char*> kEnvironment[] = {
    {"CONCORD_PLUGIN_PATH", "folders in which plugins are looked for: absolute paths, separated by colons"},
    {"CONCORD_VARIANT", "'baseline': plugins for every processor, also where faster ones are installed"},
};

std::string help() {
  std::string text = fmt::format("usage: concord VERB [ARGUMENTS]\n\n{}\n\nVerbs:\n", kAbout);
  for (const Verb& verb : kVerbs) text += fmt::format("  {:<10} {}\n", verb.name, verb.summary);
  text += "\n'concord VERB --help' explains a verb.\n\nExit codes:\n";
  for (const auto& [code, meaning] : kExitCodes) text += fmt::format("  {:<6} {}\n", code, meaning);
  text += "\nEnvironment:\n";
  for (const auto& [name, meaning] : kEnvironment) text += fmt::format("  {:<20} {}\n", name, meaning);
  return text;
}

/// That of concord itself, and those of its verbs.
std::vector<ManPage> pages_of_verbs(Context& context) {
  std::vector<ManPage> pages;
  context.pages = &pages;
  ManPage page{"concord", 1, "multi-label classification with a learned label prior",
               "concord VERB [ARGUMENTS]", std::string(kAbout) + "\n\nEach verb has a page of its own."};
  page.sections = {{"Verbs", ""}, {"Exit status", ""}, {"Environment", ""}};
  for (const Verb& verb : kVerbs) {
    page.sections[0].items.emplace_back(verb.name, verb.summary);
    page.see_also.push_back(fmt::format("concord-{}(1)", verb.name));
    verb.run({kPageWord, verb.summary}, context);
  }
  context.pages = nullptr;
  page.sections[1].items.assign(std::begin(kExitCodes), std::end(kExitCodes));
  page.sections[2].items.assign(std::begin(kEnvironment), std::end(kEnvironment));
  page.see_also.push_back("concord-options(7)");
  pages.push_back(std::move(page));
  return pages;
}

/// `concord help --man DIR` and `concord help --completion SHELL`; false if the words are none of them.
bool help_for_tools(const Strings& words, Context& context) {
  if (words.size() != 3 || (words[1] != "--man" && words[1] != "--completion")) return false;
  Registry registry({}, context.control);
  const std::vector<ManPage> pages = pages_of_verbs(context);
  if (words[1] == "--completion") {
    context.out.write(completion(words[2], pages, registry));
    return true;
  }
  for (const ManPage& page : pages) page.write(words[2]);
  plugin_options_page(registry).write(words[2]);
  return true;
}

Exit run(const Strings& words, Context& context) {
  if (words.empty()) {
    say(help());
    return Exit::input;
  }
  if (words[0] == "help" && help_for_tools(words, context)) return Exit::done;
  if (words[0] == "help" && words.size() > 1) return run({words[1], "--help"}, context);
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    context.out.write(help());
    return Exit::done;
  }
  if (words[0] == "--version") {
    const Provenance p = provenance();
    context.out.write(fmt::format("concord {} (plugin ABI {})\n{}\n", p.version, CONCORD_ABI, p.build_tag));
    return Exit::done;
  }
  Strings names;
  for (const Verb& verb : kVerbs) {
    if (words[0] == verb.name) {
      if (!context.ranks.is_alone() && !verb.has_ranks)
        fail(Fault::input, "'{}' is not divided among the {} processes of mpirun: 'train' is", verb.name,
             context.ranks.count());
      return verb.run({words.begin() + 1, words.end()}, context);
    }
    names.emplace_back(verb.name);
  }
  fail(Fault::input, "there is no verb '{}'{} (verbs: {})", words[0], did_you_mean(words[0], names),
       fmt::join(names, ", "));
}

/// With --json an error is the one object on standard output, and a sentence on standard error as ever.
int report(const Error& error, bool json, const Output& out) {
  leave_last_words(error);
  // Several errors come as several lines; each is a sentence of its own.
  std::string text = error.what();
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 10)
    text.replace(at, 1, "\n         ");
  say(fmt::format("concord: {}\n", text));
  if (!json) return static_cast<int>(exit_of(error.kind()));
  try {
    out.write(to_line({{"error",
                        {{"kind", name_of(error.kind())},
                         {"subject", error.subject()},
                         {"place", error.place()},
                         {"reason", error.reason()},
                         {"remedy", error.remedy()},
                         {"text", error.what()}}}}));
  } catch (const Error& unwritten) {  // the exit code is that of the first error
    say(fmt::format("concord: {}\n", unwritten.what()));
  }
  return static_cast<int>(exit_of(error.kind()));
}

/// Whether the verb runs the code of plugins in its own process.
bool runs_plugins(const Strings& words) {
  return !words.empty() && std::any_of(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& verb) {
    return verb.runs_plugins && words[0] == verb.name;
  });
}

/// The verb, by all ranks. An error of one is an error of all.
int run_together(const Strings& words, const Output& out, Ranks& ranks) {
  Context context{out, ranks};
  context.control.stop = &stop_flag;
  context.control.how_to_find_plugins =
      "'concord plugins' lists what is there; --plugin-dir DIR or CONCORD_PLUGIN_PATH adds a directory";
  context.control.log = [](const std::string& who, int level, const std::string& text) {
    if (level >= CONCORD_LOG_WARNING) say(fmt::format("concord: {}: {}\n", who, text));
  };
  try {
    const Exit exit = run(words, context);
    ranks.part();
    return static_cast<int>(exit);
  } catch (const ReaderGone&) {  // head has all it wanted
    ranks.part();
    return static_cast<int>(Exit::done);
  } catch (const Error& error) {
    ranks.fail_all(error);
    if (!ranks.is_first()) return static_cast<int>(exit_of(error.kind()));  // the first rank says it
    return report(error, std::find(words.begin(), words.end(), "--json") != words.end(), out);
  } catch (const std::bad_alloc&) {
    ranks.fail_all(Error(Fault::io, "out of memory"));
    throw;
  }
}

int run_program(const Strings& words) {
  try {
    Output out;
    handle_interrupts();
    const std::unique_ptr<Ranks> ranks = join_ranks();
    if (!ranks->is_first()) out.be_silent();
    return run_together(words, out, *ranks);
  } catch (const Error& error) {  // of standard output itself
    leave_last_words(error);
    say(fmt::format("concord: {}\n", error.what()));
    return static_cast<int>(exit_of(error.kind()));
  } catch (const std::bad_alloc& e) {
    leave_last_words(e);
    say("concord: out of memory\n");
    return static_cast<int>(Exit::io);
  } catch (const std::exception& e) {
    leave_last_words(e);
    say(fmt::format("concord: internal error: {}\n", e.what()));
    return static_cast<int>(Exit::io);
  }
}

}  // namespace

int main(int argc, char** argv) {
  kit::fix_numeric_environment(argv);
  const Strings words(argv + 1, argv + argc);
  const auto work = [&] { return run_program(words); };
  try {
    return runs_plugins(words) ? supervised(work) : work();
  } catch (const Error& error) {  // there is no process for it
    say(fmt::format("concord: {}\n", error.what()));
    return static_cast<int>(exit_of(error.kind()));
  }
}
