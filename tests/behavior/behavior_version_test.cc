// Pins the behavior version: short runs with a scripted policy must play the recorded episodes.
//
// A trace is a hash of everything discrete that a run does: levels, actions, ends, observations,
// and of the normalized rewards.  The policy is a function of observation and uniform number, so
// that no floating-point network takes part; every curriculum, MiniGrid, Procgen and the maze do.
// traces.json has the recorded hashes and the version that they belong to.
#include "plr/run/behavior_version.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "plr/catalog/make_env.h"
#include "plr/collect/collector.h"
#include "plr/core/algorithms.h"
#include "plr/core/level_replay.h"
#include "plr/core/level_store.h"
#include "plr/core/rollout_replay.h"
#include "plr/core/sfl.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"
#include "tests/support/procgen_installed.h"

namespace plr {
namespace {

// 64-bit FNV-1a.
class Hash {
 public:
  template <class T>
  void add(std::span<const T> values) {
    for (const std::byte byte : std::as_bytes(values)) {
      value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 1099511628211U;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

// Actions are uniform; values and policy terms are small fractions made of the observation.
class ScriptedInference final : public collect::Inference {
 public:
  ScriptedInference(const EnvSpec& spec, std::size_t num_steps)
      : num_actions_(spec.actions.num_choices()),
        obs_size_(spec.observation_size()),
        observations_(static_cast<std::size_t>(spec.num_slots) * obs_size_),
        results_(static_cast<std::size_t>(spec.num_slots)),
        seen_(num_steps + 1, results_.size()) {}

  std::span<std::uint8_t> observations() override { return observations_; }
  std::span<collect::InferenceResult> results() override { return results_; }
  bool takes_any_batch() const override { return true; }
  std::size_t num_lanes() const override { return 1; }
  void refresh() override {}
  void check_device() override {}
  void submit(std::size_t /*lane*/, std::span<const collect::InferenceItem> items) override {
    for (const collect::InferenceItem& item : items) {
      const auto slot = static_cast<std::size_t>(item.slot);
      Hash hash;
      hash.add(std::span<const std::uint8_t>(observations_).subspan(slot * obs_size_, obs_size_));
      seen_[static_cast<std::size_t>(item.step)][slot] = hash.value();
      collect::write_result(
          {.action = static_cast<float>(static_cast<int>(item.uniform * num_actions_)),
           .log_prob = -1,
           .value = static_cast<float>(hash.value() % 64) / 32,
           .term = static_cast<float>(hash.value() % 8) / 8},
          results_[slot]);
    }
  }

  // A hash of the observation of every step and slot of the last rollout.
  std::span<const std::uint64_t> seen() const { return seen_.all(); }

 private:
  int num_actions_;
  std::size_t obs_size_;
  std::vector<std::uint8_t> observations_;
  std::vector<collect::InferenceResult> results_;
  collect::StepTable<std::uint64_t> seen_;
};

struct Scenario {
  std::string name;
  EpisodeScorerConfig scorer;
  std::function<std::unique_ptr<Curriculum>(const VectorEnv&, const Random&)> make_curriculum;
};

template <class Config>
Config with(Algorithm algorithm) {
  Config config;
  set_algorithm(config, algorithm);
  return config;
}

std::vector<Scenario> scenarios() {
  const LevelSet levels = LevelSet::range(0, 40);
  const auto replay = [levels](const LevelReplayConfig& config) {
    return [=](const VectorEnv&, const Random& random) {
      return std::make_unique<LevelReplay>(levels, config, random);
    };
  };
  return {
      {"plr", {}, replay({})},
      {"plr, paper", with<EpisodeScorerConfig>(Algorithm::kPaper),
       replay(with<LevelReplayConfig>(Algorithm::kPaper))},
      {"plr, released code", with<EpisodeScorerConfig>(Algorithm::kReleasedCode),
       replay(with<LevelReplayConfig>(Algorithm::kReleasedCode))},
      {"plr, stream with a buffer",
       {},
       [](const VectorEnv& env, const Random& random) {
         LevelReplayConfig config{.schedule = ReplaySchedule::kFixed};
         config.buffer_size = 16;
         return std::make_unique<LevelReplay>(env.spec().full_distribution, config, random);
       }},
      {"plr, policy entropy",
       {.score_function = ScoreFunction::kPolicyEntropy},
       replay({.transform = Transform::kProportional})},
      {"uniform",
       {},
       [levels](const VectorEnv&, const Random& random) {
         return std::make_unique<Uniform>(levels, random);
       }},
      {"tscl",
       {},
       [levels](const VectorEnv&, const Random& random) {
         return std::make_unique<Tscl>(levels, TsclConfig{}, random);
       }},
  };
}

constexpr int kSlots = 8;
constexpr std::size_t kSteps = 64;

void add(const collect::StepTables& rollout, const ScriptedInference& inference, Hash& hash) {
  hash.add(rollout.levels.all());
  hash.add(rollout.actions.all());
  hash.add(rollout.done.all());
  hash.add(rollout.rewards.all());
  hash.add(inference.seen());
}

std::string trace(const std::string& env_name, const Scenario& scenario, int num_workers) {
  constexpr int kRollouts = 4;
  const auto env = catalog::make_env(env_name, {.num_slots = kSlots, .num_workers = num_workers});
  const Streams streams(1);
  const auto curriculum = scenario.make_curriculum(*env, streams.named("levels"));
  ScriptedInference inference(env->spec(), kSteps);
  EpisodeScorer scorer(scenario.scorer, kSlots, kSteps);
  RewardNormalizer normalizer({}, kSlots);
  collect::StepLog log({.num_steps = kSteps, .num_slots = kSlots});
  collect::Collector collector({*env, curriculum.get(), &scorer, normalizer, inference, log},
                               streams.named("actions"));
  collect::StepTables rollout(kSteps, kSlots);
  Hash hash;
  collector.begin();
  for (int i = 0; i < kRollouts; ++i) {
    collector.fill(rollout);
    add(rollout, inference, hash);
  }
  return std::to_string(hash.value());
}

// ---- Curricula that decide per rollout, in the maze.

constexpr const char* kMaze = "maze/random-25";

struct RolloutScenario {
  std::string name;
  MazeEdits edits;
  std::function<std::unique_ptr<RolloutCurriculum>(const LevelSet&, const LevelTools&,
                                                   const Random&)>
      make_curriculum;
};

std::vector<RolloutScenario> rollout_scenarios() {
  const auto replay = [](RolloutReplayConfig config) {
    config.buffer.capacity = 24;
    return [config](const LevelSet& levels, const LevelTools& tools, const Random& random) {
      return std::make_unique<RolloutReplay>(levels, config, tools, random);
    };
  };
  const auto sfl = [](const LevelSet& levels, const LevelTools&, const Random& random) {
    return std::make_unique<Sfl>(
        levels, SflConfig{.interval = 5, .num_surveyed = 40, .num_kept = 6}, random);
  };
  return {{"plr", MazeEdits::kFlips, replay({.learn_on_new = true})},
          {"accel", MazeEdits::kFlips, replay({.num_edits = 5})},
          {"accel, positive value loss, tiles, two parents", MazeEdits::kTilesWithoutAgent,
           replay({.score = RolloutScore::kPositiveValueLoss, .num_edits = 5, .num_parents = 2})},
          {"plr by regret", MazeEdits::kFlips, replay({.score = RolloutScore::kRegret})},
          {"sfl", MazeEdits::kFlips, sfl}};
}

// Success rates that are functions of the levels.
std::vector<double> survey(const std::vector<LevelId>& levels) {
  std::vector<double> rates;
  for (const LevelId level : levels) rates.push_back(static_cast<double>(level % 11) / 10);
  return rates;
}

std::string rollout_trace(const RolloutScenario& scenario, int num_workers) {
  constexpr int kRollouts = 30;
  const auto store = std::make_shared<LevelStore>();
  EnvOptions options{.num_slots = kSlots, .num_workers = num_workers};
  options.maze.max_steps = 20;
  options.maze.edits = scenario.edits;
  options.store = store;
  const auto env = catalog::make_env(kMaze, options);
  const Streams streams(1);
  const auto curriculum = scenario.make_curriculum(env->spec().full_distribution,
                                                   catalog::level_tools(kMaze, options, store),
                                                   streams.named("levels"));
  ScriptedInference inference(env->spec(), kSteps);
  RewardNormalizer normalizer({.normalize_rewards = false}, kSlots);
  collect::StepLog log({.num_steps = kSteps, .num_slots = kSlots});
  collect::Collector collector({*env, nullptr, nullptr, normalizer, inference, log},
                               streams.named("actions"));
  collect::StepTables rollout(kSteps, kSlots);
  std::vector<RolloutResult> results(kSlots);
  Hash hash;
  for (int i = 0; i < kRollouts; ++i) {
    const std::vector<LevelId> surveyed = curriculum->levels_to_survey();
    if (!surveyed.empty()) curriculum->record_survey(survey(surveyed));
    const RolloutPlan& plan = curriculum->plan(kSlots);
    collector.fill(rollout, plan.levels);
    score_rollout({.num_slots = kSlots,
                   .rewards = rollout.rewards.all(),
                   .values = rollout.values.all(),
                   .done = rollout.done.all()},
                  {}, plan.best_returns, results);
    curriculum->record(results);
    add(rollout, inference, hash);
  }
  return std::to_string(hash.value());
}

nlohmann::json recorded() {
  std::ifstream file(PLR_BEHAVIOR_TRACES);
  return nlohmann::json::parse(file);
}

// Compares the traces of an environment with the recorded ones and prints those to record.
// trace_of(scenario, num_workers) is the trace of a scenario.
template <class AnyScenario, class TraceOf>
void expect_recorded_traces(const std::string& env, const std::vector<AnyScenario>& all,
                            TraceOf trace_of) {
  const nlohmann::json file = recorded();
  nlohmann::json now;
  for (const AnyScenario& scenario : all) {
    now[scenario.name] = trace_of(scenario, 1);
    EXPECT_EQ(now[scenario.name], trace_of(scenario, 3)) << env << ", " << scenario.name;
  }
  EXPECT_EQ(file.at("traces").value(env, nlohmann::json()), now)
      << "A run with the same seed differs from before.  If that is a mistake, find it.  If it is "
         "intended, raise kBehaviorVersion in src/plr/run/behavior_version.h from "
      << run::kBehaviorVersion << " to " << run::kBehaviorVersion + 1
      << ", describe the change there and in CHANGELOG.md, and record in "
         "tests/behavior/traces.json "
         "\"version\": "
      << run::kBehaviorVersion + 1 << " and for \"" << env << "\":\n"
      << now.dump(2);
}

void expect_recorded_traces(const std::string& env) {
  expect_recorded_traces(env, scenarios(), [&](const Scenario& scenario, int num_workers) {
    return trace(env, scenario, num_workers);
  });
}

TEST(BehaviorVersion, TracesAreRecordedForIt) {
  EXPECT_EQ(recorded().at("version"), run::kBehaviorVersion)
      << "record the traces of this version in tests/behavior/traces.json";
}

TEST(BehaviorVersion, MinigridRunsPlayTheRecordedEpisodes) {
  expect_recorded_traces("minigrid/MultiRoom-N4-Random");
  expect_recorded_traces("minigrid/MiniGrid-Empty-Random-6x6-v0");
}

TEST(BehaviorVersion, ProcgenRunsPlayTheRecordedEpisodes) {
  PLR_NEEDS_PROCGEN();
  expect_recorded_traces("procgen/leaper");
  expect_recorded_traces("procgen/bigfish");
}

TEST(BehaviorVersion, MazeRunsPlayTheRecordedEpisodes) {
  expect_recorded_traces(kMaze, rollout_scenarios(), rollout_trace);
}

}  // namespace
}  // namespace plr
