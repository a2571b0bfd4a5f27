#include "plr/base/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <stdexcept>

namespace plr {
namespace {

namespace fs = std::filesystem;

struct CloseStream {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

bool is_link(int directory, const std::string& name) {
  struct stat status {};
  return ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(status.st_mode);
}

}  // namespace

Directory::Directory(const fs::path& path, const char* purpose, const fs::path& shown)
    : directory_(path.empty() ? "." : path, O_RDONLY | O_DIRECTORY, purpose,
                 shown.empty() ? path : shown) {
  if (!shown.empty()) directory_.set_path(path);
}

OpenFile Directory::open(const std::string& name, int flags, const char* purpose,
                         const fs::path& shown) const {
  const int descriptor =
      ::openat(directory_.descriptor(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666);
  OpenFile file(descriptor, shown.empty() ? path() / name : shown);
  if (descriptor >= 0) return file;
  const int cause = errno;
  // O_NOFOLLOW reports ELOOP, and ENOTDIR together with O_DIRECTORY.
  if ((cause == ELOOP || cause == ENOTDIR) && is_link(directory_.descriptor(), name)) {
    throw std::runtime_error("cannot " + std::string(purpose) + " " + file.path().string() +
                             ": it is a symbolic link, and links inside a folder are not "
                             "followed; replace it by what it refers to");
  }
  errno = cause;
  file.fail(purpose);
}

Directory Directory::open_directory(const std::string& name, const char* purpose) const {
  return Directory(open(name, O_RDONLY | O_DIRECTORY, purpose));
}

Directory Directory::make_directory(const std::string& name) const {
  if (::mkdirat(directory_.descriptor(), name.c_str(), 0777) != 0 && errno != EEXIST) {
    OpenFile(-1, path() / name).fail("make the directory");
  }
  return open_directory(name, "make the directory");
}

void Directory::rename(const std::string& from, const std::string& to,
                       const fs::path& shown) const {
  const int directory = directory_.descriptor();
  if (::renameat(directory, from.c_str(), directory, to.c_str()) == 0) return;
  OpenFile(-1, shown.empty() ? path() / to : shown).fail("write");
}

bool Directory::exchange(const std::string& a, const std::string& b) const {
  const int directory = directory_.descriptor();
  return ::renameat2(directory, a.c_str(), directory, b.c_str(), RENAME_EXCHANGE) == 0;
}

void Directory::remove(const std::string& name) const {
  const int directory = directory_.descriptor();
  if (is_directory(name)) {
    const Directory inner = open_directory(name, "remove");
    for (const std::string& entry : inner.names()) inner.remove(entry);
    if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0) return;
  } else if (::unlinkat(directory, name.c_str(), 0) == 0) {
    return;
  }
  if (errno != ENOENT) OpenFile(-1, path() / name).fail("remove");
}

bool Directory::contains(const std::string& name) const {
  struct stat status {};
  return ::fstatat(directory_.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool Directory::is_directory(const std::string& name) const {
  struct stat status {};
  return ::fstatat(directory_.descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

std::vector<std::string> Directory::names() const {
  // A stream takes over its descriptor and has a position, so that each call opens one.
  const int copy = ::openat(directory_.descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) directory_.fail("read");
  const std::unique_ptr<DIR, CloseStream> stream(::fdopendir(copy));
  if (!stream) {
    ::close(copy);
    directory_.fail("read");
  }
  std::vector<std::string> names;
  for (const dirent* entry = nullptr; (entry = ::readdir(stream.get())) != nullptr;) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

std::vector<std::string> Directory::directory_names() const {
  std::vector<std::string> found = names();
  std::erase_if(found, [this](const std::string& name) { return !is_directory(name); });
  return found;
}

}  // namespace plr
