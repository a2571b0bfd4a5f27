#include "plr/image/whole_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace plr {
namespace {

bool write_all(std::FILE* file, std::string_view bytes) {
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace

void fail_to_write(const std::filesystem::path& path, const std::string& cause) {
  throw std::runtime_error("cannot write " + path.string() + ": " + cause);
}

void write_whole(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path aside = path;
  aside += ".part" + std::to_string(getpid());
  std::FILE* file = std::fopen(aside.c_str(), "wbx");
  if (file == nullptr) fail_to_write(path, std::strerror(errno));
  std::error_code error;
  if (!write_all(file, bytes)) {
    error.assign(errno, std::generic_category());
  } else {
    std::filesystem::rename(aside, path, error);
  }
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  fail_to_write(path, error.message());
}

}  // namespace plr
