#include "plr/report/level_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <span>

#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"
#include "plr/image/png.h"

namespace plr::report {
namespace {

constexpr int kTileSize = 12;  // pixels

// One slot of the environment with the options that the run had.
std::unique_ptr<VectorEnv> make_run_env(const RunData& run) {
  EnvOptions options;
  for (const auto& [name, value] : run.settings) set_field(options, name, value);
  options.num_slots = 1;
  options.num_workers = 1;
  return catalog::make_env(run.env(), options);
}

LevelPicture draw_level(VectorEnv& env, const LevelRow& level) {
  StepBuffers buffers(env.spec());
  const StepBatch batch = buffers.batch();
  const Start start = {0, level.level};
  env.start({&start, 1}, batch);
  return {.png = image::png_bytes(
              catalog::render_frame(env, 0, batch.observations, {.tile_size = kTileSize})),
          .caption = fmt::format("level {}, {:.3g} %, score {:.3g}", level.level,
                                 100 * level.probability, level.score)};
}

}  // namespace

LevelPictures level_pictures(const RunData& run, std::size_t count) {
  LevelPictures pictures;
  const std::span<const LevelRow> levels(run.levels);
  count = std::min(count, levels.size() / 2);
  if (count == 0 || levels.front().probability == levels.back().probability) return pictures;
  try {
    const std::unique_ptr<VectorEnv> env = make_run_env(run);
    for (const LevelRow& level : levels.first(count)) {
      pictures.most.push_back(draw_level(*env, level));
    }
    for (const LevelRow& level : levels.last(count)) {
      pictures.least.push_back(draw_level(*env, level));
    }
  } catch (const std::exception&) {
    return {};  // a report without pictures is complete
  }
  const bool has_png = !pictures.most.front().png.empty();
  return has_png ? pictures : LevelPictures{};
}

}  // namespace plr::report
