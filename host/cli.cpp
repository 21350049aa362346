// SPDX-License-Identifier: MIT
#include "cli.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <thread>

#include "base/text.hpp"
#include "man.hpp"
#include "train/state.hpp"

namespace concord {
namespace po = boost::program_options;

Arguments::Arguments(std::string usage, std::string about)
    : usage_(std::move(usage)), about_(std::move(about)) {}

ManPage Arguments::page(const std::string& summary) const {
  // "data info FILE [--json]" is about `concord data info`.
  size_t end = 0;
  while (end < usage_.size() && (std::islower(static_cast<unsigned char>(usage_[end])) || usage_[end] == ' '))
    ++end;
  std::string name = "concord " + usage_.substr(0, usage_.find_last_not_of(' ', end - 1) + 1);
  std::replace(name.begin(), name.end(), ' ', '-');
  ManPage page{name, 1, summary, "concord " + usage_, about_};
  ManPage::Section& section = page.sections.emplace_back(ManPage::Section{"Options", ""});
  for (const auto& option : options_.options()) {
    // Boost writes the argument and the default as "N (=1)".
    const std::string parameter = option->format_parameter();
    const size_t fallback = std::min(parameter.find(" (="), parameter.size());
    std::string help = option->description();
    if (fallback != parameter.size()) help += " (default: " + parameter.substr(fallback + 3);
    section.items.emplace_back("--" + option->long_name() + " " + parameter.substr(0, fallback), help);
  }
  page.see_also = {"concord(1)"};
  return page;
}

bool Arguments::parse(const Strings& words, Context& context) {
  options_.add_options()("help,h", "show this help and exit");
  if (context.pages != nullptr && words.size() == 2 && words[0] == kPageWord) {
    context.pages->push_back(page(words[1]));
    return false;
  }
  po::options_description all;
  all.add(options_).add(hidden_);
  const std::string hint = fmt::format("\nusage: concord {}\n'--help' explains the options", usage_);
  try {
    const auto style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(words).options(all).positional(positional_).style(style).run(),
              values_);
  } catch (const po::unknown_option& e) {
    Strings names;
    for (const auto& option : options_.options()) names.push_back("--" + option->long_name());
    fail(Fault::input, "there is no option {}{}{}", e.get_option_name(),
         did_you_mean(e.get_option_name(), names), hint);
  } catch (const po::too_many_positional_options_error&) {
    fail(Fault::input, "there are too many arguments{}", hint);
  } catch (const po::error& e) {
    fail(Fault::input, "{}{}", e.what(), hint);
  }
  if (!has("help")) {
    po::notify(values_);
    return true;
  }
  std::ostringstream text;
  text << "usage: concord " << usage_ << "\n\n" << about_ << "\n\n" << options_;
  context.out.write(text.str());
  return false;
}

std::string Arguments::required(const char* name) const {
  const bool is_option = options_.find_nothrow(name, false) != nullptr;
  if (!has(name))
    fail(Fault::input, "{}{} is missing\nusage: concord {}", is_option ? "--" : "", name, usage_);
  return get<std::string>(name);
}

void add_plugin_dir(Arguments& arguments) {
  arguments.add()("plugin-dir", po::value<Strings>()->composing()->value_name("DIR"),
                  "look for plugins here first (may be given several times)");
}

Registry registry_for(const Arguments& arguments, const Context& context,
                      const std::vector<std::filesystem::path>& configured) {
  std::vector<std::filesystem::path> directories;
  for (const auto& directory : arguments.list("plugin-dir")) directories.emplace_back(directory);
  directories.insert(directories.end(), configured.begin(), configured.end());
  return Registry(directories, context.control);
}

std::vector<PluginSpec> rounding_given(const Arguments& arguments) {
  if (!arguments.has("rounding")) return {};
  const auto chain = arguments.get<std::string>("rounding");
  return chain_of(chain, "--rounding " + chain);
}

uint64_t parse_seed(const std::string& text) {
  const auto seed = number_in<uint64_t>(text);
  if (!seed) fail(Fault::input, About{"--seed " + text}, "expected an integer from 0 to 2^64 - 1");
  return *seed;
}

int parse_threads(const std::string& text) {
  const auto threads = number_in<int>(text);
  if (!threads || *threads < 0 || *threads > 256)
    fail(Fault::input, About{"--threads " + text},
         "expected an integer from 0 to 256; 0 means one for each processor");
  return *threads > 0 ? *threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int parse_count(const char* option, const std::string& text, int high) {
  const std::optional<int> value = number_in<int>(text);
  if (!value || *value < 1 || *value > high)
    fail(Fault::input, "{} {}: expected an integer from 1 to {}", option, text, high);
  return *value;
}

Shard parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) fail(Fault::input, "--shard {}: expected I/N, as in 2/8", text);
  const int count = parse_count("--shard", text.substr(slash + 1), Shard::kMost);
  return {parse_count("--shard", text.substr(0, slash), count), count};
}

double time_limit_given(const Arguments& arguments) {
  const auto seconds = arguments.get<double>("time-limit");
  if (!(seconds > 0 && seconds <= 1e8))
    fail(Fault::input, About{fmt::format("--time-limit {}", seconds)},
         "must be positive, and at most 1e8 seconds");
  return seconds;
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace concord
