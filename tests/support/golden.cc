#include "tests/support/golden.h"

#include <zlib.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace plr::testing {
namespace {

std::string unzip(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path.string());
  std::string text;
  std::array<char, 1 << 16> chunk;
  int got = 0;
  while ((got = gzread(file, chunk.data(), chunk.size())) > 0) text.append(chunk.data(), got);
  // A truncated file reads without an error; gzclose() reports it.
  if (gzclose(file) != Z_OK || got < 0) throw std::runtime_error("damaged file " + path.string());
  return text;
}

}  // namespace

std::filesystem::path golden_path(const std::string& name) {
  const char* directory = std::getenv("PLR_GOLDEN");
  return std::filesystem::path(directory != nullptr ? directory : PLR_GOLDEN_DEFAULT) / name;
}

std::vector<nlohmann::json> golden_lines(const std::string& name) {
  std::istringstream text(unzip(golden_path(name)));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  if (lines.empty()) throw std::runtime_error("no records in " + golden_path(name).string());
  return lines;
}

}  // namespace plr::testing
