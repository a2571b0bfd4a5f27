#include "plr/base/open_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace plr {

OpenFile::OpenFile(const std::filesystem::path& path, int flags, const char* purpose)
    : OpenFile(path, flags, purpose, path) {}

OpenFile::OpenFile(const std::filesystem::path& path, int flags, const char* purpose,
                   std::filesystem::path shown)
    : path_(std::move(shown)), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail(purpose);
}

OpenFile::OpenFile(int descriptor, std::filesystem::path shown)
    : path_(std::move(shown)), descriptor_(descriptor) {}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint64_t OpenFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("read");
  return static_cast<std::uint64_t>(status.st_size);
}

void OpenFile::expect_regular(const char* purpose) const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(purpose);
  if (S_ISREG(status.st_mode)) return;
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail(purpose);
  }
  throw std::runtime_error("cannot " + std::string(purpose) + " " + path_.string() +
                           ": it is not a regular file");
}

bool OpenFile::is_in_place() const {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor_, &opened) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::size_t OpenFile::read(std::span<std::byte> bytes) {
  while (true) {
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail("read");
  }
}

std::size_t OpenFile::read_at(std::uint64_t position, std::span<std::byte> bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(descriptor_, bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(position + done));
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      fail("read");
    }
  }
  return done;
}

void OpenFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      fail("write");
    }
  }
}

void OpenFile::truncate(std::uint64_t size) {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail("shorten");
}

void OpenFile::sync() const {
  // Some file systems cannot sync directories and report EINVAL; they keep renames in order.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("write");
}

void OpenFile::lock(Locking locking) {
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) {
      throw std::runtime_error(
          "cannot write " + path_.string() +
          ": another process is writing it; wait until it has finished, or stop it");
    }
    if (locking == Locking::kIfSupported) return;
    throw std::runtime_error("cannot lock " + path_.string() + ": " + std::strerror(errno) +
                             "; use --no-lock if no other process writes it");
  }
}

void OpenFile::fail(const char* purpose) const {
  const std::string cause = std::strerror(errno);
  throw std::runtime_error("cannot " + std::string(purpose) + " " + path_.string() + ": " + cause);
}

}  // namespace plr
