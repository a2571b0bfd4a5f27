#include "plr/report/level_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <span>

#include "plr/base/bytes.h"
#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"
#include "plr/core/level_store.h"
#include "plr/image/gif.h"
#include "plr/image/png.h"
#include "plr/image/sheet.h"
#include "plr/report/curves.h"
#include "plr/report/number_format.h"

namespace plr::report {
namespace {

constexpr int kTileSize = 12;  // pixels
constexpr std::size_t kMaxFrames = 100;
constexpr std::size_t kFrameLevels = 8;  // of an animation
constexpr int kFrameColumns = 4;

// Draws levels of a run's environment, with the options that the run had. A level that is data is
// added to its store.
class LevelDrawer {
 public:
  explicit LevelDrawer(const RunData& run) {
    EnvOptions options;
    for (const auto& [name, value] : run.settings) set_field(options, name, value);
    options.num_slots = 1;
    options.num_workers = 1;
    options.store = store_;
    env_ = catalog::make_env(run.env(), options);
  }

  // Level is LevelRow or LeadingLevel.
  template <class Level>
  image::Image draw(const Level& level) {
    if (level.data) store_->add(from_hex(*level.data).value());
    return catalog::render_level(*env_, level.level, {.tile_size = kTileSize});
  }
  template <class Level>
  LevelPicture picture(const Level& level) {
    return {.png = image::png_bytes(draw(level)), .caption = caption(level)};
  }
  template <class Level>
  static std::string caption(const Level& level) {
    const std::string name = level.data ? "edited" : fmt::format("level {}", level.level);
    return fmt::format("{}, {:.3g} %, score {:.3g}", name, 100 * level.probability, level.score);
  }

 private:
  std::shared_ptr<LevelStore> store_ = std::make_shared<LevelStore>();
  std::unique_ptr<VectorEnv> env_;
};

// At most `count` records that have levels, evenly.
std::vector<const LevelsRecord*> records_of(const RunData& run, std::size_t count) {
  std::vector<const LevelsRecord*> all;
  for (const LevelsRecord& record : run.curriculum) {
    if (!record.leading.empty()) all.push_back(&record);
  }
  return subsampled(all, count);
}

// The first `count` levels of a record.
std::span<const run::LeadingLevel> leading(const LevelsRecord& record, std::size_t count) {
  return std::span(record.leading).first(std::min(count, record.leading.size()));
}

}  // namespace

LevelPictures level_pictures(const RunData& run, std::size_t count) {
  LevelPictures pictures;
  const std::span<const LevelRow> levels(run.levels);
  count = std::min(count, levels.size() / 2);
  if (count == 0 || levels.front().probability == levels.back().probability) return pictures;
  try {
    LevelDrawer drawer(run);
    for (const LevelRow& level : levels.first(count)) {
      pictures.most.push_back(drawer.picture(level));
    }
    for (const LevelRow& level : levels.last(count)) {
      pictures.least.push_back(drawer.picture(level));
    }
  } catch (const std::exception&) {
    return {};  // a report without pictures is complete
  }
  const bool has_png = !pictures.most.front().png.empty();
  return has_png ? pictures : LevelPictures{};
}

std::vector<LevelsAtTime> level_history(const RunData& run, std::size_t num_times,
                                        std::size_t count) {
  std::vector<LevelsAtTime> history;
  try {
    LevelDrawer drawer(run);
    for (const LevelsRecord* record : records_of(run, num_times)) {
      LevelsAtTime& time = history.emplace_back();
      time.steps = record->steps;
      for (const run::LeadingLevel& level : leading(*record, count)) {
        time.pictures.push_back(drawer.picture(level));
        if (time.pictures.back().png.empty()) return {};
      }
    }
  } catch (const std::exception&) {
    return {};
  }
  return history;
}

bool write_level_animation(const RunData& run, const std::filesystem::path& file) {
  std::vector<image::Image> frames;
  try {
    LevelDrawer drawer(run);
    for (const LevelsRecord* record : records_of(run, kMaxFrames)) {
      if (record->leading.size() < kFrameLevels) continue;  // frames have the same size
      std::vector<image::Captioned> levels;
      for (const run::LeadingLevel& level : leading(*record, kFrameLevels)) {
        levels.push_back({drawer.draw(level), fmt::format("{:.2g} %", 100 * level.probability)});
      }
      const std::string title = fmt::format("most probable levels after {} steps",
                                            short_number(static_cast<double>(record->steps)));
      frames.push_back(image::sheet(levels, {.title = title, .num_columns = kFrameColumns}));
    }
  } catch (const std::exception&) {
    return false;  // like a page without pictures
  }
  if (frames.empty()) return false;
  image::write_gif(file, frames, {.milliseconds = 400, .last_milliseconds = 2000});
  return true;
}

}  // namespace plr::report
