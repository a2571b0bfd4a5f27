// Records the file operations of a process below one folder, for crash_states.h.
//
// Defines the system calls that plr writes with; linked into a program, or loaded by LD_PRELOAD,
// they take precedence over those of the C library, which they call. Environment variables:
//
//   PLR_JOURNAL       the file to which operations are appended
//   PLR_JOURNAL_ROOT  the folder, without links in its path; operations elsewhere are not recorded
//
// The journal is a sequence of lines; INODE is the number of a file or directory:
//
//   create DIRECTORY INODE KIND NAME     KIND is f or d
//   write INODE OFFSET HEX               the bytes in hexadecimal digits
//   truncate INODE SIZE
//   rename DIRECTORY INODE FROM TO
//   exchange DIRECTORY INODE FROM INODE TO
//   unlink DIRECTORY NAME
//   sync INODE
//
// While nothing is recorded, fsync() does nothing, so that states are checked quickly.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}
#define REAL(name) static const auto real_##name = real<decltype(&::name)>(#name)

std::mutex mutex;

const char* journal_path() { return std::getenv("PLR_JOURNAL"); }

void record(const std::string& line) {
  REAL(open);
  REAL(write);
  REAL(close);
  const std::lock_guard lock(mutex);
  const int file = real_open(journal_path(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string text = line + "\n";
  if (real_write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) ::abort();
  real_close(file);
}

// The path of a descriptor; of the working directory for AT_FDCWD.
std::string path_of(int descriptor) {
  const std::string link =
      descriptor == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(descriptor);
  char path[4096];
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path);
  return size < 0 ? "" : std::string(path, static_cast<std::size_t>(size));
}

bool is_recorded(const std::string& path) {
  const char* root = std::getenv("PLR_JOURNAL_ROOT");
  return journal_path() != nullptr && root != nullptr &&
         (path == root || path.starts_with(std::string(root) + "/"));
}
bool is_recorded(int descriptor) {
  return journal_path() != nullptr && is_recorded(path_of(descriptor));
}

std::string inode_of(int descriptor) {
  struct stat status {};
  ::fstat(descriptor, &status);
  return std::to_string(status.st_ino);
}
std::string inode_of(int directory, const char* name) {
  struct stat status {};
  ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW);
  return std::to_string(status.st_ino);
}
bool exists(int directory, const char* name) {
  struct stat status {};
  return ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

extern "C" {

int openat(int directory, const char* name, int flags, ...) {
  REAL(openat);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  const bool creates = (flags & O_CREAT) != 0 && is_recorded(directory) && !exists(directory, name);
  const int file = real_openat(directory, name, flags, mode);
  if (creates && file >= 0) {
    record("create " + inode_of(directory) + " " + inode_of(file) + " f " + name);
  }
  return file;
}

int mkdirat(int directory, const char* name, mode_t mode) {
  REAL(mkdirat);
  const int result = real_mkdirat(directory, name, mode);
  if (result == 0 && is_recorded(directory)) {
    record("create " + inode_of(directory) + " " + inode_of(directory, name) + " d " + name);
  }
  return result;
}

ssize_t write(int file, const void* bytes, size_t size) {
  REAL(write);
  if (!is_recorded(file)) return real_write(file, bytes, size);
  struct stat status {};
  ::fstat(file, &status);
  const bool appends = (::fcntl(file, F_GETFL) & O_APPEND) != 0;
  const off_t offset = appends ? status.st_size : ::lseek(file, 0, SEEK_CUR);
  const ssize_t count = real_write(file, bytes, size);
  std::string hex;
  for (ssize_t i = 0; i < count; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(bytes)[i]);
    hex += digits;
  }
  if (count > 0) record("write " + inode_of(file) + " " + std::to_string(offset) + " " + hex);
  return count;
}

int ftruncate(int file, off_t size) noexcept {
  REAL(ftruncate);
  const int result = real_ftruncate(file, size);
  if (result == 0 && is_recorded(file)) {
    record("truncate " + inode_of(file) + " " + std::to_string(size));
  }
  return result;
}

int renameat(int directory, const char* from, int other, const char* to) noexcept {
  REAL(renameat);
  const std::string inode = inode_of(directory, from);
  const int result = real_renameat(directory, from, other, to);
  if (result == 0 && is_recorded(directory)) {
    record("rename " + inode_of(directory) + " " + inode + " " + from + " " + to);
  }
  return result;
}

int renameat2(int directory, const char* from, int other, const char* to, unsigned flags) noexcept {
  REAL(renameat2);
  const std::string first = inode_of(directory, from);
  const std::string second = inode_of(other, to);
  const int result = real_renameat2(directory, from, other, to, flags);
  if (result == 0 && is_recorded(directory)) {
    record("exchange " + inode_of(directory) + " " + first + " " + from + " " + second + " " + to);
  }
  return result;
}

int unlinkat(int directory, const char* name, int flags) noexcept {
  REAL(unlinkat);
  const int result = real_unlinkat(directory, name, flags);
  if (result == 0 && is_recorded(directory)) {
    record("unlink " + inode_of(directory) + " " + name);
  }
  return result;
}

int fsync(int file) {
  REAL(fsync);
  if (journal_path() == nullptr) return 0;
  const int result = real_fsync(file);
  if (result == 0 && is_recorded(file)) record("sync " + inode_of(file));
  return result;
}

}  // extern "C"
