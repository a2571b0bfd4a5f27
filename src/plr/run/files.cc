#include "plr/run/files.h"

#include <fcntl.h>

#include <stdexcept>
#include <system_error>

#include "plr/run/open_file.h"

namespace plr {
namespace {

[[noreturn]] void fail(const char* purpose, const std::filesystem::path& path,
                       const std::error_code& cause) {
  throw std::runtime_error("cannot " + std::string(purpose) + " " + path.string() + ": " +
                           cause.message());
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  OpenFile file(path, O_RDONLY, "read");
  // One byte more than it seems to have, so that the end is met before the room is.
  std::vector<std::byte> bytes(file.size() + 1);
  std::size_t size = 0;
  std::size_t count = 0;
  do {
    if (size == bytes.size()) bytes.resize(2 * size);  // it does not tell its size, or grows
    count = file.read(std::span(bytes).subspan(size));
    size += count;
  } while (count > 0);
  bytes.resize(size);
  return bytes;
}

std::string read_text(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::filesystem::path aside = path;
  aside += ".tmp";
  try {
    write_in_place(aside, bytes);
    rename_path(aside, path);
  } catch (const std::runtime_error&) {
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    throw;
  }
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text)));
}

void write_in_place(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC, "write");
  file.write(bytes);
  file.sync();
}

void sync_directory(const std::filesystem::path& directory) {
  OpenFile(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY, "write").sync();
}

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) return;
  make_directories(path.parent_path());
  if (std::filesystem::create_directory(path, error)) sync_directory(path.parent_path());
  if (error) fail("make the directory", path, error);
}

void rename_path(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) fail("write", to, error);
  sync_directory(to.parent_path());
}

void remove_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) fail("remove", path, error);
}

}  // namespace plr
