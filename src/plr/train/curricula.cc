#include "plr/train/curricula.h"

#include "plr/core/level_replay.h"
#include "plr/core/rollout_replay.h"
#include "plr/core/sfl.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"

namespace plr::train {
namespace {

std::unique_ptr<Curriculum> make_per_episode(const TrainConfig& config, const LevelSet& levels,
                                             const Random& random) {
  switch (config.task.curriculum) {
    case CurriculumKind::kUniform:
      return std::make_unique<Uniform>(levels, random, config.replay.start);
    case CurriculumKind::kTscl:
      return std::make_unique<Tscl>(levels, config.tscl, random, config.replay.start);
    default:
      return std::make_unique<LevelReplay>(levels, config.replay, random);
  }
}

std::unique_ptr<RolloutCurriculum> make_per_rollout(const TrainConfig& config,
                                                    const LevelSet& levels, const LevelTools& tools,
                                                    const Random& random) {
  if (config.task.curriculum == CurriculumKind::kSfl) {
    return std::make_unique<Sfl>(levels, config.sfl, random);
  }
  return std::make_unique<RolloutReplay>(levels, config.rollout_replay, tools, random);
}

}  // namespace

RunCurriculum make_curriculum(const TrainConfig& config, const LevelSet& levels,
                              const LevelTools& tools, const Random& random) {
  if (config.task.decide == Decide::kEpisode) {
    return {.per_episode = make_per_episode(config, levels, random)};
  }
  return {.per_rollout = make_per_rollout(config, levels, tools, random)};
}

}  // namespace plr::train
