#include "plr/train/config.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "plr/base/files.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {
namespace {

std::string message_of_set(const std::string& name, const std::string& value) {
  TrainConfig config;
  return invalid_argument_of([&] { set(config, name, value); });
}

TEST(TrainConfig, ListsEveryNameOnce) {
  std::set<std::string> names;
  const TrainConfig config;
  visit_groups(config, [&](const char*, const auto& group) {
    visit_fields(group, [&](std::string_view name, auto&&...) {
      EXPECT_TRUE(names.emplace(name).second) << name << " is listed twice";
    });
  });
  EXPECT_GT(names.size(), 50U);
}

TEST(TrainConfig, RoundTripsThroughAFile) {
  TrainConfig config = preset("minigrid-omg-medium");
  set_algorithm(config, Algorithm::kReleasedCode);
  set(config, "learning_rate", "0.000123456789");
  set(config, "levels", "100-299");
  set(config, "score_function", "min_margin");
  EXPECT_EQ(config.task.test_env, "");  // an empty text is read back
  set(config, "seed", "18446744073709551615");
  TrainConfig read;
  for (const run::Setting& setting : run::parse_flat_settings(to_toml(config), "config.toml")) {
    set(read, setting);
  }
  EXPECT_EQ(to_toml(read), to_toml(config));
  EXPECT_EQ(read.ppo.adam.learning_rate, 0.000123456789);
  EXPECT_EQ(read.schedule.seed, 18446744073709551615U);
}

// The message of set_by_file for a file of this text, without the file's folder.
std::string message_of_file(const std::string& text) {
  const TemporaryDirectory folder;
  write_text(folder / "my.toml", text);
  TrainConfig config;
  const std::string message = invalid_argument_of([&] { set_by_file(config, folder / "my.toml"); });
  return message.substr(message.find("my.toml"));
}

TEST(TrainConfig, SetsTheFieldsOfAFile) {
  const TemporaryDirectory folder;
  write_text(folder / "my.toml", "seed = 7\nenv = \"minigrid/MiniGrid-Empty-5x5-v0\"\n");
  TrainConfig config;
  EXPECT_EQ(set_by_file(config, folder / "my.toml"), (std::set<std::string>{"env", "seed"}));
  EXPECT_EQ(config.schedule.seed, 7U);
  EXPECT_EQ(config.task.env, "minigrid/MiniGrid-Empty-5x5-v0");
}

TEST(TrainConfig, NamesTheLineOfAnInvalidSettingInAFile) {
  EXPECT_EQ(message_of_file("seed = 1\n\ntemperatur = 1\n"),
            "my.toml:3: unknown setting 'temperatur'; did you mean temperature?");
  EXPECT_EQ(message_of_file("# a comment\ntemperature = 0\n"),
            "my.toml:2: temperature must be above 0, not 0");
  EXPECT_EQ(message_of_file("seed = 1\nepochs = true\n"),
            "my.toml:2: epochs must be a whole number, not true");
  EXPECT_EQ(message_of_file("seed = 1\nenv = \"minigrid/MiniGrid-DoorKye-6x6-v0\"\n"),
            "my.toml:2: unknown environment 'minigrid/MiniGrid-DoorKye-6x6-v0'; did you mean "
            "minigrid/MiniGrid-DoorKey-6x6-v0?");
  EXPECT_EQ(message_of_file("seed = 1\ntest_env = \"maze/JaxUED-9\"\n"),
            "my.toml:2: unknown environment 'maze/JaxUED-9'; did you mean maze/JaxUED-8?");
}

TEST(TrainConfig, HasThePapersSettingsAsPresets) {
  const TrainConfig config = preset("minigrid-multiroom");
  EXPECT_EQ(config.task.env, "minigrid/MultiRoom-N4-Random");
  EXPECT_EQ(config.task.levels, "4000");
  EXPECT_EQ(config.env.num_slots, 64);
  EXPECT_EQ(config.schedule.rollout_length, 256);
  EXPECT_EQ(config.ppo.epochs, 4);
  EXPECT_EQ(config.ppo.num_minibatches, 8);
  EXPECT_EQ(config.ppo.adam.learning_rate, 7e-4);
  EXPECT_EQ(config.replay.staleness_coef, 0.3);
  EXPECT_EQ(config.replay.temperature, 0.1);
  EXPECT_EQ(config.scorer.gamma, 0.999);
  EXPECT_EQ(config.scorer.gae_lambda, 0.95);
  EXPECT_EQ(preset("minigrid-omg-easy").network.grid_cnn.channels, 64);
  for (const auto& [name, summary] : presets()) EXPECT_NO_THROW(check(preset(name))) << name;
}

TEST(TrainConfig, HasThePapersSettingsForProcgen) {
  const TrainConfig easy = preset("procgen-easy");
  const TrainConfig hard = preset("procgen-hard");
  EXPECT_EQ(easy.task.levels, "200");
  EXPECT_EQ(hard.task.levels, "500");
  EXPECT_EQ(easy.schedule.steps, 25'000'000);
  EXPECT_EQ(hard.schedule.steps, 200'000'000);
  EXPECT_EQ(hard.task.env, "procgen/bigfish-hard");
  // Mini-batches of 2,048 and 4,096 steps.
  EXPECT_EQ(easy.env.num_slots * easy.schedule.rollout_length / easy.ppo.num_minibatches, 2048);
  EXPECT_EQ(hard.env.num_slots * hard.schedule.rollout_length / hard.ppo.num_minibatches, 4096);
  for (const TrainConfig& config : {easy, hard}) {
    EXPECT_EQ(config.schedule.rollout_length, 256);
    EXPECT_EQ(config.ppo.epochs, 3);
    EXPECT_EQ(config.ppo.entropy_coef, 0.01);
    EXPECT_EQ(config.ppo.adam.learning_rate, 5e-4);
    EXPECT_EQ(config.ppo.adam.epsilon, 1e-5);
    EXPECT_EQ(config.replay.transform, Transform::kRank);
    EXPECT_EQ(config.replay.temperature, 0.1);
    EXPECT_EQ(config.replay.staleness_coef, 0.1);
    EXPECT_EQ(config.scorer.score_function, ScoreFunction::kValueL1);
    EXPECT_EQ(config.scorer.gamma, 0.999);
    EXPECT_EQ(config.scorer.gae_lambda, 0.95);
  }
}

TEST(TrainConfig, FollowsTheReleasedCodeOnlyWhereItDiffers) {
  TrainConfig config = preset("minigrid-multiroom");
  set_algorithm(config, Algorithm::kReleasedCode);
  EXPECT_EQ(config.replay.warmup_fraction, 1);
  EXPECT_EQ(config.scorer.score_update, ScoreUpdate::kRollout);
  EXPECT_EQ(config.replay.staleness_coef, 0.3);  // the preset's
  set_algorithm(config, Algorithm::kDefault);
  EXPECT_EQ(to_toml(config), to_toml(preset("minigrid-multiroom")));
}

TEST(TrainConfig, FollowsThePaperExactlyWithAlgorithmPaper) {
  TrainConfig config = preset("minigrid-multiroom");
  set_algorithm(config, Algorithm::kReleasedCode);
  set_algorithm(config, Algorithm::kPaper);
  EXPECT_EQ(config.scorer.open_episodes, OpenEpisodes::kStitch);
  EXPECT_TRUE(config.network.grid_cnn.shared_hidden);
  config.scorer.open_episodes = OpenEpisodes::kCommit;
  config.network.grid_cnn.shared_hidden = false;
  EXPECT_EQ(to_toml(config), to_toml(preset("minigrid-multiroom")));
}

TEST(TrainConfig, HasThePapersNetworkWithAlgorithmPaper) {
  for (const char* name : {"minigrid-multiroom", "minigrid-omg-easy", "minigrid-omg-medium"}) {
    TrainConfig config = preset(name);
    set_algorithm(config, Algorithm::kPaper);
    EXPECT_FALSE(config.network.grid_cnn.pool) << name;          // E4
    EXPECT_TRUE(config.network.grid_cnn.shared_hidden) << name;  // E3
    EXPECT_EQ(config.network.grid_cnn.channels, preset(name).network.grid_cnn.channels);
  }
}

TEST(TrainConfig, LeavesThePoolToThePresetWithOtherAlgorithms) {
  for (const Algorithm algorithm : {Algorithm::kDefault, Algorithm::kReleasedCode}) {
    for (const auto& [name, summary] : presets()) {
      TrainConfig config = preset(name);
      set_algorithm(config, algorithm);
      EXPECT_EQ(config.network.grid_cnn.pool, preset(name).network.grid_cnn.pool) << name;
      EXPECT_FALSE(config.network.grid_cnn.shared_hidden) << name;
    }
  }
}

TEST(TrainConfig, ReplaysProcgensLevelsLikeTheReleasedCode) {
  LevelReplayConfig replay = released_code<LevelReplayConfig>();
  replay.staleness_coef = 0.1;
  for (const char* name : {"procgen-easy", "procgen-hard"}) {
    TrainConfig config = preset(name);
    EXPECT_EQ(fields_text(config.replay), fields_text(replay)) << name;
    EXPECT_EQ(fields_text(config.scorer), fields_text(released_code<EpisodeScorerConfig>()))
        << name;
    EXPECT_FALSE(config.network.impala.relu_skip) << name;  // E2, the paper's
    set_algorithm(config, Algorithm::kPaper);
    EXPECT_EQ(config.scorer.open_episodes, OpenEpisodes::kStitch) << name;
    EXPECT_EQ(config.replay.warmup_fraction, 0) << name;
  }
}

TEST(TrainConfig, AgreesWithTheCoreAboutTheReleasedCode) {
  TrainConfig config;
  set_algorithm(config, Algorithm::kReleasedCode);
  EXPECT_EQ(fields_text(config.replay), fields_text(released_code<LevelReplayConfig>()));
  EXPECT_EQ(fields_text(config.scorer), fields_text(released_code<EpisodeScorerConfig>()));
}

TEST(TrainConfig, HasThePapersMethods) {
  // Table "hyper-parameters" of the paper's appendix.
  TrainConfig config = preset("minigrid-multiroom");
  set_method(config, Method::kUcbDracPlr);
  EXPECT_EQ(config.task.curriculum, CurriculumKind::kPlr);
  EXPECT_TRUE(config.drac.enabled);
  EXPECT_EQ(config.drac.augmentation, learn::Augmentation::kUcb);
  EXPECT_EQ(config.drac.coef, 0.1);
  EXPECT_EQ(config.drac.ucb.window, 10);
  EXPECT_EQ(config.drac.ucb.exploration, 0.1);
  EXPECT_EQ(config.replay.staleness_coef, 0.3);  // the preset's
  EXPECT_EQ(method_name(config), "ucb-drac+plr");

  set_method(config, Method::kMixreg);
  EXPECT_EQ(config.task.curriculum, CurriculumKind::kUniform);
  EXPECT_EQ(config.mixreg.alpha, 0.01);
  EXPECT_FALSE(config.drac.enabled);
  EXPECT_EQ(method_name(config), "mixreg");

  set_method(config, Method::kTscl);
  EXPECT_EQ(config.task.curriculum, CurriculumKind::kTscl);
  EXPECT_EQ(config.mixreg.alpha, 0);
  EXPECT_EQ(config.tscl.policy, TsclPolicy::kEpsilonGreedy);
  EXPECT_EQ(config.tscl.window, 10);
  EXPECT_EQ(config.tscl.smoothing, 1);
  EXPECT_EQ(config.tscl.epsilon, 0.5);
  EXPECT_EQ(config.tscl.staleness_coef, 0);

  set_method(config, Method::kPlr);
  EXPECT_EQ(to_toml(config), to_toml(preset("minigrid-multiroom")));
}

TEST(TrainConfig, AcceptsSettingsOfEarlierVersionsWithoutEffect) {
  TrainConfig config;
  const std::string before = to_toml(config);
  set(config, "slot_groups", "3");
  EXPECT_EQ(to_toml(config), before);
  EXPECT_FALSE(obsolete_reason("slot_groups").empty());
  EXPECT_TRUE(obsolete_reason("steps").empty());
}

TEST(TrainConfig, TheLearningRateIsConstantOrDecreasesLinearlyToZero) {
  TrainConfig config;
  config.env.num_slots = 10;
  config.schedule.rollout_length = 10;
  config.schedule.steps = 450;  // four updates
  config.ppo.adam.learning_rate = 0.4;
  EXPECT_EQ(learning_rate_of(config, 3), 0.4);
  config.schedule.learning_rate_schedule = LearningRateSchedule::kLinear;
  EXPECT_EQ(learning_rate_of(config, 0), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate_of(config, 1), 0.3);
  EXPECT_DOUBLE_EQ(learning_rate_of(config, 3), 0.1);
}

TEST(TrainConfig, NamesTheInvalidSettingAndItsBound) {
  EXPECT_EQ(message_of_set("temperatur", "1"),
            "unknown setting 'temperatur'; did you mean temperature?");
  EXPECT_EQ(message_of_set("temperature", "-1"), "temperature must be above 0, not -1");
  EXPECT_EQ(message_of_set("temperature", "warm"), "temperature must be a number, not warm");
  EXPECT_EQ(message_of_set("epochs", "1.5"), "epochs must be a whole number, not 1.5");
  EXPECT_EQ(message_of_set("pool", "yes"), "pool must be true or false, not yes");
  EXPECT_EQ(message_of_set("curriculum", "prl"),
            "curriculum must be one of plr, uniform, tscl, sfl, not prl");
  EXPECT_THROW(preset("minigrid-multirom"), std::invalid_argument);
}

TEST(TrainConfig, NamesTheCurriculumThatDoesNotFitTheDecision) {
  const auto message_of = [](const auto& change) {
    TrainConfig config = preset("maze-accel");
    change(config);
    return invalid_argument_of([&] { check(config); });
  };
  EXPECT_EQ(message_of([](TrainConfig& c) { c.task.curriculum = CurriculumKind::kUniform; }),
            "curriculum must be plr or sfl with decide = rollout, not uniform");
  EXPECT_EQ(message_of([](TrainConfig& c) {
              c.task.curriculum = CurriculumKind::kSfl;
              c.task.decide = Decide::kEpisode;
            }),
            "decide must be rollout with curriculum = sfl, not episode");
  EXPECT_EQ(message_of([](TrainConfig& c) { c.rewards.normalize_rewards = true; }),
            "normalize_rewards must be false with decide = rollout, whose scores compare returns "
            "with values");
}

TEST(TrainConfig, TellsIfNoRolloutWillBeLearnedFrom) {
  TrainConfig config = preset("maze-accel");
  EXPECT_EQ(no_update_note(config), "");
  // Half of 4,000 levels from rollouts of 32 slots: 62.5, and one that replays.
  config.schedule.steps = 64 * steps_per_update(config);
  EXPECT_EQ(no_update_note(config), "");
  config.schedule.steps -= 1;
  EXPECT_EQ(no_update_note(config),
            "this run ends before the agent learns: it learns from replayed levels, replay begins "
            "when the buffer has 2000 levels, and 63 rollouts of 32 slots fill it no further; "
            "lower buffer_capacity, or raise steps");
  config.rollout_replay.learn_on_new = true;
  EXPECT_EQ(no_update_note(config), "");
}

TEST(TrainConfig, LabelsCurriculaThatDecidePerRollout) {
  EXPECT_EQ(method_name(preset("maze-plr")), "plr");
  EXPECT_EQ(method_name(preset("maze-plr-perp")), "plr-perp");
  EXPECT_EQ(method_name(preset("maze-accel")), "accel");
  EXPECT_EQ(method_name(preset("maze-sfl")), "sfl");
}

// The rollouts of these presets give the gradient updates of their papers: a replay is followed by
// a rollout on edited levels, which the agent does not learn from.
TEST(TrainConfig, MazePresetsHaveTheGradientUpdatesOfTheirPapers) {
  const auto gradient_updates = [](const char* name) {
    const TrainConfig config = preset(name);
    const double replay = config.rollout_replay.replay_probability;
    const double cycle = config.rollout_replay.num_edits > 0 ? 1 + replay : 1;
    return static_cast<double>(num_updates(config)) * replay / cycle;
  };
  EXPECT_NEAR(gradient_updates("maze-plr-perp-minimax"), 30'000, 1);
  EXPECT_NEAR(gradient_updates("maze-accel-minimax"), 30'000, 1);
  EXPECT_NEAR(gradient_updates("maze-plr-perp-dcd"), 20'000, 1);
  EXPECT_NEAR(gradient_updates("maze-accel-dcd"), 20'000, 1);
  EXPECT_EQ(num_updates(preset("maze-accel")), 30'000);  // JaxUED counts rollouts
}

}  // namespace
}  // namespace plr::train
