// SPDX-License-Identifier: MIT
#include "base/files.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/pinned.hpp"

namespace concord {

namespace {

class Descriptor : Pinned {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

/// Opens a new file and locks it, so that nobody takes it for a leftover.
int create_locked(const char* name) {
  for (;;) {
    const int fd = ::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return fd;
    ::flock(fd, LOCK_EX);  // where the file system has no locks, nothing is swept either
    struct stat status {};
    if (::fstat(fd, &status) != 0 || status.st_nlink > 0) return fd;
    ::close(fd);  // swept between the first line and the lock
  }
}

/// The name of the file that "NAME.PID.tmp" was to become, or nothing.
std::string destination_of(const std::string& name) {
  constexpr std::string_view suffix = ".tmp";
  if (!name.ends_with(suffix)) return "";
  const std::string stem = name.substr(0, name.size() - suffix.size());
  const size_t dot = stem.find_last_not_of("0123456789");
  const bool has_id = dot != std::string::npos && stem[dot] == '.' && dot + 1 < stem.size();
  return has_id ? stem.substr(0, dot) : "";
}

void remove_if_left_over(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() >= 0 && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(file.c_str());
}

}  // namespace

void sweep_leftovers(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (destination_of(entry.path().filename().string()) == file.filename().string())
      remove_if_left_over(entry.path());
}

void sweep_leftovers_below(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error))
    if (!destination_of(entry.path().filename().string()).empty()) remove_if_left_over(entry.path());
}

std::string read_whole_file(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail(Fault::io, About{file.string(), file.string()}, "{}", std::strerror(errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode))
    fail(Fault::io, About{file.string(), file.string()}, "is a directory");
  std::string bytes(static_cast<size_t>(status.st_size > 0 ? status.st_size : 0) + 1, '\0');
  size_t used = 0;
  while (true) {
    if (used == bytes.size()) bytes.resize(2 * bytes.size());
    const ssize_t n = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(Fault::io, About{file.string(), file.string()}, "{}", std::strerror(errno));
    if (n == 0) break;
    used += static_cast<size_t>(n);
  }
  bytes.resize(used);
  return bytes;
}

AtomicFile::AtomicFile(std::filesystem::path file)
    : file_(std::move(file)),
      special_(std::filesystem::exists(file_) && !std::filesystem::is_regular_file(file_)),
      name_(special_ ? file_.string() : fmt::format("{}.{}.tmp", file_.string(), ::getpid())),
      fd_(special_ ? ::open(name_.c_str(), O_WRONLY | O_CLOEXEC) : create_locked(name_.c_str())) {
  if (fd_ < 0) refuse(errno);
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!special_) ::unlink(name_.c_str());
}

void AtomicFile::refuse(int error) const {
  fail(Fault::io, About{file_.string(), file_.string()}, "cannot be written: {}", std::strerror(error));
}

void AtomicFile::write(std::string_view bytes) {
  if (!write_all(fd_, bytes)) refuse(errno);
}

void AtomicFile::commit() {
  if (!special_ && ::fsync(fd_) != 0) refuse(errno);
  const int fd = fd_;
  fd_ = -1;
  // Closing is where a full network disk tells.
  const bool closed = ::close(fd) == 0;
  if (special_ && closed) return;
  if (!closed || ::rename(name_.c_str(), file_.c_str()) != 0) {
    const int error = errno;
    if (!special_) ::unlink(name_.c_str());
    refuse(error);
  }
  // The rename itself must reach the disk too; a directory that cannot be synced is not an error.
  const std::filesystem::path parent = file_.has_parent_path() ? file_.parent_path() : ".";
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
}

void write_file_atomically(const std::filesystem::path& file, std::string_view bytes) {
  AtomicFile out(file);
  out.write(bytes);
  out.commit();
}

std::array<unsigned char, 32> sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    fail(Fault::io, "OpenSSL cannot compute a SHA-256 sum");
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  return fmt::format("{:02x}", fmt::join(sha256(bytes), ""));
}

std::string sha256_base64(std::string_view bytes) {
  const auto digest = sha256(bytes);
  std::array<unsigned char, 45> text{};  // 44 letters and a zero byte
  const int letters = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest.size()));
  return {text.begin(), text.begin() + letters};
}

}  // namespace concord
