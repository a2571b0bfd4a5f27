#include "plr/train/training_levels.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>

#include "plr/base/files.h"
#include "plr/base/ranges.h"

namespace plr::train {
namespace {

LevelSet levels_in_file(const std::string& path) {
  if (!std::filesystem::exists(path) || std::filesystem::is_directory(path)) {
    throw std::invalid_argument(
        "levels must be a number, a range such as 100-299, full, or a file of ids; "
        "there is no file " +
        path);
  }
  std::istringstream file(read_text(path));
  std::vector<LevelId> ids;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();  // Windows line ends
    if (line.empty()) continue;
    const auto id = parse_whole_number(line);
    if (!id) {
      throw std::invalid_argument("levels: line " + std::to_string(number) + " of " + path +
                                  " must be a level id, not " + line);
    }
    ids.push_back(*id);
  }
  return LevelSet::list(std::move(ids));
}

// Levels that the text itself describes.
std::optional<LevelSet> levels_in_text(const std::string& text) {
  if (const auto count = parse_whole_number(text)) return LevelSet::range(0, *count);
  const auto range = parse_range(text);
  if (!range) return std::nullopt;
  if (range->is_reversed()) {
    throw std::invalid_argument("levels: the range " + text + " ends before it begins");
  }
  const std::uint64_t length = range->last - range->first;
  if (length == std::numeric_limits<std::uint64_t>::max()) {
    throw std::invalid_argument("levels: the range " + text + " is too long");
  }
  return LevelSet::range(range->first, length + 1);
}

LevelId last_id(const LevelSet& levels) {
  const std::span<const LevelId> ids = levels.ids();
  return ids.empty() ? levels[levels.size() - 1] : *std::ranges::max_element(ids);
}

}  // namespace

std::string checked_levels(const std::string& text) {
  if (text == "full" || levels_in_text(text)) return text;
  levels_in_file(text);
  return std::filesystem::absolute(text).lexically_normal().string();
}

LevelSet training_levels(const std::string& text, const EnvSpec& env) {
  if (text == "full") return env.full_distribution;
  const std::optional<LevelSet> given = levels_in_text(text);
  LevelSet levels = given ? *given : levels_in_file(text);
  const LevelId last = last_id(levels);
  if (last > env.last_level) {
    throw std::invalid_argument("levels: " + env.name + " has levels up to " +
                                std::to_string(env.last_level) + ", not " + std::to_string(last));
  }
  return levels;
}

void check_test_levels(const EnvSpec& env, const LevelSet& training) {
  const LevelSet& all = env.full_distribution;
  if (training.is_stream() || training.size() < all.size()) return;
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    if (!training.contains(all[i])) return;
  }
  throw std::invalid_argument("levels: the training set has all " + std::to_string(all.size()) +
                              " levels of " + env.name +
                              ", and none is left for evaluations; name fewer levels, or another "
                              "environment by test_env");
}

std::vector<LevelId> test_levels(const EnvSpec& env, const LevelSet& training, std::size_t count,
                                 Random& random) {
  check_test_levels(env, training);
  const LevelSet& all = env.full_distribution;
  std::vector<LevelId> levels;
  while (levels.size() < count) {
    const LevelId level = all[random.below(all.size())];
    if (training.is_stream() || !training.contains(level)) levels.push_back(level);
  }
  return levels;
}

std::vector<LevelId> evaluation_levels(const EnvSpec& env, std::size_t count, Random& random) {
  if (env.num_fixed_levels == 0) return sample_levels(env.full_distribution, count, random);
  std::vector<LevelId> levels(count);
  for (std::size_t i = 0; i < count; ++i) levels[i] = i % env.num_fixed_levels;
  return levels;
}

std::vector<LevelId> sample_levels(const LevelSet& set, std::size_t count, Random& random) {
  std::vector<LevelId> levels(count);
  for (LevelId& level : levels) level = set[random.below(set.size())];
  return levels;
}

}  // namespace plr::train
