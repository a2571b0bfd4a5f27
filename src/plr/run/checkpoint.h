// How does a run go on exactly where it was, whatever happened to the process?
//
// A checkpoint holds everything that decides the rest of a run, in a directory of its own:
//
//   FOLDER/update-00000012/checkpoint.json       facts; size and checksum of every file, itself too
//                          tensors.safetensors
//                          states/NAME.bin
//
// It is written under another name, brought to the disk and renamed, so a kill at any instant
// leaves the newest complete one loadable.  The newest two are kept; what a killed save left behind
// is passed over by load and removed by the next save, or by remove_leftovers().
//
//   save_checkpoint("runs/a/checkpoint", {.update = 12, .facts = {{"steps", 98304}}, ...});
//   const Checkpoint checkpoint = load_checkpoint("runs/a/checkpoint");
//
// One folder belongs to one run; it must not be saved to by two at a time.
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
  std::int64_t update = 0;  // how many have been made
  nlohmann::json facts;     // small things that people may want to read: steps, sizes of logs, ...;
                            // NaN and infinities would come back as null
  std::map<std::string, std::vector<std::byte>> states;  // by name: sealed bytes (base/bytes.h)
  std::vector<std::byte> tensors;                        // a safetensors file
};

struct SavedCheckpoint {
  std::int64_t update = 0;
  std::filesystem::path path;
};

// Makes the folder where it is missing.  A checkpoint of the same update is replaced.  Throws
// std::runtime_error with path and cause, the checkpoints that were there being as they were, if it
// cannot be written or if one of a later update is there; std::invalid_argument if the update is
// negative or the name of a state is not made of a-z, 0-9, "_" and "-".
void save_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

// Removes what a killed save left behind.
void remove_leftovers(const std::filesystem::path& folder);

// The newest.  Throws std::runtime_error with path, cause and what to do if there is none, if it is
// of another version or if anything in it is missing or damaged.
Checkpoint load_checkpoint(const std::filesystem::path& folder);

// The newest one's facts alone, without looking at the rest.  Throws as load_checkpoint does.
nlohmann::json load_checkpoint_facts(const std::filesystem::path& folder);

// Oldest first; none if there is no such folder.
std::vector<SavedCheckpoint> list_checkpoints(const std::filesystem::path& folder);

}  // namespace plr::run
