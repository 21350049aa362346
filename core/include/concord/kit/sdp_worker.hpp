// SPDX-License-Identifier: MIT
#pragma once
// The worker's side: a program that answers SDP questions on its standard input, which is a socket. A solver
// that may call exit(), crash or leave globals behind runs in one of these. It is a whole program:
//   int main(int argc, char** argv) { return concord::kit::sdp_worker(argc, argv, solve, "Solver 1.2"); }
// where solve takes (const SdpProblem&, SdpWork&), or (const SdpProblem&, double tol), returns an SdpAnswer, and throws a
// sentence if it has none. An object that can also be called with (const SparseSdpProblem&, SdpWork&) gets a sparse A as it is.
// The last argument is what `concord describe` shows as the solver and its version.
// `worker --probe` ends at once with code 0: all libraries are there. It tells the version of the wire, and the solver.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <mutex>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <type_traits>
#include <unistd.h>

#include <concord/kit/numeric_environment.hpp>
#include <concord/kit/sdp_wire.hpp>

namespace concord::kit {

namespace detail {

/// False: the other side is gone.
inline bool read_fully(int fd, char* data, size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(fd, data, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

inline bool write_fully(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t put = ::send(fd, data, size, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    data += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

/// Ends the worker with its host, also in the middle of a solve.
inline void end_with_host(int fd) {
  std::thread([fd] {
    pollfd wait{fd, POLLRDHUP, 0};
    while (::poll(&wait, 1, -1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
  }).detach();
}

template <class Solve>
SdpAnswer solve_question(Solve& solve, const wire::Question& question, SdpWork& work) {
  if (question.is_sparse) {
    if constexpr (std::is_invocable_v<Solve&, const SparseSdpProblem&, SdpWork&>) {
      return solve(question.sparse(), work);
    } else {
      throw std::runtime_error("the worker takes no sparse A, and its plugin declares CONCORD_SPARSE_PRIOR");
    }
  }
  if constexpr (std::is_invocable_v<Solve&, const SdpProblem&, SdpWork&>) {
    return solve(question.dense(), work);
  } else {
    return solve(question.dense(), work.tol);
  }
}

}  // namespace detail

template <class Solve>
int sdp_worker(int argc, char** argv, Solve&& solve, const std::string& solver = "") {
  if (argc > 1 && std::string_view(argv[1]) == "--probe") {
    std::printf("%s %s %s\n", wire::kGreeting, wire::kVersion, solver.c_str());
    return 0;
  }
  fix_numeric_environment(argv);
  constexpr int socket = STDIN_FILENO;
  detail::end_with_host(socket);
  if (::chdir("/") != 0) return 1;  // nothing is read from, or written to, where the user happens to be
  std::mutex sending;               // a solver may log from threads of its own
  const auto send = [&](const wire::Bytes& message) {
    const std::lock_guard lock(sending);
    return detail::write_fully(socket, message.data(), message.size());
  };
  wire::Header header{};
  wire::Bytes bytes;
  while (detail::read_fully(socket, reinterpret_cast<char*>(&header), sizeof header)) {
    if (header.magic == wire::kFirstMagic)
      send(wire::failure(
          "the plugin speaks version 1 of the wire, and its worker version 2: install both from "
          "one build",
          wire::kFirstMagic));
    if (header.magic != wire::kMagic) return 1;
    bytes.resize(header.bytes);
    if (!detail::read_fully(socket, bytes.data(), bytes.size())) return 0;
    wire::Bytes out;
    try {
      wire::Question question(bytes);
      SdpWork work(question.seconds, [&](int32_t level, const std::string& text) {
        send(wire::log_line(std::min(level, int32_t{CONCORD_LOG_WARNING}), text));
      });
      work.tol = question.tol;
      work.threads = question.threads;
      work.options = SdpSettings(question.options);
      work.warm = question.warm;
      const SdpAnswer found = detail::solve_question(solve, question, work);
      out = wire::answer(found, question.warm);
    } catch (const std::exception& e) {
      out = wire::failure(e.what());
    }
    if (!send(out)) return 0;
  }
  return 0;
}

}  // namespace concord::kit
