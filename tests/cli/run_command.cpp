// SPDX-License-Identifier: MIT
#define CATCH_CONFIG_EXTERNAL_INTERFACES  // of listeners
#include "run_command.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/folder.hpp"
#include "process/fork.hpp"
#include "tests/unit/places.hpp"

namespace cli {

std::string bytes_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

namespace {

std::optional<::concord::test::Folder> folder;

/// What one test case leaves behind is not there for the next one.
struct FreshFolder : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo&) override { folder.emplace(); }
};
CATCH_REGISTER_LISTENER(FreshFolder)

}  // namespace

std::string scratch() {
  return folder.value().path().string();
}

std::string planted_data(const std::string& name, int instances, int test_instances) {
  const std::string prefix = scratch() + "/" + name;
  if (!std::filesystem::exists(prefix + "-train.arff"))
    concord({"data", "generate", "--instances", std::to_string(instances), "--features", "6", "--labels", "6",
             "--test-instances", std::to_string(test_instances), "--out", prefix});
  return prefix;
}

std::string scratch_file(const std::string& name, const std::string& text) {
  const std::string path = scratch() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

Ran concord(const std::vector<std::string>& arguments, const RunOptions& options) {
  const std::string out = options.out_file.empty() ? scratch() + "/stdout" : options.out_file;
  const std::string err = scratch() + "/stderr";
  constexpr int replaced = O_WRONLY | O_CREAT | O_TRUNC;
  std::vector<std::string> words = {places::program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ::concord::ForkedProcess child([&] {
    ::concord::redirect(0, options.in_file.empty() ? "/dev/null" : options.in_file, O_RDONLY);
    ::concord::redirect(1, out, replaced);
    ::concord::redirect(2, err, replaced);
    if (options.closes_stderr) ::close(2);
    ::unsetenv("CONCORD_PLUGIN_PATH");  // the user's own plugins are not under test
    for (const auto& variable : options.environment) {
      const size_t equals = variable.find('=');
      if (equals == std::string::npos)
        ::unsetenv(variable.c_str());
      else
        ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    return ::concord::become(words);
  });
  const auto signal_after = [&](double seconds, int number) {
    if (seconds <= 0) return;
    ::usleep(static_cast<useconds_t>(seconds * 1e6));
    child.signal(number);
  };
  signal_after(options.interrupt_after, options.interrupt_by);
  if (!options.kill_once_exists.empty()) {
    while (!std::filesystem::exists(options.kill_once_exists) && !child.has_ended()) ::usleep(1000);
    ::usleep(static_cast<useconds_t>(options.kill_after * 1e6));
    child.signal(SIGKILL);
  }
  child.wait();
  Ran ran;
  ran.exit_code = WIFEXITED(child.status()) ? WEXITSTATUS(child.status()) : 128 + WTERMSIG(child.status());
  if (options.out_file.empty()) ran.out = bytes_of(out);
  ran.err = bytes_of(err);
  return ran;
}

}  // namespace cli
