#include "plr/minigrid/minigrid_env.h"

#include <algorithm>
#include <limits>
#include <string>

#include "plr/minigrid/observe.h"
#include "plr/minigrid/step.h"

namespace plr::minigrid {
namespace {

// The paper's authors draw the seeds of the full distribution from [1, 1e12).
constexpr std::uint64_t kNumStreamLevels = 999'999'999'999;

// Slots that are worth a worker: their steps take about 15 us.
constexpr int kSlotsPerWorker = 128;

Task seeded(const Task& task, LevelSeeding seeding) {
  switch (seeding) {
    case LevelSeeding::kDefault:
      return task;
    case LevelSeeding::kLegacy:
      return with_seeding(task, Seeding::kLegacy);
    case LevelSeeding::kPcg64:
      return with_seeding(task, Seeding::kPcg64);
  }
  return task;
}

EnvSpec make_spec(const Task& task, const EnvOptions& options) {
  check_fields(options);
  refuse_maze_options(env_name(task), options);
  EnvSpec spec;
  spec.name = env_name(task);
  spec.num_slots = options.num_slots;
  spec.observation_shape = {task.width, task.height, 3};
  if (options.observation == Observation::kView) spec.observation_shape = {kViewSide, kViewSide, 3};
  spec.actions = ActionSpace::discrete(task.num_actions);
  spec.max_steps = task.max_steps;
  spec.last_level = std::numeric_limits<LevelId>::max();
  spec.full_distribution = LevelSet::stream(1, kNumStreamLevels);
  spec.num_difficulties = task.num_difficulties;
  return spec;
}

}  // namespace

std::string env_name(const Task& task) { return "minigrid/" + task.name; }

MiniGridEnv::MiniGridEnv(const Task& task, const EnvOptions& options)
    : VectorEnv(
          make_spec(task, options),
          num_workers_for(options.num_workers, std::max(1, options.num_slots / kSlotsPerWorker))),
      task_(seeded(task, options.seeding)),
      observation_(options.observation),
      observation_size_(spec().observation_size()),
      level_cache_(task_),
      levels_(static_cast<std::size_t>(options.num_slots)),
      states_(levels_.size()),
      actions_(levels_.size() * static_cast<std::size_t>(task.max_steps)) {}

void MiniGridEnv::start_level(int slot, LevelId level, const StepBatch& out) {
  const auto i = static_cast<std::size_t>(slot);
  level_cache_.get(level, levels_[i]);
  states_[i] = levels_[i].start;
  observe(i, out);
}

void MiniGridEnv::step_slots(SlotRange slots, std::span<const plr::Action> actions,
                             const StepBatch& out) {
  const auto first = static_cast<std::size_t>(slots.begin);
  for (std::size_t k = 0; k < actions.size(); ++k) {
    const std::size_t i = first + k;
    State& state = states_[i];
    const auto action = static_cast<std::uint8_t>(actions[k]);
    const auto max_steps = static_cast<std::size_t>(task_.max_steps);
    actions_[i * max_steps + static_cast<std::size_t>(state.step_count)] = action;
    const StepResult result = minigrid::step(levels_[i], state, static_cast<Action>(action));
    out.rewards[i] = result.reward;
    out.terminated[i] = result.terminated ? 1 : 0;
    out.truncated[i] = result.truncated ? 1 : 0;
    observe(i, out);
  }
}

void MiniGridEnv::observe(std::size_t slot, const StepBatch& out) const {
  const auto image = out.observations.subspan(slot * observation_size_, observation_size_);
  if (observation_ == Observation::kView) {
    observe_view(levels_[slot], states_[slot], image);
  } else {
    observe_full(states_[slot], image);
  }
}

std::optional<int> MiniGridEnv::difficulty_of(LevelId level) const {
  if (task_.num_difficulties == 0) return std::nullopt;
  return make_level(task_, level).difficulty;
}

void MiniGridEnv::save_episode(int slot, ByteWriter& out) const {
  const auto i = static_cast<std::size_t>(slot);
  const auto max_steps = static_cast<std::size_t>(task_.max_steps);
  const auto num_steps = static_cast<std::size_t>(states_[i].step_count);
  out.number(static_cast<std::uint8_t>(task_.seeding));
  out.numbers(std::span(actions_).subspan(i * max_steps, num_steps));
}

void MiniGridEnv::load_episode(int slot, LevelId level, bool has_ended, ByteReader& in) {
  in.require(in.number<std::uint8_t>() == static_cast<std::uint8_t>(task_.seeding),
             "it was saved under another seeding");
  const auto max_steps = static_cast<std::size_t>(task_.max_steps);
  const auto actions = in.numbers<std::uint8_t>(max_steps);
  in.expect_end();

  const Level loaded = make_level(task_, level);
  State state = loaded.start;
  bool ended = false;
  for (const std::uint8_t action : actions) {
    in.require(action < task_.num_actions && !ended, "its actions are invalid");
    ended = minigrid::step(loaded, state, static_cast<Action>(action)).done();
  }
  in.require(ended == has_ended, "its actions do not match its end");

  const auto i = static_cast<std::size_t>(slot);
  levels_[i] = loaded;
  states_[i] = state;
  std::copy(actions.begin(), actions.end(),
            actions_.begin() + static_cast<std::ptrdiff_t>(i * max_steps));
}

}  // namespace plr::minigrid
