// Makes the curriculum of a run.
//
//   const RunCurriculum curriculum =
//       make_curriculum(config, levels, tools, streams.named("levels"));
//
// Movable. Not thread-safe.
#pragma once

#include <memory>

#include "plr/base/random.h"
#include "plr/core/curriculum.h"
#include "plr/core/level.h"
#include "plr/core/rollout_curriculum.h"
#include "plr/train/config.h"

namespace plr::train {

// One of the two kinds; the other is null.
struct RunCurriculum {
  std::unique_ptr<Curriculum> per_episode = {};
  std::unique_ptr<RolloutCurriculum> per_rollout = {};

  CurriculumBase& any() const {
    return per_episode ? static_cast<CurriculumBase&>(*per_episode) : *per_rollout;
  }
};

// `tools` are those of the environment. Throws std::invalid_argument for settings that it cannot
// have.
RunCurriculum make_curriculum(const TrainConfig& config, const LevelSet& levels,
                              const LevelTools& tools, const Random& random);

}  // namespace plr::train
