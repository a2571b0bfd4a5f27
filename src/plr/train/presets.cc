// The presets of config.h.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plr/train/config.h"

namespace plr::train {
namespace {

// The paper's settings for MiniGrid: table "hyper-parameters" of its appendix. `pool` is the choice
// that came closest to its returns (docs/algorithm.md, E4).
TrainConfig minigrid_paper(const std::string& env, const std::string& levels, std::int64_t channels,
                           bool pool, std::int64_t steps) {
  TrainConfig config;
  config.task.env = env;
  config.task.levels = levels;
  config.schedule.steps = steps;
  config.schedule.checkpoint_interval = 50;
  config.replay.staleness_coef = 0.3;
  config.ppo.epochs = 4;
  config.ppo.adam.learning_rate = 7e-4;
  config.network.grid_cnn.channels = channels;
  config.network.grid_cnn.pool = pool;
  return config;
}

// The same for Procgen. Episodes are long, so evaluations are rarer. Levels are scored and replayed
// as by the released code, which came closest to the paper's returns
// (experiments/procgen/README.md).
TrainConfig procgen_paper(const std::string& env, const std::string& levels, int num_slots,
                          std::int64_t steps) {
  TrainConfig config;
  config.task.env = env;
  config.task.levels = levels;
  config.env.num_slots = num_slots;
  config.schedule.steps = steps;
  config.schedule.eval_interval = 50;
  config.schedule.checkpoint_interval = 50;
  plr::set_algorithm(config.replay, Algorithm::kReleasedCode);
  plr::set_algorithm(config.scorer, Algorithm::kReleasedCode);
  config.replay.staleness_coef = 0.1;
  config.ppo.epochs = 3;
  config.ppo.adam.learning_rate = 5e-4;
  return config;
}

// ---- The maze.  docs/maze.md says where these settings differ from the libraries.

// Environment steps of this number of rollouts of 32 slots and 256 steps.
constexpr std::int64_t maze_steps(std::int64_t num_rollouts) { return num_rollouts * 32 * 256; }

// JaxUED's maze scripts with domain randomization: every episode a new level.
TrainConfig maze_domain_randomization() {
  TrainConfig config;
  config.task.env = "maze/random-25";
  config.task.test_env = "maze/JaxUED-8";
  config.task.levels = "full";
  config.task.curriculum = CurriculumKind::kUniform;
  config.env.num_slots = 32;
  config.schedule.steps = maze_steps(30'000);
  config.schedule.learning_rate_schedule = LearningRateSchedule::kLinear;
  config.schedule.eval_interval = 250;
  config.schedule.eval_episodes = 80;  // ten on each of the eight levels
  config.schedule.final_episodes = 800;
  config.schedule.checkpoint_interval = 250;
  config.schedule.levels_interval = 250;
  config.scorer.gamma = 0.995;
  config.scorer.gae_lambda = 0.98;
  config.rewards.normalize_rewards = false;
  config.ppo.epochs = 5;
  config.ppo.num_minibatches = 1;
  config.ppo.entropy_coef = 1e-3;
  config.ppo.minibatch_advantages = true;
  config.ppo.adam.learning_rate = 1e-4;
  config.ppo.adam.grad_norm_epsilon = 0;
  return config;
}

// JaxUED's maze scripts with a level buffer: PLR, robust PLR, and ACCEL if there are edits.
TrainConfig maze_replay(bool learn_on_new, int num_edits) {
  TrainConfig config = maze_domain_randomization();
  config.task.curriculum = CurriculumKind::kPlr;
  config.task.decide = Decide::kRollout;
  config.rollout_replay.learn_on_new = learn_on_new;
  config.rollout_replay.num_edits = num_edits;
  return config;
}

// minimax, whose runs have 30,000 gradient updates: as many rollouts as give that number on
// average.
TrainConfig maze_minimax(const std::string& env, double replay_probability, int num_edits) {
  TrainConfig config = maze_replay(false, num_edits);
  config.task.env = env;
  config.schedule.learning_rate_schedule = LearningRateSchedule::kConstant;
  config.scorer.gamma = 0.999;
  config.ppo.entropy_coef = 0;
  config.ppo.adam.learning_rate = 3e-4;
  config.rollout_replay.replay_probability = replay_probability;
  config.schedule.steps = maze_steps(num_edits > 0 ? 67'500 : 60'000);
  if (num_edits > 0) config.rollout_replay.buffer.staleness_coef = 0.5;
  return config;
}

// The ACCEL paper, whose runs have 20,000 gradient updates, likewise.
TrainConfig maze_dcd(const std::string& env, double replay_probability, int num_edits) {
  TrainConfig config = maze_replay(false, num_edits);
  config.task.env = env;
  config.env.maze.edits = MazeEdits::kTilesWithoutAgent;
  config.schedule.learning_rate_schedule = LearningRateSchedule::kConstant;
  config.schedule.steps = maze_steps(num_edits > 0 ? 45'000 : 40'000);
  config.scorer.gae_lambda = 0.95;
  config.ppo.entropy_coef = 0;
  config.ppo.minibatch_advantages = false;
  config.rollout_replay.score = RolloutScore::kPositiveValueLoss;
  config.rollout_replay.replay_probability = replay_probability;
  if (num_edits > 0) config.rollout_replay.num_parents = 4;
  return config;
}

// Sampling for learnability, by the settings of its paper.
TrainConfig maze_sfl() {
  TrainConfig config = maze_domain_randomization();
  config.task.env = "maze/random-60";
  config.task.curriculum = CurriculumKind::kSfl;
  config.task.decide = Decide::kRollout;
  config.env.num_slots = 256;
  config.schedule.steps = 300'000'000;
  config.schedule.eval_interval = 50;
  config.schedule.checkpoint_interval = 50;
  config.schedule.levels_interval = 100;
  config.scorer.gamma = 0.99;
  config.scorer.gae_lambda = 0.95;
  config.ppo.epochs = 4;
  config.ppo.num_minibatches = 4;
  config.ppo.clip = 0.04;
  config.ppo.entropy_coef = 0;
  config.ppo.adam.learning_rate = 2.5e-4;
  return config;
}

// ---- Classic control, by the settings of Stable-Baselines3's PPO. benchmarks/README.md compares
// both.

TrainConfig classic(const std::string& env, int num_slots, std::int64_t rollout_length,
                    std::int64_t num_rollouts) {
  TrainConfig config;
  config.task.env = env;
  config.task.levels = "200";
  config.env.num_slots = num_slots;
  config.schedule.rollout_length = rollout_length;
  config.schedule.steps = num_rollouts * steps_per_update(config);
  config.rewards.normalize_rewards = false;
  config.scorer.gamma = 0.99;
  config.ppo.epochs = 10;
  config.ppo.num_minibatches = static_cast<int>(steps_per_update(config) / 64);
  config.ppo.clip_value_loss = false;
  config.ppo.value_coef = 1;  // of half the squared error
  config.ppo.entropy_coef = 0;
  config.ppo.minibatch_advantages = true;
  config.ppo.adam.learning_rate = 3e-4;
  return config;
}

TrainConfig pendulum() {
  TrainConfig config = classic("classic/Pendulum", 4, 1024, 50);
  config.scorer.gamma = 0.9;
  config.ppo.adam.learning_rate = 1e-3;
  return config;
}

struct Preset {
  std::string name;
  std::string summary;
  TrainConfig config;
};

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    TrainConfig small =
        minigrid_paper("minigrid/MiniGrid-DoorKey-6x6-v0", "500", 32, false, 2'000'000);
    small.schedule.rollout_length = 128;
    small.schedule.learning_rate_schedule = LearningRateSchedule::kLinear;  // benchmarks/README.md
    small.schedule.eval_episodes = 256;
    list.push_back({"small", "a task that is learned in minutes on a CPU (the default)", small});
    list.push_back(
        {"minigrid-multiroom", "the paper's MultiRoom-N4-Random: 4,000 levels, 100M steps",
         minigrid_paper("minigrid/MultiRoom-N4-Random", "4000", 32, false, 100'000'000)});
    list.push_back(
        {"minigrid-omg-easy", "the paper's ObstructedMazeGamut-Easy: 3,000 levels, 120M steps",
         minigrid_paper("minigrid/ObstructedMazeGamut-Easy", "3000", 64, true, 120'000'000)});
    list.push_back(
        {"minigrid-omg-medium", "the paper's ObstructedMazeGamut-Medium: 6,000 levels, 250M steps",
         minigrid_paper("minigrid/ObstructedMazeGamut-Medium", "6000", 64, true, 250'000'000)});
    list.push_back({"procgen-easy",
                    "the paper's Procgen, easy: 200 levels, 25M steps; --env procgen/GAME",
                    procgen_paper("procgen/bigfish", "200", 64, 25'000'000)});
    list.push_back({"procgen-hard",
                    "the paper's Procgen, hard: 500 levels, 200M steps; --env procgen/GAME-hard",
                    procgen_paper("procgen/bigfish-hard", "500", 128, 200'000'000)});
    list.push_back({"maze-dr",
                    "JaxUED's maze with domain randomization, a recurrent network, 246M steps",
                    maze_domain_randomization()});
    list.push_back({"maze-plr", "the same with PLR that decides per rollout, MaxMC scores",
                    maze_replay(true, 0)});
    list.push_back({"maze-plr-perp", "the same with robust PLR: learns from replayed levels only",
                    maze_replay(false, 0)});
    list.push_back(
        {"maze-accel", "the same with ACCEL: edits replayed levels", maze_replay(false, 5)});
    list.push_back({"maze-plr-perp-minimax",
                    "robust PLR by minimax's settings, 60 walls, 492M steps",
                    maze_minimax("maze/random-60", 0.5, 0)});
    list.push_back({"maze-accel-minimax",
                    "ACCEL by minimax's settings, from empty mazes, 553M steps",
                    maze_minimax("maze/empty", 0.8, 20)});
    list.push_back({"maze-plr-perp-dcd",
                    "robust PLR by the ACCEL paper's settings, up to 59 walls, 328M steps",
                    maze_dcd("maze/random-0-59", 0.5, 0)});
    list.push_back({"maze-accel-dcd",
                    "ACCEL by the ACCEL paper's settings, from empty mazes, 369M steps",
                    maze_dcd("maze/empty", 0.8, 5)});
    list.push_back(
        {"maze-sfl", "sampling for learnability by its paper's settings, 300M steps", maze_sfl()});
    list.push_back({"cartpole",
                    "a pole on a cart with random physics, a vector of floats: 200 levels, 102k "
                    "steps",
                    classic("classic/CartPole", 8, 256, 50)});
    list.push_back({"pendulum",
                    "a pendulum with random physics, a continuous torque: 200 levels, 205k steps",
                    pendulum()});
    return list;
  }();
  return all;
}

}  // namespace

TrainConfig preset(std::string_view name) {
  std::string names;
  for (const Preset& p : all_presets()) {
    if (p.name == name) return p.config;
    names += (names.empty() ? "" : ", ") + p.name;
  }
  throw_unknown_name("preset", name, names);
}

std::vector<std::pair<std::string, std::string>> presets() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const Preset& p : all_presets()) list.emplace_back(p.name, p.summary);
  return list;
}

}  // namespace plr::train
