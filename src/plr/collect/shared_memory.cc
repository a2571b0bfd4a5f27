#include "plr/collect/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <utility>

namespace plr::collect {
namespace {

[[noreturn]] void fail(const std::string& name) {
  throw std::runtime_error("shared memory " + name + ": " + std::strerror(errno));
}

// Maps and closes the file.
std::span<std::byte> map(int file, const std::string& name, std::size_t size) {
  void* address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int cause = errno;
  ::close(file);
  errno = cause;
  if (address == MAP_FAILED) fail(name);
  return {static_cast<std::byte*>(address), size};
}

}  // namespace

SharedMemory::SharedMemory(std::string name, std::span<std::byte> bytes, bool has_name)
    : name_(std::move(name)), bytes_(bytes), has_name_(has_name) {}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : name_(std::move(other.name_)),
      bytes_(std::exchange(other.bytes_, {})),
      has_name_(std::exchange(other.has_name_, false)) {}

SharedMemory::~SharedMemory() {
  remove_name();
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

SharedMemory SharedMemory::create(std::size_t size) {
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
  const std::string name = "/plr-" + std::to_string(number);
  const int file = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) fail(name);
  // Not ftruncate(), after which a full file system would end the process at the first write.
  const int status = ::posix_fallocate(file, 0, static_cast<off_t>(size));
  if (status != 0) {
    ::close(file);
    ::shm_unlink(name.c_str());
    errno = status;
    fail(name);
  }
  try {
    return {name, map(file, name, size), true};
  } catch (...) {
    ::shm_unlink(name.c_str());
    throw;
  }
}

SharedMemory SharedMemory::open(const std::string& name, std::size_t size) {
  const int file = ::shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (file < 0) fail(name);
  struct stat status = {};
  if (::fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) != size) {
    ::close(file);
    throw std::runtime_error("shared memory " + name + " has another size");
  }
  return {name, map(file, name, size), false};
}

void SharedMemory::remove_name() {
  if (std::exchange(has_name_, false)) ::shm_unlink(name_.c_str());
}

}  // namespace plr::collect
