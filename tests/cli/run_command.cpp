// SPDX-License-Identifier: MIT
#include "run_command.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "process/fork.hpp"

namespace cli {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Scratch {
  std::filesystem::path path;
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "concord-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

std::string scratch() {
  static const Scratch folder;
  return folder.path.string();
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
  std::vector<std::string> words = {CONCORD_EXECUTABLE};
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
  signal_after(options.interrupt_after, SIGINT);
  signal_after(options.kill_after, SIGKILL);
  child.wait();
  Ran ran;
  ran.exit_code = WIFEXITED(child.status()) ? WEXITSTATUS(child.status()) : 128 + WTERMSIG(child.status());
  if (options.out_file.empty()) ran.out = slurp(out);
  ran.err = slurp(err);
  return ran;
}

}  // namespace cli
