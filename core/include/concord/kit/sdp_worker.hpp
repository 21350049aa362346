// SPDX-License-Identifier: MIT
#pragma once
// The worker's side: a program that answers SDP questions on its standard input, which is a socket. A solver
// that may call exit(), crash or leave globals behind runs in one of these. It is a whole program:
//   int main(int argc, char** argv) { return concord::kit::sdp_worker(argc, argv, solve); }
// where solve takes (const SdpProblem&, double tol), returns an SdpAnswer, and throws a sentence if it has
// none. `worker --probe` ends at once with code 0: all libraries are there.
#include <cerrno>
#include <exception>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>
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

}  // namespace detail

template <class Solve>
int sdp_worker(int argc, char** argv, Solve&& solve) {
  if (argc > 1 && std::string_view(argv[1]) == "--probe") return 0;
  fix_numeric_environment(argv);
  constexpr int socket = STDIN_FILENO;
  detail::end_with_host(socket);
  if (::chdir("/") != 0) return 1;  // nothing is read from, or written to, where the user happens to be
  wire::Header header{};
  wire::Bytes bytes;
  while (detail::read_fully(socket, reinterpret_cast<char*>(&header), sizeof header)) {
    if (header.magic != wire::kMagic) return 1;
    bytes.resize(header.bytes);
    if (!detail::read_fully(socket, bytes.data(), bytes.size())) return 0;
    wire::Bytes out;
    try {
      const wire::Question question(bytes);
      out = wire::answer(solve(question.problem(), question.tol));
    } catch (const std::exception& e) {
      out = wire::failure(e.what());
    }
    if (!detail::write_fully(socket, out.data(), out.size())) return 0;
  }
  return 0;
}

}  // namespace concord::kit
