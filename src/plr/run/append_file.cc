#include "plr/run/append_file.h"

#include <fcntl.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/base/directory.h"

namespace plr::run {
namespace {

constexpr const char* kRemedy = "restore the file, or start a new run in another folder";

// O_NONBLOCK: a pipe in the place of the log is refused, not waited for.
OpenFile open_log(const std::filesystem::path& path, Locking locking) {
  const Directory folder(path.parent_path(), "write", path);
  OpenFile file =
      folder.open(path.filename(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK, "write", path);
  file.expect_regular("write");
  file.lock(locking);
  folder.sync();
  return file;
}

}  // namespace

AppendFile::AppendFile(const std::filesystem::path& path, Locking locking)
    : file_(open_log(path, locking)), size_(file_.size()) {}

void AppendFile::append(std::span<const std::byte> record) {
  if (!file_.is_in_place()) {
    throw std::runtime_error("cannot write " + path().string() +
                             ": it was removed or replaced since it was opened; " + kRemedy);
  }
  try {
    file_.write(record);
  } catch (const std::runtime_error&) {
    // Remove the part that was written. If that fails too, report the first error.
    try {
      file_.truncate(size_);
    } catch (const std::runtime_error&) {
    }
    throw;
  }
  size_ += record.size();
  seal_.add(record);
}

void AppendFile::expect(std::uint64_t size, const LogSeal* seal) const {
  if (size > size_) {
    throw std::runtime_error(path().string() + " has " + std::to_string(size_) +
                             " bytes, but the checkpoint has recorded " + std::to_string(size) +
                             ": its end is lost; " + kRemedy);
  }
  if (seal == nullptr) return;
  if (const auto line = read_seal(size).first_difference(*seal)) {
    throw std::runtime_error(path().string() + ":" + std::to_string(*line) +
                             ": the file was changed here after the checkpoint; " + kRemedy);
  }
}

bool AppendFile::begins_with(const LogSeal& seal) const {
  return !read_seal(seal.size()).first_difference(seal);
}

void AppendFile::truncate(std::uint64_t size) {
  expect(size, nullptr);
  file_.truncate(size);
  size_ = size;
  seal_ = read_seal(size);
}

LogSeal AppendFile::read_seal(std::uint64_t size) const {
  LogSeal seal;
  std::vector<std::byte> block(1 << 16);
  while (seal.size() < size) {
    const std::size_t wanted = std::min<std::uint64_t>(block.size(), size - seal.size());
    const std::size_t count = file_.read_at(seal.size(), std::span(block).first(wanted));
    if (count == 0) break;  // shortened meanwhile; the seals differ
    seal.add(std::span(block).first(count));
  }
  return seal;
}

}  // namespace plr::run
