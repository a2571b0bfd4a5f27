#include "plr/maze/maze_env.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "plr/maze/level_bytes.h"
#include "plr/maze/solver.h"

namespace plr::maze {
namespace {

// A number that the sizes of corridors divide, so that their goals are equally likely.
constexpr std::uint64_t kNumStreamLevels = 1'000'000'000'000;

// Slots that are worth a worker: their steps take about 0.7 ms.  With fewer, waiting for workers
// costs more than they save: 1,024 slots with native kernels make 2.3 M steps/s with one worker and
// 0.6 M with two (docs/performance.md).
constexpr int kSlotsPerWorker = 4096;

EnvSpec make_spec(const Task& task, const EnvOptions& options) {
  check_fields(options);
  const int side = options.maze.view_size;
  if (side % 2 == 0) {
    throw std::invalid_argument("view_size must be odd, not " + std::to_string(side));
  }
  if (options.seeding != LevelSeeding::kDefault) {
    throw std::invalid_argument("seeding: " + env_name(task) + " offers default only, not " +
                                plr::to_text(options.seeding));
  }
  EnvSpec spec;
  spec.name = env_name(task);
  spec.num_slots = options.num_slots;
  spec.observation_shape = {side, side, kCellBytes};
  spec.num_directions = 4;
  if (options.observation == Observation::kFull) {
    spec.observation_shape = {task.size.width, task.size.height, 3};
    spec.num_directions = 0;
  }
  spec.actions = ActionSpace::discrete(kNumActions);
  spec.max_steps = max_steps_of(task, options.maze);
  spec.last_level = kFirstStoredLevel - 1;
  spec.num_fixed_levels = task.levels.size();
  spec.full_distribution = LevelSet::stream(0, kNumStreamLevels);
  spec.num_difficulties = kNumDifficulties;
  return spec;
}

}  // namespace

std::string env_name(const Task& task) { return "maze/" + task.name; }

int max_steps_of(const Task& task, const MazeOptions& options) {
  if (options.max_steps > 0) return options.max_steps;
  return options.step_limit == StepLimit::kArea ? area_steps(task.size) : task.max_steps;
}

int difficulty_class(std::optional<int> num_actions) {
  if (!num_actions) return kNumDifficulties - 1;
  constexpr std::array<int, 4> kLongest = {8, 16, 32, 64};
  const auto* found = std::ranges::lower_bound(kLongest, *num_actions);
  return static_cast<int>(found - kLongest.begin());
}

MazeEnv::MazeEnv(const Task& task, const EnvOptions& options)
    : VectorEnv(
          make_spec(task, options),
          num_workers_for(options.num_workers, std::max(1, options.num_slots / kSlotsPerWorker))),
      task_(task),
      rules_{.max_steps = spec().max_steps, .penalize_time = options.maze.penalize_time},
      view_{.side = options.maze.view_size, .see_agent = options.maze.see_agent},
      is_full_(options.observation == Observation::kFull),
      observation_size_(spec().observation_size()),
      store_(options.store),
      levels_(static_cast<std::size_t>(options.num_slots)),
      states_(levels_.size()) {}

Level MazeEnv::level_of(LevelId level) const { return find_level(task_, store_.get(), level); }

bool MazeEnv::stores(LevelId level) const {
  if (store_ == nullptr || !store_->contains(level)) return false;
  try {
    const Level found = level_of(level);
    return !is_full_ || (found.width() <= task_.size.width && found.height() <= task_.size.height);
  } catch (const std::runtime_error&) {
    return false;  // the level of another family
  }
}

void MazeEnv::start_level(int slot, LevelId level, const StepBatch& out) {
  const auto i = static_cast<std::size_t>(slot);
  // Generating a level takes as long as some 30 steps. The data of a stored level may have changed.
  if (is_stored(level) || this->level(slot) != level) levels_[i] = level_of(level);
  states_[i] = start_of(levels_[i]);
  observe(i, out);
}

void MazeEnv::step_slots(SlotRange slots, std::span<const plr::Action> actions,
                         const StepBatch& out) {
  const auto first = static_cast<std::size_t>(slots.begin);
  for (std::size_t k = 0; k < actions.size(); ++k) {
    const std::size_t i = first + k;
    const StepResult result =
        maze::step(levels_[i], rules_, states_[i], static_cast<Action>(actions[k]));
    out.rewards[i] = static_cast<double>(result.reward);
    out.terminated[i] = result.reached_goal ? 1 : 0;
    out.truncated[i] = result.out_of_time ? 1 : 0;
    observe(i, out);
  }
}

void MazeEnv::observe(std::size_t slot, const StepBatch& out) const {
  const auto image = out.observations.subspan(slot * observation_size_, observation_size_);
  if (is_full_) {
    observe_full(levels_[slot], states_[slot], task_.size.width, task_.size.height, image);
  } else {
    observe_view(levels_[slot], states_[slot], view_, image);
  }
}

std::optional<int> MazeEnv::difficulty_of(LevelId level) const {
  return difficulty_class(Solver().num_actions(level_of(level)));
}

std::string MazeEnv::level_name_of(LevelId level) const {
  return is_stored(level) ? "" : maze::level_name(task_, level);
}

void MazeEnv::save_episode(int slot, ByteWriter& out) const {
  const Level& level = level_in(slot);
  const State& state = state_in(slot);
  out.number(checksum(to_bytes(level)));
  out.number<std::int32_t>(rules_.max_steps);
  out.number<std::int32_t>(level.index(state.agent));
  out.number(static_cast<std::uint8_t>(state.direction));
  out.number(state.time);
}

void MazeEnv::load_episode(int slot, LevelId id, bool has_ended, ByteReader& in) {
  const Level level = level_of(id);
  in.require(in.number<std::uint64_t>() == checksum(to_bytes(level)),
             "its level is not the one that was saved");
  in.require(in.number<std::int32_t>() == rules_.max_steps,
             "it was saved under another step limit");
  const auto cell = in.number<std::int32_t>();
  const auto direction = in.number<std::uint8_t>();
  State state;
  state.time = in.number<std::int32_t>();
  in.expect_end();

  in.require(cell >= 0 && cell < level.num_cells() && direction < 4, "the agent is outside");
  state.agent = level.cell(cell);
  state.direction = static_cast<Direction>(direction);
  in.require(!level.walls.at(state.agent) && state.agent != level.goal,
             "the agent is not on a floor cell");
  in.require(state.time >= 0 && state.time <= rules_.max_steps, "its time is invalid");
  const bool may_have_ended = state.time == rules_.max_steps || state.front() == level.goal;
  const bool may_run = state.time < rules_.max_steps;
  in.require(has_ended ? may_have_ended : may_run, "its state does not match its end");

  const auto i = static_cast<std::size_t>(slot);
  levels_[i] = level;
  states_[i] = state;
}

}  // namespace plr::maze
