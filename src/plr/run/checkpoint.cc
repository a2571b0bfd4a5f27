#include "plr/run/checkpoint.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "plr/base/bytes.h"
#include "plr/base/files.h"
#include "plr/run/layout.h"

namespace plr::run {
namespace {

namespace fs = std::filesystem;

using layout::kManifest;
using layout::kStates;
using layout::kTensors;

// Version of the directory's layout and of checkpoint.json; states have versions of their own.
constexpr int kFormat = 1;
constexpr std::size_t kNumKept = 2;
constexpr std::string_view kTemporarySuffix = ".tmp";

// ---- names --------------------------------------------------------------------------------------

std::string with_zeros(const std::string& digits, std::size_t width) {
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

std::string directory_name(std::int64_t update) {
  return "update-" + with_zeros(std::to_string(update), 8);
}

fs::path state_file(const std::string& name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  if (name.empty() || name.find_first_not_of(kAllowed) != std::string::npos) {
    throw std::invalid_argument("the name of a state must consist of a-z, 0-9, '_' and '-', not '" +
                                name + "'");
  }
  return fs::path(kStates) / (name + ".bin");
}

fs::path temporary_path(fs::path path) { return path += kTemporarySuffix; }

std::vector<fs::path> directories_in(const fs::path& folder) {
  std::vector<fs::path> directories;
  if (!fs::exists(folder)) return directories;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) directories.push_back(entry.path());
  }
  return directories;
}

// ---- the manifest -------------------------------------------------------------------------------

std::string hex_checksum(std::span<const std::byte> bytes) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(checksum(bytes)));
  return digits;
}

nlohmann::json file_digest(std::span<const std::byte> bytes) {
  return {{"size", bytes.size()}, {"checksum", hex_checksum(bytes)}};
}

// Ends a JSON object with the checksum of all bytes before it.
std::string with_checksum(std::string_view open_object) {
  return std::string(open_object) + ",\n  \"checksum\": \"" +
         hex_checksum(std::as_bytes(std::span(open_object))) + "\"\n}\n";
}

std::string make_manifest(const Checkpoint& checkpoint) {
  nlohmann::ordered_json manifest{{"format", kFormat},
                                  {"update", checkpoint.update},
                                  {"facts", checkpoint.facts},
                                  {"tensors", file_digest(checkpoint.tensors)},
                                  {"states", nlohmann::json::object()}};
  for (const auto& [name, bytes] : checkpoint.states) manifest["states"][name] = file_digest(bytes);
  const std::string text = manifest.dump(2);
  return with_checksum(std::string_view(text).substr(0, text.size() - 2));  // without its "\n}"
}

bool has_valid_checksum(std::string_view text) {
  const std::size_t tail = with_checksum("").size();
  return text.size() > tail && with_checksum(text.substr(0, text.size() - tail)) == text;
}

// ---- saving -------------------------------------------------------------------------------------

void check_before_saving(const fs::path& folder, const Checkpoint& checkpoint) {
  if (checkpoint.update < 0) {
    throw std::invalid_argument("update must be at least 0, not " +
                                std::to_string(checkpoint.update));
  }
  for (const auto& [name, bytes] : checkpoint.states) state_file(name);
  // It would be removed at once, since only the newest are kept.
  const std::vector<SavedCheckpoint> saved = list_checkpoints(folder);
  if (!saved.empty() && saved.back().update > checkpoint.update) {
    throw std::runtime_error("cannot save update " + std::to_string(checkpoint.update) +
                             ": there is a later checkpoint, " + saved.back().path.string() +
                             "; remove it, or save to another folder");
  }
}

void write_files(const fs::path& directory, const Checkpoint& checkpoint) {
  const std::string manifest = make_manifest(checkpoint);
  fs::create_directories(directory / kStates);
  for (const auto& [name, bytes] : checkpoint.states) {
    write_in_place(directory / state_file(name), bytes);
  }
  write_in_place(directory / kTensors, checkpoint.tensors);
  write_in_place(directory / kManifest, std::as_bytes(std::span(manifest)));
  sync_directory(directory / kStates);
  sync_directory(directory);
}

// Renames the new directory to its final name; an existing one of that name is exchanged
// atomically.
void put_in_place(const fs::path& temporary, const fs::path& path) {
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
    sync_directory(path.parent_path());
    return;
  }
  // There is none of that name, or the file system cannot exchange: then the name is missing for an
  // instant.
  if (fs::exists(path)) rename_path(path, temporary_path(path.string() + ".old"));
  rename_path(temporary, path);
}

// Renames before removing, so that a directory with the name of a checkpoint is always complete.
void remove_old(const fs::path& folder) {
  const std::vector<SavedCheckpoint> saved = list_checkpoints(folder);
  for (std::size_t i = 0; i + kNumKept < saved.size(); ++i) {
    rename_path(saved[i].path, temporary_path(saved[i].path));
  }
  remove_leftovers(folder);
}

// ---- loading ------------------------------------------------------------------------------------

// The checkpoint to load, and the remedy if it is damaged.
struct Source {
  SavedCheckpoint saved;
  std::string hint;

  [[noreturn]] void fail(const fs::path& file, const std::string& what) const {
    throw std::runtime_error((saved.path / file).string() + " " + what + "; " + hint);
  }
  std::vector<std::byte> read(const fs::path& file) const {
    if (!fs::exists(saved.path / file)) fail(file, "is missing");
    return read_file(saved.path / file);
  }
};

Source newest(const fs::path& folder) {
  const std::vector<SavedCheckpoint> saved = list_checkpoints(folder);
  if (!fs::exists(folder)) {
    throw std::runtime_error(folder.string() +
                             " does not exist; name a run that has saved a checkpoint");
  }
  if (saved.empty()) {
    throw std::runtime_error(folder.string() + " holds no checkpoint; start the run again");
  }
  if (saved.size() == 1) {
    return {saved.back(), "there is no older checkpoint; start the run again"};
  }
  return {saved.back(), "remove that directory to continue from " +
                            saved[saved.size() - 2].path.filename().string()};
}

nlohmann::json read_manifest(const Source& source) {
  const std::vector<std::byte> bytes = source.read(kManifest);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  nlohmann::json manifest = nlohmann::json::parse(text, nullptr, false);
  if (manifest.is_object() && manifest.contains("format") && manifest["format"] != kFormat) {
    throw std::runtime_error((source.saved.path / kManifest).string() + " is of format " +
                             manifest["format"].dump() + ", but this program reads format " +
                             std::to_string(kFormat) + "; use the version that wrote it");
  }
  if (!has_valid_checksum(text)) source.fail(kManifest, "is damaged (its checksum differs)");
  if (manifest.at("update") != source.saved.update) {
    source.fail(kManifest, "is of update " + manifest["update"].dump());
  }
  return manifest;
}

std::vector<std::byte> read_verified(const Source& source, const fs::path& file,
                                     const nlohmann::json& digest) {
  std::vector<std::byte> bytes = source.read(file);
  if (bytes.size() != digest.at("size")) {
    source.fail(file, "is damaged (it has " + std::to_string(bytes.size()) + " bytes, not " +
                          digest.at("size").dump() + ")");
  }
  if (digest != file_digest(bytes)) source.fail(file, "is damaged (its checksum differs)");
  return bytes;
}

}  // namespace

void save_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  check_before_saving(folder, checkpoint);
  make_directories(folder);
  remove_leftovers(folder);
  const fs::path path = folder / directory_name(checkpoint.update);
  const fs::path temporary = temporary_path(path);
  try {
    write_files(temporary, checkpoint);
    put_in_place(temporary, path);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw;
  }
  remove_old(folder);
}

void remove_leftovers(const fs::path& folder) {
  for (const fs::path& path : directories_in(folder)) {
    const std::string name = path.filename();
    if (name.starts_with("update-") && name.ends_with(kTemporarySuffix)) remove_path(path);
  }
}

Checkpoint load_checkpoint(const fs::path& folder) {
  const Source source = newest(folder);
  try {
    const nlohmann::json manifest = read_manifest(source);
    Checkpoint checkpoint{.update = manifest.at("update"),
                          .facts = manifest.at("facts"),
                          .states = {},
                          .tensors = read_verified(source, kTensors, manifest.at("tensors"))};
    for (const auto& [name, digest] : manifest.at("states").items()) {
      checkpoint.states[name] = read_verified(source, state_file(name), digest);
    }
    return checkpoint;
  } catch (const nlohmann::json::exception& problem) {
    source.fail(kManifest, std::string("is damaged (") + problem.what() + ")");
  }
}

nlohmann::json load_checkpoint_facts(const fs::path& folder) {
  const Source source = newest(folder);
  try {
    return read_manifest(source).at("facts");
  } catch (const nlohmann::json::exception& problem) {
    source.fail(kManifest, std::string("is damaged (") + problem.what() + ")");
  }
}

std::vector<SavedCheckpoint> list_checkpoints(const fs::path& folder) {
  std::vector<SavedCheckpoint> saved;
  for (const fs::path& path : directories_in(folder)) {
    std::int64_t update = 0;
    const std::string name = path.filename();
    const std::size_t digits = std::min(name.size(), directory_name(0).find('0'));
    std::from_chars(name.data() + digits, name.data() + name.size(), update);
    if (name == directory_name(update)) saved.push_back({update, path});
  }
  std::sort(saved.begin(), saved.end(),
            [](const auto& a, const auto& b) { return a.update < b.update; });
  return saved;
}

}  // namespace plr::run
