// SPDX-License-Identifier: MIT
// A worker of an SDP decoder that fails as the file `fault` beside it says.
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

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

SdpAnswer solve(const SdpProblem& problem, SdpWork& work) {
  const std::string what = fault();
  if (what == "exit-0") std::exit(0);
  if (what == "chatter") {
    std::printf("reading the licence\n\033[31mno licence\033[0m for \"fake\"\n");
    std::fflush(stdout);
    std::exit(3);
  }
  if (what == "flood") {
    for (int i = 0; i < 200000; ++i) std::fprintf(stderr, "iteration %d of very many\n", i);
    std::raise(SIGKILL);
  }
  if (what == "tell") {
    std::ostringstream text;
    text << "tol " << work.options.real("tol") << " and " << work.tol << ", "
         << work.options.text("cardinality") << ", time_limit " << work.options.real("time_limit") << ", "
         << work.threads << " thread, less than " << std::ceil(work.seconds_left()) << " s";
    throw std::runtime_error(text.str());
  }
  if (what == "unknown-option") work.options.integer("iterations");
  if (what == "logs-on")
    for (;;) work.log(CONCORD_LOG_DEBUG, "step");
  if (what == "logs") {
    std::puts("noise of the library");
    std::fflush(stdout);
    work.log(CONCORD_LOG_INFO, "phase 1 \033[1mdone");
    work.log(CONCORD_LOG_ERROR, "nearly singular");
    for (int i = 0; i < 2000; ++i) work.log(CONCORD_LOG_DEBUG, "step");
  }
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
  if (what == "dual-alone") {
    answer.M.resize(0, 0);
    answer.y = problem.cost().cwiseAbs().rowwise().sum();
    answer.remark = "out of time";
  }
  if (what == "nan") answer.M(1, 0) = std::numeric_limits<double>::quiet_NaN();
  if (what == "indefinite") answer.M(1, 0) = answer.M(0, 1) = 3;
  if (what == "objective") answer.objective = 1000;
  return answer;
}

/// As a worker of Concord 0.1 does when it meets another wire.
int first_wire(int argc) {
  if (argc > 1) return 0;
  wire::Header header{};
  detail::read_fully(STDIN_FILENO, reinterpret_cast<char*>(&header), sizeof header);
  return header.magic == wire::kFirstMagic ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (fault() == "first-wire") return first_wire(argc);
  return sdp_worker(argc, argv, solve, "fake solver 7.1");
}
