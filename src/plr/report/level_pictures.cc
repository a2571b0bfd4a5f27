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

std::unique_ptr<VectorEnv> env_of(const RunData& run) {
  EnvOptions options;
  for (const auto& [name, value] : run.settings) set_field(options, name, value);
  options.num_slots = 1;
  options.num_workers = 1;
  return catalog::make_env(run.env(), options);
}

LevelPicture picture_of(VectorEnv& env, const LevelRow& level) {
  StepBuffers buffers(env.spec());
  const StepBatch batch = buffers.batch();
  const Start start = {0, level.level};
  env.start({&start, 1}, batch);
  return {
      .png = image::png_bytes(catalog::render_frame(env, 0, batch.observations, {.tile_size = 12})),
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
    const std::unique_ptr<VectorEnv> env = env_of(run);
    for (const LevelRow& level : levels.first(count)) {
      pictures.most.push_back(picture_of(*env, level));
    }
    for (const LevelRow& level : levels.last(count)) {
      pictures.least.push_back(picture_of(*env, level));
    }
  } catch (const std::exception&) {
    return {};  // pictures are no part of the results
  }
  const bool has_png = !pictures.most.front().png.empty();
  return has_png ? pictures : LevelPictures{};
}

}  // namespace plr::report
