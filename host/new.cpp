// SPDX-License-Identifier: MIT
// concord new KIND NAME DIR: a project for a plugin outside this repository, from the files in host/templates.
#include <map>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli.hpp"
#include "plugin/plugin.hpp"
#include "process/state.hpp"
#include "templates.hpp"

namespace concord {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLongestName = 64;

void require_name(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
                    name.back() != '-' && name.find("--") == std::string::npos &&
                    name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  if (!good)
    fail(Fault::input,
         "'{}' is not a name for a plugin: use a-z, 0-9 and single dashes between them, at most {} "
         "characters, "
         "as in my-solver",
         name, kLongestName);
}

/// The C++ name of the class: my-solver of kind decoder is MySolverDecoder. The kind at its end keeps it apart
/// from what the headers call Vector, Options or Result; a digit cannot come first.
std::string class_name(const std::string& kind, const std::string& name) {
  std::string text;
  bool starts_word = true;
  for (const char ch : name + "-" + kind) {
    if (ch == '-') {
      starts_word = true;
      continue;
    }
    text += starts_word && ch >= 'a' ? static_cast<char>(ch - 'a' + 'A') : ch;
    starts_word = false;
  }
  return text.front() >= '0' && text.front() <= '9' ? "The" + text : text;
}

/// Replaced in this order. The name of the plugin, which may hold any of these words, comes last.
using Words = std::vector<std::pair<std::string, std::string>>;

std::string filled_in(std::string text, const Words& words) {
  for (const auto& [word, with] : words)
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += with.size())
      text.replace(at, word.size(), with);
  return text;
}

void require_empty(const fs::path& directory) {
  std::error_code error;
  if (!fs::exists(directory, error)) return;
  if (!fs::is_directory(directory, error))
    fail(Fault::input, "{} is a file: name a folder for the project, new or empty", directory.string());
  const bool empty = fs::is_empty(directory, error);
  if (error) fail(Fault::io, "cannot look into {}: {}", directory.string(), error.message());
  if (!empty) fail(Fault::input, "{} is not empty: name a new folder for the project", directory.string());
}

}  // namespace

Exit run_new(const Strings& words, Context& context) {
  Arguments arguments(
      "new KIND NAME DIR",
      R"(Writes a project for a plugin of your own into the folder DIR: source, CMake, a test that runs
'concord check', a config to train with it, README and CI. It builds, passes and trains as it is.
KIND is decoder, loss or rounding, or sdp-backend: a decoder around a solver of semidefinite programs
that runs in a worker process. NAME is made of a-z, 0-9 and dashes.)");
  for (const char* name : {"kind", "name", "dir"}) arguments.positional(name);
  if (!arguments.parse(words, context)) return Exit::done;
  const std::string what = arguments.required("kind");
  const std::string name = arguments.required("name");
  const fs::path directory = arguments.required("dir");
  const bool has_worker = what == "sdp-backend";
  const std::string kind = has_worker ? "decoder" : what;
  if (kind_from_name(kind) == 0)
    fail(Fault::input, "'{}' is not a kind of plugin{} (kinds: decoder, loss, rounding, sdp-backend)", what,
         did_you_mean(what, {"decoder", "loss", "rounding", "sdp-backend"}));
  require_name(name);
  require_empty(directory);

  const std::string release = provenance().version;
  const Words fill = {{"SkeletonName", class_name(kind, name)},
                      {"skeleton-release", release},
                      {"skeleton-version", release.substr(0, release.rfind('.'))},
                      {"skeleton-kind", kind},
                      {"skeleton-name", name}};
  std::map<fs::path, std::string> files;
  for (const std::string& folder :
       {std::string("project"), what})  // the second may replace files of the first
    for (const Template& file : templates()) {
      const std::string path(file.path);
      const size_t slash = path.find('/');
      if (path.substr(0, slash) == folder)
        files[filled_in(path.substr(slash + 1), fill)] = filled_in(std::string(file.text), fill);
    }
  std::string text = fmt::format("{}: a project for {}/{}\n", directory.string(), kind, name);
  for (const auto& [file, contents] : files) {
    const fs::path to = directory / file;
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    if (error) fail(Fault::io, "cannot make the folder {}: {}", to.parent_path().string(), error.message());
    write_file_atomically(to, contents);
    text += fmt::format("  {}\n", file.string());
  }
  context.out.write(text + fmt::format("\nnext:\n"
                                       "  cmake -B {0}/build {0} && cmake --build {0}/build\n"
                                       "  concord check {0}/build/{3}{1}-{2}.so\n",
                                       for_shell(directory.string()), kind, name,
                                       has_worker ? "plugins/" : ""));
  return Exit::done;
}

}  // namespace concord
