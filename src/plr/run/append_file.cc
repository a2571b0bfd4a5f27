#include "plr/run/append_file.h"

#include <fcntl.h>

#include <stdexcept>
#include <string>

#include "plr/base/files.h"

namespace plr::run {

AppendFile::AppendFile(const std::filesystem::path& path)
    : file_(path, O_WRONLY | O_CREAT | O_APPEND, "write"), size_(0) {
  file_.lock();
  size_ = file_.size();
  sync_directory(path.parent_path());
}

void AppendFile::append(std::span<const std::byte> record) {
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
}

void AppendFile::expect_at_least(std::uint64_t size) const {
  if (size <= size_) return;
  throw std::runtime_error(file_.path().string() + " has " + std::to_string(size_) +
                           " bytes, but the checkpoint has recorded " + std::to_string(size) +
                           ": its end is lost; restore the file, or start a new run in another "
                           "folder");
}

void AppendFile::truncate(std::uint64_t size) {
  expect_at_least(size);
  file_.truncate(size);
  size_ = size;
}

}  // namespace plr::run
