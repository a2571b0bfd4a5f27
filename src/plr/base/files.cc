#include "plr/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <random>
#include <stdexcept>
#include <system_error>

#include "plr/base/directory.h"
#include "plr/base/open_file.h"

namespace plr {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::size_t kNumRandomDigits = 12;

// Names of temporary files begin with this. A long name is shortened: names have up to 255 bytes.
std::string temporary_prefix(const fs::path& path) {
  return path.filename().string().substr(0, 200) + ".";
}

std::string random_digits() {
  std::random_device device;
  std::uniform_int_distribution<std::size_t> digit(0, 15);
  std::string digits(kNumRandomDigits, '0');
  for (char& c : digits) c = "0123456789abcdef"[digit(device)];
  return digits;
}

// A new file beside `path` that no other process has.
struct Temporary {
  std::string name;
  OpenFile file;
};

Temporary make_temporary(const Directory& directory, const fs::path& path) {
  const std::string name = temporary_prefix(path) + random_digits() + std::string(kTemporarySuffix);
  return {name, directory.open(name, O_WRONLY | O_CREAT | O_EXCL, "write", path)};
}

// ---- outputs that the user names ----------------------------------------------------------------

// The descriptor that /dev/stdout, /dev/fd/3 and the like stand for; -1 if `path` is no such name.
int named_descriptor(const fs::path& path) {
  std::error_code ignored;
  if (fs::canonical(path.parent_path(), ignored) != fs::canonical("/proc/self/fd", ignored)) {
    return -1;
  }
  const std::string name = path.filename().string();
  int descriptor = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), descriptor);
  return error == std::errc() && end == name.data() + name.size() ? descriptor : -1;
}

// Where a chain of links ends, or the name of a descriptor that it reaches.
fs::path link_target(fs::path path) {
  constexpr int kMaxLinks = 40;  // as the kernel
  std::error_code error;
  for (int i = 0; i < kMaxLinks && named_descriptor(path) < 0; ++i) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) return path;  // not a link
    path = path.parent_path() / target;
  }
  return path;
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path, std::uint64_t max_size) {
  OpenFile file(path, O_RDONLY | O_NONBLOCK, "read");  // a pipe is refused, not waited for
  file.expect_regular("read");
  const auto check_size = [&](std::uint64_t size) {
    if (size <= max_size) return;
    throw std::runtime_error("cannot read " + path.string() + ": it has more than " +
                             std::to_string(max_size) + " bytes");
  };
  check_size(file.size());
  // One byte more than the reported size, so that the last read returns 0 without a resize.
  std::vector<std::byte> bytes(file.size() + 1);
  std::size_t size = 0;
  std::size_t count = 0;
  do {
    if (size == bytes.size()) bytes.resize(2 * size);  // reports no size (/proc), or grows
    count = file.read(std::span(bytes).subspan(size));
    size += count;
    check_size(size);
  } while (count > 0);
  bytes.resize(size);
  return bytes;
}

std::string read_text(const std::filesystem::path& path, std::uint64_t max_size) {
  const std::vector<std::byte> bytes = read_file(path, max_size);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                Durability durability) {
  const Directory directory(path.parent_path(), "write", path);
  Temporary temporary = make_temporary(directory, path);
  try {
    temporary.file.write(bytes);
    if (durability == Durability::kSynced) temporary.file.sync();
    directory.rename(temporary.name, path.filename(), path);
    if (durability == Durability::kSynced) directory.sync();
  } catch (const std::runtime_error&) {
    try {
      directory.remove(temporary.name);
    } catch (const std::runtime_error&) {
      // The first error is the one to report.
    }
    throw;
  }
}

void write_text(const std::filesystem::path& path, std::string_view text, Durability durability) {
  write_file(path, std::as_bytes(std::span(text)), durability);
}

void write_output(const std::filesystem::path& path, std::string_view text, Durability durability) {
  const auto bytes = std::as_bytes(std::span(text));
  const fs::path target = link_target(path);
  if (const int descriptor = named_descriptor(target); descriptor >= 0) {
    const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    OpenFile file(copy, path);
    if (copy < 0) file.fail("write");
    return file.write(bytes);
  }
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (!exists || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
    return write_file(target, bytes, durability);
  }
  OpenFile(target, O_WRONLY, "write", path).write(bytes);  // a device or a pipe
}

void remove_temporary_files(const std::filesystem::path& path) {
  const Directory directory(path.parent_path(), "write");
  const std::string prefix = temporary_prefix(path);
  for (const std::string& name : directory.names()) {
    if (name.size() == prefix.size() + kNumRandomDigits + kTemporarySuffix.size() &&
        name.starts_with(prefix) && name.ends_with(kTemporarySuffix)) {
      directory.remove(name);
    }
  }
}

void make_directories(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) return;
  make_directories(path.parent_path());
  if (!path.has_filename()) return;  // "a/" after "a"
  const Directory parent(path.parent_path(), "write", path);
  parent.make_directory(path.filename());
  parent.sync();
}

void fail_to_write(const std::filesystem::path& path, const std::string& cause) {
  throw std::runtime_error("cannot write " + path.string() + ": " + cause);
}

}  // namespace plr
