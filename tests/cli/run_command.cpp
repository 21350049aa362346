// SPDX-License-Identifier: MIT
#include "run_command.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace {

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

std::string file_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

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
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int in_fd = ::open(options.in_file.empty() ? "/dev/null" : options.in_file.c_str(), O_RDONLY);
    const int out_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(in_fd, 0);
    ::dup2(out_fd, 1);
    ::dup2(err_fd, 2);
    if (options.closes_stderr) ::close(2);
    ::unsetenv("CONCORD_PLUGIN_PATH");  // the user's own plugins are not under test
    for (const auto& variable : options.environment) {
      const size_t equals = variable.find('=');
      if (equals == std::string::npos)
        ::unsetenv(variable.c_str());
      else
        ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    std::vector<char*> argv = {const_cast<char*>("concord")};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(CONCORD_EXECUTABLE, argv.data());
    ::_exit(99);
  }
  if (options.interrupt_after > 0) {
    ::usleep(static_cast<useconds_t>(options.interrupt_after * 1e6));
    ::kill(pid, SIGINT);
  }
  if (options.kill_after > 0) {
    ::usleep(static_cast<useconds_t>(options.kill_after * 1e6));
    ::kill(pid, SIGKILL);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  Ran ran;
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (options.out_file.empty()) ran.out = file_bytes(out);
  ran.err = file_bytes(err);
  return ran;
}
