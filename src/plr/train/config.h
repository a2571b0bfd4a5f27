// All settings of a training run, in groups that the parts define.
//
// A run's config.toml lists every one of them, so that training with it repeats the run:
//
//   TrainConfig config = preset("minigrid-multiroom");
//   set(config, "steps", "5000000");
//   write_text(folder / "config.toml", to_toml(config));
//
// Names are unique over all groups. Copyable values; concurrent reads are safe.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plr/base/fields.h"
#include "plr/core/algorithms.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/level_replay_config.h"
#include "plr/core/reward_normalizer.h"
#include "plr/core/rollout_replay_config.h"
#include "plr/core/sfl_config.h"
#include "plr/core/tscl_config.h"
#include "plr/env/env_options.h"
#include "plr/env/vector_env.h"
#include "plr/learn/compute.h"
#include "plr/learn/drac.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/learn/impala_network.h"
#include "plr/learn/mixreg.h"
#include "plr/learn/obs_normalizer.h"
#include "plr/learn/ppo.h"
#include "plr/run/settings_file.h"

namespace plr::train {

enum class CurriculumKind : std::uint8_t { kPlr, kUniform, kTscl, kSfl };
constexpr std::array<std::string_view, 4> enum_names(CurriculumKind) {
  return {"plr", "uniform", "tscl", "sfl"};
}
constexpr std::array<std::string_view, 4> enum_texts(CurriculumKind) {
  return {
      "Prioritized Level Replay; with decide = rollout also robust PLR and ACCEL, by learn_on_new "
      "and num_edits",
      "every level is equally likely: domain randomization",
      "Teacher-Student Curriculum Learning: levels of high learning progress",
      "Sampling for Learnability: levels that a survey found neither solved nor hopeless"};
}

// When the curriculum chooses levels.
enum class Decide : std::uint8_t { kEpisode, kRollout };
constexpr std::array<std::string_view, 2> enum_names(Decide) { return {"episode", "rollout"}; }
constexpr std::array<std::string_view, 2> enum_texts(Decide) {
  return {"a slot's next level when its episode ends",
          "the levels of all slots when a rollout begins; slots repeat them until it ends"};
}

struct TaskConfig {
  std::string env = "minigrid/MultiRoom-N4-Random";
  static constexpr Field kEnv{&TaskConfig::env, "env", "the environment; plr envs lists all"};

  std::string plugin = {};
  static constexpr Field kPlugin{
      &TaskConfig::plugin, "plugin",
      "a shared library that brings the environment (docs/adding_an_environment.md); empty: none"};

  std::string levels = "200";
  static constexpr Field kLevels{
      &TaskConfig::levels, "levels",
      "the training set: a number of levels, a range such as 100-299, a file of ids, or full"};

  CurriculumKind curriculum = CurriculumKind::kPlr;
  static constexpr Field kCurriculum{&TaskConfig::curriculum, "curriculum",
                                     "the method that chooses the next level"};

  std::string test_env = {};
  static constexpr Field kTestEnv{
      &TaskConfig::test_env, "test_env",
      "the environment of evaluations, such as maze/JaxUED-8; empty: env, on levels outside the "
      "training set"};

  Decide decide = Decide::kEpisode;
  static constexpr Field kDecide{
      &TaskConfig::decide, "decide",
      "levels are chosen for each episode, or for a rollout, in which slots repeat their level"};

  static constexpr std::tuple kFields{kEnv, kPlugin, kTestEnv, kLevels, kCurriculum, kDecide};
};

enum class LearningRateSchedule : std::uint8_t { kConstant, kLinear };
constexpr std::array<std::string_view, 2> enum_names(LearningRateSchedule) {
  return {"constant", "linear"};
}
constexpr std::array<std::string_view, 2> enum_texts(LearningRateSchedule) {
  return {
      "the same in all updates",
      "decreases with the rollouts learned from, to 0 at the end of a run that learns from all"};
}

// Episodes of one evaluation.
inline constexpr Bounds kEpisodes = from_to(1, 1 << 20);

struct ScheduleConfig {
  std::int64_t steps = 1'000'000;
  static constexpr Field kSteps{&ScheduleConfig::steps, "steps", at_least(1),
                                "environment steps in total, rounded down to whole updates"};

  std::int64_t rollout_length = 256;
  static constexpr Field kRolloutLength{&ScheduleConfig::rollout_length, "rollout_length",
                                        from_to(1, 1 << 20), "steps of each slot per update"};

  LearningRateSchedule learning_rate_schedule = LearningRateSchedule::kConstant;
  static constexpr Field kLearningRateSchedule{
      &ScheduleConfig::learning_rate_schedule, "learning_rate_schedule",
      "whether the learning rate decreases during the run"};

  std::int64_t shards = 0;
  static constexpr Field kShards{
      &ScheduleConfig::shards, "shards", from_to(0, 1 << 12),
      "parts of the slots, a power of two, that ranks share: their gradients are computed "
      "separately; 0 for the number of ranks"};

  std::uint64_t seed = 1;
  static constexpr Field kSeed{&ScheduleConfig::seed, "seed",
                               "seed of all random streams: the same seed gives the same run"};

  std::int64_t eval_interval = 10;
  static constexpr Field kEvalInterval{
      &ScheduleConfig::eval_interval, "eval_interval", at_least(0),
      "updates between evaluations on test and training levels; 0: none"};

  std::int64_t eval_episodes = 64;
  static constexpr Field kEvalEpisodes{
      &ScheduleConfig::eval_episodes, "eval_episodes", kEpisodes,
      "episodes of each evaluation, on test and on training levels"};

  std::int64_t final_episodes = 100;
  static constexpr Field kFinalEpisodes{&ScheduleConfig::final_episodes, "final_episodes",
                                        kEpisodes, "episodes of the final evaluation"};

  std::int64_t checkpoint_interval = 20;
  static constexpr Field kCheckpointInterval{&ScheduleConfig::checkpoint_interval,
                                             "checkpoint_interval", at_least(1),
                                             "updates between checkpoints"};

  std::int64_t levels_interval = 10;
  static constexpr Field kLevelsInterval{
      &ScheduleConfig::levels_interval, "levels_interval", at_least(1),
      "updates between records of the levels' replay probabilities"};

  static constexpr std::tuple kFields{
      kSteps,        kRolloutLength, kLearningRateSchedule, kShards,        kSeed, kEvalInterval,
      kEvalEpisodes, kFinalEpisodes, kCheckpointInterval,   kLevelsInterval};
};

// kAuto: that of the environment's family.
enum class NetworkChoice : std::uint8_t { kAuto, kGridCnn, kImpala, kLstm, kMlp, kCnn };
constexpr std::array<std::string_view, 6> enum_names(NetworkChoice) {
  return {"auto", "grid-cnn", "impala", "lstm", "mlp", "cnn"};
}
constexpr std::array<std::string_view, 6> enum_texts(NetworkChoice) {
  return {"the usual one of the environment",
          "convolutions over a grid and hidden layers",
          "residual convolutions",
          "a convolution, or hidden layers for floats, and an LSTM",
          "hidden layers, for vectors",
          "convolutions and a hidden layer, for images of any size"};
}

struct NetworkConfig {
  NetworkChoice network = NetworkChoice::kAuto;
  static constexpr Field kNetwork{&NetworkConfig::network, "network",
                                  "the network; auto: the usual one of the environment"};

  learn::GridCnnConfig grid_cnn;
  learn::ImpalaConfig impala;
  learn::LstmConfig lstm;
  learn::MlpConfig mlp;
  learn::CnnConfig cnn;
  learn::ObsNormalizerConfig normalizer;

  static constexpr std::tuple kFields{kNetwork,
                                      Nested{&NetworkConfig::grid_cnn},
                                      Nested{&NetworkConfig::impala},
                                      Nested{&NetworkConfig::lstm},
                                      Nested{&NetworkConfig::mlp},
                                      Nested{&NetworkConfig::cnn},
                                      Nested{&NetworkConfig::normalizer}};
};

struct TrainConfig {
  TaskConfig task;
  EnvOptions env;
  ScheduleConfig schedule;
  LevelReplayConfig replay;
  EpisodeScorerConfig scorer;
  RewardNormalizerConfig rewards;
  learn::PpoConfig ppo;
  TsclConfig tscl;
  RolloutReplayConfig rollout_replay;
  SflConfig sfl;
  learn::MixregConfig mixreg;
  learn::DracConfig drac;
  NetworkConfig network;
  learn::ComputeConfig compute = {
      .device = "auto", .precision = learn::Precision::kAuto, .num_threads = 0};
};

// Calls visit_group(title, part) for each part of the config; every part has kFields.
template <class Config, class VisitGroup>
requires std::same_as<std::remove_const_t<Config>, TrainConfig>
void visit_groups(Config& config, VisitGroup&& visit_group) {
  visit_group("Task", config.task);
  visit_group("Environment", config.env);
  visit_group("Run", config.schedule);
  visit_group("Level replay", config.replay);
  visit_group("Scores of levels", config.scorer);
  visit_group("Reward normalization", config.rewards);
  visit_group("PPO", config.ppo);
  visit_group("TSCL", config.tscl);
  visit_group("Level replay per rollout", config.rollout_replay);
  visit_group("Sampling for learnability", config.sfl);
  visit_group("Mixreg", config.mixreg);
  visit_group("DrAC", config.drac);
  visit_group("Network", config.network);
  visit_group("Machine", config.compute);
}

// Steps of all slots; a run consists of whole updates.
std::int64_t steps_per_update(const TrainConfig& config);
std::int64_t num_updates(const TrainConfig& config);

// The learning rate by learning_rate_schedule after this number of gradient updates: rollouts that
// the agent has learned from.
double learning_rate_of(const TrainConfig& config, std::int64_t gradient_updates);

// Throws std::invalid_argument for the first invalid setting.
void check(const TrainConfig& config);

// Sets one field by name. Throws std::invalid_argument for an unknown name, with the closest known
// one, and for an invalid value. Does nothing for a setting of earlier versions.
void set(TrainConfig& config, std::string_view name, const std::string& value);
// The same for a setting of a file: errors begin with its place. A plug-in is loaded, an
// environment must exist.
void set(TrainConfig& config, const run::Setting& setting);

// Loads a plug-in that the user names (catalog/plugins.h), and sets `plugin` to its absolute path.
// Throws std::invalid_argument as load_plugin() does.
void set_plugin(TaskConfig& task, const std::string& path);

// Settings of earlier versions, which are accepted and have no effect.
struct ObsoleteSetting {
  std::string_view name;
  std::string_view reason;
};
inline constexpr std::array kObsoleteSettings = {
    ObsoleteSetting{"slot_groups", "every slot advances on its own since version 0.2"}};
// The reason; empty if the name is none of them.
std::string_view obsolete_reason(std::string_view name);

// Settings that runs of earlier versions lack, with the values that they had in effect.
struct AddedSetting {
  std::string_view name;
  std::string_view value;
};
inline constexpr std::array kAddedSettings = {AddedSetting{"learning_rate_schedule", "constant"},
                                              AddedSetting{"shards", "1"},
                                              AddedSetting{"minibatch_advantages", "false"},
                                              AddedSetting{"network", "auto"},
                                              AddedSetting{"lstm_units", "256"},
                                              AddedSetting{"normalize_rewards", "true"},
                                              AddedSetting{"grad_norm_epsilon", "1e-06"},
                                              AddedSetting{"view_size", "5"},
                                              AddedSetting{"see_agent", "false"},
                                              AddedSetting{"penalize_time", "true"},
                                              AddedSetting{"max_steps", "0"},
                                              AddedSetting{"step_limit", "default"},
                                              AddedSetting{"test_env", ""},
                                              AddedSetting{"plugin", ""},
                                              AddedSetting{"maze_edits", "flips"},
                                              AddedSetting{"decide", "episode"},
                                              AddedSetting{"rollout_score", "max_mc"},
                                              AddedSetting{"rollout_replay_probability", "0.8"},
                                              AddedSetting{"learn_on_new", "false"},
                                              AddedSetting{"num_edits", "0"},
                                              AddedSetting{"num_parents", "0"},
                                              AddedSetting{"buffer_capacity", "4000"},
                                              AddedSetting{"buffer_staleness_coef", "0.3"},
                                              AddedSetting{"buffer_temperature", "0.3"},
                                              AddedSetting{"buffer_min_fill_ratio", "0.5"},
                                              AddedSetting{"buffer_prioritization", "rank"},
                                              AddedSetting{"buffer_topk", "1"},
                                              AddedSetting{"buffer_duplicate_check", "true"},
                                              AddedSetting{"buffer_keep_unmeasured", "true"},
                                              AddedSetting{"sfl_interval", "100"},
                                              AddedSetting{"sfl_surveyed", "25000"},
                                              AddedSetting{"sfl_kept", "1000"},
                                              AddedSetting{"sfl_survey_steps", "2000"},
                                              AddedSetting{"sfl_survey_slots", "5000"},
                                              AddedSetting{"sfl_fraction", "0.5"},
                                              AddedSetting{"encoder_sizes", "64"},
                                              AddedSetting{"hidden_sizes", "64,64"},
                                              AddedSetting{"activation", "tanh"},
                                              AddedSetting{"shared_trunk", "false"},
                                              AddedSetting{"conv_layers", "32x8/4,64x4/2,64x3/1"},
                                              AddedSetting{"cnn_units", "512"},
                                              AddedSetting{"normalize_observations", "false"},
                                              AddedSetting{"observation_clip", "10"}};

// The command line flag of a setting: "--learning-rate" for learning_rate.
std::string flag_of(std::string_view name);
// Sets all fields that a file of settings has (run/settings_file.h) and returns their names. The
// plug-in is loaded, unless another one has brought the family of the file's environment: then that
// one replaces it. Errors are std::invalid_argument "FILE:LINE: what is wrong".
std::set<std::string> set_by_file(TrainConfig& config, const std::filesystem::path& file);

// The text of every field by name, as set() takes it.
std::map<std::string, std::string> values_of(const TrainConfig& config);

// The settings of a preset.  Throws std::invalid_argument for an unknown name.
TrainConfig preset(std::string_view name);
// Name and one-line summary of each preset.
std::vector<std::pair<std::string, std::string>> presets();

// Sets every field in which the paper, its authors' code and the defaults differ.
void set_algorithm(TrainConfig& config, Algorithm algorithm);
// The same by name: an empty one leaves the preset's choices, another that does not exist throws
// std::invalid_argument.
void set_algorithm(TrainConfig& config, std::string_view name);

// The methods that the paper compares, each with its best settings, which are the same for
// Procgen's easy and hard games: the curriculum, and the regularizer of the update.
enum class Method : std::uint8_t { kUniform, kTscl, kMixreg, kUcbDrac, kPlr, kUcbDracPlr };
constexpr std::array<std::string_view, 6> enum_names(Method) {
  return {"uniform", "tscl", "mixreg", "ucb-drac", "plr", "ucb-drac+plr"};
}
void set_method(TrainConfig& config, Method method);
// By name, as set_algorithm().
void set_method(TrainConfig& config, std::string_view name);

// "plr", "mixreg", "ucb-drac+plr", "drac-crop+plr" (run/method_name.h).
std::string method_name(const TrainConfig& config);

// One line if the run ends before the agent has learned from a rollout: with decide = rollout and
// without learn_on_new, it learns when the buffer is full enough for replay. Else empty.
std::string no_update_note(const TrainConfig& config);

// Every field with its value and a comment; parse_flat_settings (run/settings_file.h) reads it.
std::string to_toml(const TrainConfig& config);

}  // namespace plr::train
