#include "plr/run/checkpoint.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string_view>

#include "plr/base/bytes.h"
#include "plr/base/directory.h"
#include "plr/base/files.h"
#include "plr/run/layout.h"
#include "plr/run/parse_json.h"

namespace plr::run {
namespace {

namespace fs = std::filesystem;

using layout::kLogSeals;
using layout::kManifest;
using layout::kStates;
using layout::kTensors;

// Version of the directory's layout and of checkpoint.json; states have versions of their own.
constexpr int kFormat = 1;
constexpr std::size_t kNumKept = 2;
constexpr std::uint64_t kMaxManifestSize = std::uint64_t{1} << 24;
constexpr std::uint64_t kMaxPartSize = std::uint64_t{1} << 34;  // of tensors or a state
constexpr std::string_view kTemporarySuffix = ".tmp";

// ---- names --------------------------------------------------------------------------------------

std::string with_zeros(const std::string& digits, std::size_t width) {
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

std::string directory_name(std::int64_t update) {
  return "update-" + with_zeros(std::to_string(update), 8);
}

std::string state_file(const std::string& name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  if (name.empty() || name.find_first_not_of(kAllowed) != std::string::npos) {
    throw std::invalid_argument("the name of a state must consist of a-z, 0-9, '_' and '-', not '" +
                                name + "'");
  }
  return name + ".bin";
}

std::string temporary_name(const std::string& name) { return name + std::string(kTemporarySuffix); }

// Opens the folder to write into it: it must not be a link; its parent may be reached by links.
Directory open_to_write(const fs::path& folder) {
  const fs::path path = folder.has_filename() ? folder : folder.parent_path();
  return Directory(path.parent_path(), "write").open_directory(path.filename(), "write");
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
  if (!checkpoint.log_seals.empty()) manifest["log_seals"] = file_digest(checkpoint.log_seals);
  const std::string text = manifest.dump(2);
  return with_checksum(std::string_view(text).substr(0, text.size() - 2));  // without its "\n}"
}

bool has_valid_checksum(std::string_view text) {
  const std::size_t tail = with_checksum("").size();
  return text.size() > tail && with_checksum(text.substr(0, text.size() - tail)) == text;
}

// ---- saving -------------------------------------------------------------------------------------

void write_synced(const Directory& directory, const std::string& name,
                  std::span<const std::byte> bytes) {
  OpenFile file = directory.open(name, O_WRONLY | O_CREAT | O_EXCL, "write");
  file.write(bytes);
  file.sync();
}

void write_files(const Directory& directory, const Checkpoint& checkpoint) {
  const Directory states = directory.make_directory(std::string(kStates));
  for (const auto& [name, bytes] : checkpoint.states) {
    write_synced(states, state_file(name), bytes);
  }
  states.sync();
  write_synced(directory, std::string(kTensors), checkpoint.tensors);
  if (!checkpoint.log_seals.empty()) {
    write_synced(directory, std::string(kLogSeals), checkpoint.log_seals);
  }
  const std::string manifest = make_manifest(checkpoint);
  write_synced(directory, std::string(kManifest), std::as_bytes(std::span(manifest)));
  directory.sync();
}

// Renames the new directory to its final name; an existing one of that name is exchanged
// atomically.
void put_in_place(const Directory& folder, const std::string& temporary, const std::string& name) {
  if (!folder.exchange(temporary, name)) {
    // There is none of that name, or the file system cannot exchange: then the name is missing for
    // an instant.
    if (folder.contains(name)) folder.rename(name, temporary_name(name + ".old"));
    folder.rename(temporary, name);
  }
  folder.sync();
}

bool is_leftover(const std::string& name) {
  return name.starts_with("update-") && name.ends_with(kTemporarySuffix);
}

void remove_leftovers_in(const Directory& folder) {
  for (const std::string& name : folder.directory_names()) {
    if (is_leftover(name)) folder.remove(name);
  }
}

// Oldest first.
std::vector<SavedCheckpoint> checkpoints_in(const Directory& folder) {
  std::vector<SavedCheckpoint> saved;
  for (const std::string& name : folder.directory_names()) {
    std::int64_t update = 0;
    const std::size_t digits = std::min(name.size(), directory_name(0).find('0'));
    std::from_chars(name.data() + digits, name.data() + name.size(), update);
    if (name == directory_name(update)) saved.push_back({update, folder.path() / name});
  }
  std::sort(saved.begin(), saved.end(),
            [](const auto& a, const auto& b) { return a.update < b.update; });
  return saved;
}

void check_before_saving(const Checkpoint& checkpoint) {
  if (checkpoint.update < 0) {
    throw std::invalid_argument("update must be at least 0, not " +
                                std::to_string(checkpoint.update));
  }
  for (const auto& [name, bytes] : checkpoint.states) state_file(name);
}

// It would be removed at once, since only the newest are kept.
void expect_no_later(const Directory& folder, std::int64_t update) {
  const std::vector<SavedCheckpoint> saved = checkpoints_in(folder);
  if (saved.empty() || saved.back().update <= update) return;
  throw std::runtime_error("cannot save update " + std::to_string(update) +
                           ": there is a later checkpoint, " + saved.back().path.string() +
                           "; remove it, or save to another folder");
}

// Renames before removing, so that a directory with the name of a checkpoint is always complete.
void remove_old(const Directory& folder) {
  const std::vector<SavedCheckpoint> saved = checkpoints_in(folder);
  for (std::size_t i = 0; i + kNumKept < saved.size(); ++i) {
    const std::string name = saved[i].path.filename();
    folder.rename(name, temporary_name(name));
    folder.sync();
  }
  remove_leftovers_in(folder);
}

// ---- loading ------------------------------------------------------------------------------------

// The checkpoint to load, and the remedy if it is damaged.
struct Source {
  SavedCheckpoint saved;
  std::string hint;

  [[noreturn]] void fail(const fs::path& file, const std::string& what) const {
    throw std::runtime_error((saved.path / file).string() + " " + what + "; " + hint);
  }
  std::vector<std::byte> read(const fs::path& file, std::uint64_t max_size) const {
    if (!fs::exists(saved.path / file)) fail(file, "is missing");
    return read_file(saved.path / file, max_size);
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
  const std::vector<std::byte> bytes = source.read(kManifest, kMaxManifestSize);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const nlohmann::json manifest = parse_json(text);
  const auto format = manifest.is_object() ? manifest.find("format") : manifest.end();
  // Before the checksum, which another format may not have.
  if (format != manifest.end() && format->is_number_integer() && *format != kFormat) {
    throw std::runtime_error((source.saved.path / kManifest).string() + " is of format " +
                             format->dump() + ", but this program reads format " +
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
  std::vector<std::byte> bytes = source.read(file, kMaxPartSize);
  if (bytes.size() != digest.at("size")) {
    source.fail(file, "is damaged (it has " + std::to_string(bytes.size()) + " bytes, not " +
                          digest.at("size").dump() + ")");
  }
  if (digest != file_digest(bytes)) source.fail(file, "is damaged (its checksum differs)");
  return bytes;
}

}  // namespace

void save_checkpoint(const fs::path& folder, const Checkpoint& checkpoint) {
  check_before_saving(checkpoint);
  make_directories(folder);
  const Directory checkpoints = open_to_write(folder);
  expect_no_later(checkpoints, checkpoint.update);
  remove_leftovers_in(checkpoints);
  const std::string name = directory_name(checkpoint.update);
  const std::string temporary = temporary_name(name);
  try {
    write_files(checkpoints.make_directory(temporary), checkpoint);
    put_in_place(checkpoints, temporary, name);
  } catch (...) {
    try {
      checkpoints.remove(temporary);
    } catch (const std::runtime_error&) {
      // The first error is the one to report.
    }
    throw;
  }
  remove_old(checkpoints);
}

void remove_leftovers(const fs::path& folder) {
  if (fs::exists(folder)) remove_leftovers_in(open_to_write(folder));
}

Checkpoint load_checkpoint(const fs::path& folder) {
  const Source source = newest(folder);
  try {
    const nlohmann::json manifest = read_manifest(source);
    const std::optional<std::int64_t> update = whole_number<std::int64_t>(manifest.at("update"));
    if (!update) source.fail(kManifest, "is damaged (update is not a whole number in range)");
    Checkpoint checkpoint{.update = *update,
                          .facts = manifest.at("facts"),
                          .states = {},
                          .tensors = read_verified(source, kTensors, manifest.at("tensors")),
                          .log_seals = {}};
    if (manifest.contains("log_seals")) {
      checkpoint.log_seals = read_verified(source, kLogSeals, manifest["log_seals"]);
    }
    for (const auto& [name, digest] : manifest.at("states").items()) {
      checkpoint.states[name] = read_verified(source, fs::path(kStates) / state_file(name), digest);
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
  if (!fs::exists(folder)) return {};
  return checkpoints_in(Directory(folder, "read"));
}

}  // namespace plr::run
