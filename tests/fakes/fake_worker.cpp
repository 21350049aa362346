// SPDX-License-Identifier: MIT
// A worker of an SDP decoder that fails as the file `fault` beside it says.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

#include <concord/kit/sdp_worker.hpp>

namespace {

using namespace concord::kit;

std::string fault() {
  std::ifstream in(std::filesystem::canonical("/proc/self/exe").parent_path() / "fault");
  std::string word;
  in >> word;
  return word;
}

/// The header of an answer, and nothing of the rest.
void promise(uint64_t magic) {
  const wire::Header header{magic, 64};
  detail::write_fully(STDIN_FILENO, reinterpret_cast<const char*>(&header), sizeof header);
}

SdpAnswer solve(const SdpProblem& problem, double) {
  const std::string what = fault();
  if (what == "exit") std::exit(206);
  if (what == "segfault") {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer has its own
    std::raise(SIGSEGV);
  }
  if (what == "killed") std::raise(SIGKILL);
  if (what == "hang")
    for (;;) ::pause();
  if (what == "cut-short") {
    promise(wire::kMagic);
    ::_exit(0);
  }
  if (what == "garbage") promise(0);
  if (what == "throw") throw std::runtime_error("the library says no");
  const Index n = problem.order();
  SdpAnswer answer;
  answer.M = Matrix::Identity(n, n);
  answer.y = Vector::Zero(n);
  if (what == "nan") answer.M(1, 0) = std::numeric_limits<double>::quiet_NaN();
  if (what == "indefinite") answer.M(1, 0) = answer.M(0, 1) = 3;
  if (what == "objective") answer.objective = 1000;
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  return sdp_worker(argc, argv, solve);
}
