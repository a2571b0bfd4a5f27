#include "plr/procgen/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "plr/base/files.h"
#include "plr/base/sha256.h"

namespace plr::procgen {
namespace {

// The memory grows with the number of copies; the speed hardly does beyond these.
constexpr int kWorkersPerCopy = 2;
constexpr int kMaxCopies = 8;

namespace fs = std::filesystem;

// Of procgen-0.10.7-cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64.whl.
constexpr std::uintmax_t kLibrarySize = 28'340'568;
constexpr std::string_view kLibrarySha256 =
    "f44786431a902e9ae1a32cd44f4aa650f4bdad893240a322e49e6098d6a7a2ea";
constexpr off_t kLoadedSize = 0x96a460;  // the part that is loaded; the rest is debug information
constexpr std::size_t kNumImages = 1'288;
constexpr std::uintmax_t kImagesSize = 25'863'761;

constexpr const char* kRemedy =
    "; plr setup procgen fetches it, or PLR_PROCGEN names the folder procgen of an unpacked "
    "procgen 0.10.7 wheel (cp310, manylinux x86_64)";

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw std::runtime_error("Procgen: " + path.string() + " " + what + kRemedy);
}

// The library is code that the program executes: it must be the published one, byte by byte. Reads
// all of it, which takes about 0.2 s; reading the images takes more than a second.
void check_library(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(path, missing);
  if (missing) refuse(path, "does not exist");
  if (size != kLibrarySize || sha256(read_file(path)) != kLibrarySha256) {
    refuse(path, "is of another build or damaged");
  }
}

// Checks number and total size of the images; the checksum of the wheel was verified when it was
// fetched.
void check_images(const fs::path& folder) {
  std::error_code error;
  std::size_t count = 0;
  std::uintmax_t size = 0;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".png") continue;
    ++count;
    size += entry->file_size(error);
  }
  if (error || count != kNumImages) {
    refuse(folder,
           "has " + std::to_string(count) + " of " + std::to_string(kNumImages) + " images");
  }
  if (size != kImagesSize) refuse(folder, "has damaged images");
}

// Copies the part of the library that is loaded to a file in memory and returns its descriptor,
// which must stay open: the dynamic loader identifies a library by name and file, so a copy needs
// both of its own.
int copy_to_memory(const std::string& path) {
  const int from = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int to = memfd_create("libenv", MFD_CLOEXEC);
  off_t done = 0;
  while (done < kLoadedSize) {
    const ssize_t count = sendfile(to, from, &done, static_cast<std::size_t>(kLoadedSize - done));
    if (count <= 0) break;
  }
  close(from);
  if (done < kLoadedSize) {
    close(to);
    throw std::runtime_error("Procgen: not enough memory for a copy of " + path);
  }
  return to;
}

template <class Function>
void find(void* handle, const char* name, Function& function) {
  void* address = dlsym(handle, name);
  if (address == nullptr) throw std::runtime_error(std::string("Procgen: no function ") + name);
  function = reinterpret_cast<Function>(address);
}

}  // namespace

Library::Library(const fs::path& folder)
    : assets_((fs::absolute(folder) / "data/assets/").lexically_normal().string()) {
#if !defined(__x86_64__)
  throw std::runtime_error("Procgen is published for x86-64 only");
#endif
  path_ = fs::absolute(folder) / "data/prebuilt/libenv.so";
  check_library(path_);
  check_images(assets_);
  load(path_);
}

Library::Library(const Library& other, Copy) : assets_(other.assets_), path_(other.path_) {
  load("/proc/self/fd/" + std::to_string(copy_to_memory(path_)));
}

void Library::load(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* cause = dlerror();
    throw std::runtime_error(std::string("Procgen: cannot load ") + cause +
                             "; it needs the packages libglib2.0-0 and zlib1g");
  }
  find(handle, "libenv_version", functions_.version);
  find(handle, "libenv_make", functions_.make);
  find(handle, "libenv_set_buffers", functions_.set_buffers);
  find(handle, "libenv_act", functions_.act);
  find(handle, "libenv_close", functions_.close);
  find(handle, "get_state", functions_.get_state);
  find(handle, "set_state", functions_.set_state);
  if (functions_.version() != libenv::kVersion)
    refuse(path_, "has another version of the interface");
}

const Library& Library::installed() {
  // Retried after a failure.  Never destroyed: other static objects may still have environments.
  static const Library& library = *new Library([]() -> fs::path {
    const char* folder = std::getenv("PLR_PROCGEN");
    if (folder == nullptr || *folder == '\0') {
      throw std::runtime_error(std::string("Procgen is not installed here") + kRemedy);
    }
    return folder;
  }());
  return library;
}

const Library& Library::installed(int copy) {
  // Several threads may make environments.
  static std::mutex mutex;
  static std::array<const Library*, kMaxCopies> copies{};  // never destroyed, like copy 0
  if (copy == 0) return installed();
  const std::lock_guard lock(mutex);
  const Library*& library = copies.at(static_cast<std::size_t>(copy));
  if (library == nullptr) {
    try {
      library = new Library(installed(), Copy());
    } catch (const std::runtime_error&) {
      library = &installed();  // only slower with many threads
    }
  }
  return *library;
}

const Library& Library::of_slot(int slot, int num_slots, int num_workers) {
  const int num_copies = std::clamp(num_workers / kWorkersPerCopy, 1, kMaxCopies);
  return installed(slot * num_copies / num_slots);
}

}  // namespace plr::procgen
