// Checkpoints: everything that decides the rest of a run, so that it continues bitwise identically.
//
// A checkpoint is a directory:
//
//   FOLDER/update-00000012/checkpoint.json       facts; size and checksum of each file and itself
//                          tensors.safetensors
//                          states/NAME.bin
//                          logs.seal                   checksums of the logs (run/log_seal.h)
//
// It is written under a temporary name, synced and renamed, so a kill at any instant leaves the
// newest complete one loadable. The newest two are kept. Leftovers of a killed save are ignored by
// load and removed by the next save or by remove_leftovers(). Writers refuse a folder that is a
// symbolic link.
//
//   save_checkpoint("runs/a/checkpoint", {.update = 12, .facts = {{"steps", 98304}}, ...});
//   const Checkpoint checkpoint = load_checkpoint("runs/a/checkpoint");
//
// REQUIRES: at most one process or thread saves to a folder at a time. Loading is thread-safe.
// Checkpoint and SavedCheckpoint are copyable values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace plr::run {

struct Checkpoint {
  std::int64_t update = 0;  // updates done so far
  nlohmann::json facts;     // small values that are readable in checkpoint.json: steps, sizes of
                            // logs, ...; NaN and infinities are read back as null
  std::map<std::string, std::vector<std::byte>> states;  // by name: sealed bytes (base/bytes.h)
  std::vector<std::byte> tensors;                        // a safetensors file
  std::vector<std::byte> log_seals = {};  // of the logs beside it; empty: none, no file is written
};

struct SavedCheckpoint {
  std::int64_t update = 0;
  std::filesystem::path path;
};

// Creates the folder if it is missing. A checkpoint of the same update is replaced. Throws
// std::runtime_error with path and cause, with the existing checkpoints unchanged, if it cannot be
// written or if there is one of a later update; std::invalid_argument if the update is negative or
// the name of a state has other characters than a-z, 0-9, "_" and "-".
void save_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

// Removes leftovers of a killed save.
void remove_leftovers(const std::filesystem::path& folder);

// Loads the newest checkpoint. Throws std::runtime_error with path, cause and remedy if there is
// none, if it has another version or if anything in it is missing or damaged.
Checkpoint load_checkpoint(const std::filesystem::path& folder);

// Loads only the facts of the newest checkpoint and ignores the rest. Throws like load_checkpoint.
nlohmann::json load_checkpoint_facts(const std::filesystem::path& folder);

// Oldest first; empty if there is no such folder.
std::vector<SavedCheckpoint> list_checkpoints(const std::filesystem::path& folder);

}  // namespace plr::run
