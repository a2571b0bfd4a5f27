#include "plr/core/level_store.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace plr {
namespace {

constexpr std::string_view kName = "level store";
constexpr std::uint32_t kVersion = 1;

[[noreturn]] void throw_unknown(LevelId id) {
  throw std::out_of_range("level " + std::to_string(id) + " is not in the level store");
}

// After the last id comes the first of the stored ones.
LevelId next_id(LevelId id) { return kFirstStoredLevel | (id + 1); }

}  // namespace

bool LevelStore::holds(LevelId id, std::span<const std::byte> bytes) const {
  const auto found = levels_.find(id);
  return found != levels_.end() && std::ranges::equal(found->second, bytes);
}

LevelId LevelStore::add(std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxLevelBytes) {
    throw std::invalid_argument("a level must have at most " + std::to_string(kMaxLevelBytes) +
                                " bytes, not " + std::to_string(bytes.size()));
  }
  const LevelId home = home_of(bytes);
  const std::lock_guard lock(mutex_);
  if (holds(home, bytes)) return home;
  for (const LevelId id : displaced_) {
    if (holds(id, bytes)) return id;
  }
  LevelId id = home;
  while (levels_.contains(id)) id = next_id(id);
  levels_.emplace(id, std::vector<std::byte>(bytes.begin(), bytes.end()));
  if (id != home) displaced_.push_back(id);
  return id;
}

bool LevelStore::contains(LevelId id) const {
  const std::lock_guard lock(mutex_);
  return levels_.contains(id);
}

std::vector<std::byte> LevelStore::bytes(LevelId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = levels_.find(id);
  if (found == levels_.end()) throw_unknown(id);
  return found->second;
}

std::size_t LevelStore::size() const {
  const std::lock_guard lock(mutex_);
  return levels_.size();
}

std::vector<LevelId> LevelStore::ids() const {
  const std::lock_guard lock(mutex_);
  return sorted_ids();
}

std::vector<LevelId> LevelStore::sorted_ids() const {
  std::vector<LevelId> ids;
  ids.reserve(levels_.size());
  for (const auto& [id, bytes] : levels_) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<LevelId> LevelStore::displaced_among(const Levels& levels) const {
  std::vector<LevelId> displaced;
  for (const auto& [id, bytes] : levels) {
    if (home_of(bytes) != id) displaced.push_back(id);
  }
  return displaced;
}

void LevelStore::keep(std::span<const LevelId> ids) {
  const std::lock_guard lock(mutex_);
  for (const LevelId id : ids) {
    if (is_stored(id) && !levels_.contains(id)) throw_unknown(id);
  }
  Levels kept;
  for (const LevelId id : ids) {
    if (auto level = levels_.extract(id)) kept.insert(std::move(level));
  }
  levels_ = std::move(kept);
  displaced_ = displaced_among(levels_);
}

std::vector<std::byte> LevelStore::save() const {
  const std::lock_guard lock(mutex_);
  ByteWriter writer;
  writer.number<std::uint64_t>(levels_.size());
  for (const LevelId id : sorted_ids()) {
    writer.number(id);
    writer.numbers<std::byte>(levels_.at(id));
  }
  return writer.seal(kName, kVersion);
}

void LevelStore::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kName, kVersion);
  Levels loaded;
  LevelId last = 0;
  const auto count = reader.number<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto id = reader.number<LevelId>();
    reader.require(is_stored(id) && id > last, "its ids are invalid");
    loaded.emplace(id, reader.numbers<std::byte>(kMaxLevelBytes));
    last = id;
  }
  reader.expect_end();
  std::vector<LevelId> displaced = displaced_among(loaded);
  const std::lock_guard lock(mutex_);
  levels_ = std::move(loaded);
  displaced_ = std::move(displaced);
}

}  // namespace plr
