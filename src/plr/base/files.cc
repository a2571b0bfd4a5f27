#include "plr/base/files.h"

#include <fcntl.h>

#include <stdexcept>
#include <system_error>

#include "plr/base/open_file.h"

namespace plr {
namespace {

[[noreturn]] void fail(const char* purpose, const std::filesystem::path& path,
                       const std::error_code& cause) {
  throw std::runtime_error("cannot " + std::string(purpose) + " " + path.string() + ": " +
                           cause.message());
}

// Creates or truncates the file `path`; error messages name `shown`.
void write_to(const std::filesystem::path& path, std::span<const std::byte> bytes,
              Durability durability, const std::filesystem::path& shown) {
  OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC, "write", shown);
  file.write(bytes);
  if (durability == Durability::kSynced) file.sync();
}

void rename_to(const std::filesystem::path& from, const std::filesystem::path& to,
               Durability durability) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) fail("write", to, error);
  if (durability == Durability::kSynced) sync_directory(to.parent_path());
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  OpenFile file(path, O_RDONLY, "read");
  // One byte more than the reported size, so that the last read returns 0 without a resize.
  std::vector<std::byte> bytes(file.size() + 1);
  std::size_t size = 0;
  std::size_t count = 0;
  do {
    if (size == bytes.size()) bytes.resize(2 * size);  // reports no size (/proc), or grows
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

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                Durability durability) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    write_to(temporary, bytes, durability, path);
    rename_to(temporary, path, durability);
  } catch (const std::runtime_error&) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

void write_text(const std::filesystem::path& path, std::string_view text, Durability durability) {
  write_file(path, std::as_bytes(std::span(text)), durability);
}

void write_in_place(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  write_to(path, bytes, Durability::kSynced, path);
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
  rename_to(from, to, Durability::kSynced);
}

void remove_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) fail("remove", path, error);
}

void fail_to_write(const std::filesystem::path& path, const std::string& cause) {
  throw std::runtime_error("cannot write " + path.string() + ": " + cause);
}

}  // namespace plr
