#include "plr/viewer/level_gallery.h"

#include <fmt/format.h>

#include <algorithm>

#include "plr/catalog/render.h"

namespace plr::viewer {
namespace {

constexpr int kColumnGap = 2;

}  // namespace

LevelGallery::LevelGallery(std::unique_ptr<VectorEnv> env, const FrameOptions& options,
                           std::span<const LevelId> levels)
    : env_(std::move(env)) {
  StepBuffers buffers(env_->spec());
  const auto observation = buffers.batch().observations;
  for (const LevelId seed : levels) {
    const Start start = {0, seed};
    env_->start({&start, 1}, buffers.batch());
    levels_.push_back({.seed = seed,
                       .name = env_->level_name(seed),
                       .difficulty = env_->difficulty(seed),
                       .mission = std::string(env_->mission(0)),
                       .text = catalog::render_text(*env_, 0, options.observation),
                       .picture = catalog::render_frame(*env_, 0, observation, options)});
  }
}

bool LevelGallery::has_one_mission() const {
  return std::ranges::all_of(
      levels_, [&](const DrawnLevel& level) { return level.mission == levels_[0].mission; });
}

std::string LevelGallery::title() const {
  const std::string name(env_->spec().name);
  const std::string& mission = levels_[0].mission;
  return has_one_mission() && !mission.empty() ? fmt::format("{}: {}", name, mission) : name;
}

std::string LevelGallery::label(const DrawnLevel& level) {
  return level.name.empty() ? fmt::format("seed {}", level.seed) : level.name;
}

std::string LevelGallery::caption(const DrawnLevel& level) const {
  std::string text = label(level);
  if (level.difficulty) {
    text += fmt::format(", {} of {}", *level.difficulty + 1, env_->spec().num_difficulties);
  }
  return text;
}

std::string LevelGallery::legend(terminal::Colors colors) const {
  return legend_text(catalog::text_legend(*env_), colors);
}

TextArt LevelGallery::level_art(const DrawnLevel& level, terminal::Colors colors) {
  return level.text ? text_art(*level.text, colors) : text_art(level.picture, colors);
}

std::string LevelGallery::row(std::span<const DrawnLevel> levels, int column_width,
                              terminal::Colors colors) const {
  std::string captions;
  std::vector<std::string> lines;
  int begin = 0;  // the column at which the level begins
  for (const DrawnLevel& level : levels) {
    captions += fmt::format("{:<{}}", caption(level), column_width);
    const TextArt shown = level_art(level, colors);
    // Levels of a row may have different heights.
    lines.resize(std::max(lines.size(), shown.lines.size()),
                 std::string(static_cast<std::size_t>(begin), ' '));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool is_shown = i < shown.lines.size();
      if (is_shown) lines[i] += shown.lines[i];
      const int width = is_shown ? shown.width : 0;
      lines[i].append(static_cast<std::size_t>(column_width - width), ' ');
    }
    begin += column_width;
  }
  std::string text = fmt::format("\n{}\n", trimmed(captions));
  for (const std::string& line : lines) text += trimmed(line) + "\n";
  if (has_one_mission()) return text;
  for (const DrawnLevel& level : levels) {
    text += fmt::format("{}: {}\n", label(level), level.mission);
  }
  return text;
}

std::string LevelGallery::text(terminal::Colors colors, int width) const {
  int column_width = 0;
  for (const DrawnLevel& level : levels_) {
    column_width = std::max(
        {column_width, level_art(level, colors).width, static_cast<int>(caption(level).size())});
  }
  column_width += kColumnGap;
  const auto per_row = static_cast<std::size_t>(std::max(1, width / column_width));
  std::string text;
  const std::span<const DrawnLevel> levels = levels_;
  for (std::size_t i = 0; i < levels.size(); i += per_row) {
    text += row(levels.subspan(i, std::min(per_row, levels.size() - i)), column_width, colors);
  }
  return text;
}

std::vector<image::Captioned> LevelGallery::pictures() const {
  const bool with_missions = !has_one_mission();
  std::vector<image::Captioned> all;
  for (const DrawnLevel& level : levels_) {
    std::string text = caption(level);
    if (with_missions) text += ": " + level.mission;
    all.push_back({level.picture, text});
  }
  return all;
}

}  // namespace plr::viewer
