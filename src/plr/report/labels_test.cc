#include "plr/report/labels.h"

#include <gtest/gtest.h>

#include "plr/core/episode_scorer.h"
#include "plr/core/level_replay_config.h"
#include "plr/run/method_name.h"

namespace plr::report {
namespace {

using Settings = std::map<std::string, std::string>;

RunData run_with(Settings settings) {
  settings.emplace("env", "minigrid/X");
  settings.emplace("curriculum", "plr");
  RunData run;
  run.settings = std::move(settings);
  return run;
}

TEST(Labels, NameMethodsAsInThePaper) {
  EXPECT_EQ(run::method_name(run_with({}).settings), "plr");
  EXPECT_EQ(run::method_name(run_with({{"curriculum", "uniform"}}).settings), "uniform");
  EXPECT_EQ(run::method_name(
                run_with({{"drac", "true"}, {"augmentation", "ucb"}, {"mixreg", "0"}}).settings),
            "ucb-drac+plr");
  EXPECT_EQ(run::method_name(run_with({{"curriculum", "uniform"}, {"mixreg", "0.01"}}).settings),
            "mixreg");
  EXPECT_EQ(run::method_name(run_with({{"drac", "true"}, {"augmentation", "crop"}}).settings),
            "drac-crop+plr");
}

TEST(Labels, NameCurriculaThatDecidePerRollout) {
  const Settings plr = {{"decide", "rollout"}, {"learn_on_new", "true"}, {"num_edits", "0"}};
  const Settings robust = {{"decide", "rollout"}, {"learn_on_new", "false"}, {"num_edits", "0"}};
  const Settings accel = {{"decide", "rollout"}, {"learn_on_new", "false"}, {"num_edits", "5"}};
  EXPECT_EQ(run::method_name(run_with(plr).settings), "plr");
  EXPECT_EQ(run::method_name(run_with(robust).settings), "plr-perp");
  EXPECT_EQ(run::method_name(run_with(accel).settings), "accel");
  EXPECT_EQ(run::method_name(run_with({{"curriculum", "sfl"}, {"decide", "rollout"}}).settings),
            "sfl");
  // The settings have defaults in runs that decide per episode.
  EXPECT_EQ(run::method_name(run_with({{"decide", "episode"}, {"learn_on_new", "false"}}).settings),
            "plr");
  // The settings that make the method are not part of its label.
  const std::vector<RunData> runs = {run_with(plr), run_with(robust), run_with(accel)};
  EXPECT_EQ(run_labels(runs), (std::vector<std::string>{"plr", "plr-perp", "accel"}));
  EXPECT_EQ(ordered_labels(std::vector<std::string>{"accel", "sfl", "plr-perp", "uniform"}),
            (std::vector<std::string>{"uniform", "plr-perp", "accel", "sfl"}));
}

TEST(Labels, ListSettingsInWhichRunsOfAMethodDiffer) {
  const std::vector<RunData> runs = {
      run_with({{"seed", "1"}, {"staleness_coef", "0.1"}, {"threads", "1"}}),
      run_with({{"seed", "2"}, {"staleness_coef", "0.3"}, {"threads", "2"}}),
      run_with({{"seed", "1"}, {"curriculum", "uniform"}, {"staleness_coef", "0.3"}})};
  EXPECT_EQ(run_labels(runs), (std::vector<std::string>{"plr, staleness_coef 0.1",
                                                        "plr, staleness_coef 0.3", "uniform"}));
}

TEST(Labels, AbbreviateReleasedCodeSettingsIfOtherRunsDiffer) {
  Settings released;
  Settings other;
  const auto add = [&](const auto& field, const auto&) {
    if (!field.released()) return;
    released.emplace(field.name(), to_text(*field.released()));
    other.emplace(field.name(), "0");
  };
  visit_descriptions(LevelReplayConfig{}, add);
  visit_descriptions(EpisodeScorerConfig{}, add);
  const std::vector<RunData> runs = {run_with(other), run_with(released)};
  EXPECT_EQ(run_labels(runs), (std::vector<std::string>{"plr", "plr, released-code"}));
  EXPECT_EQ(run_labels(std::span(runs).subspan(1)), (std::vector<std::string>{"plr"}));
  other["open_episodes"] = "stitch";
  const std::vector<RunData> three = {runs[0], runs[1], run_with(other)};
  EXPECT_EQ(run_labels(three),
            (std::vector<std::string>{"plr, open_episodes 0", "plr, released-code",
                                      "plr, open_episodes stitch"}));
}

TEST(Labels, ListDifferentBudgetsOfAnyMethods) {
  const std::vector<RunData> runs = {run_with({{"steps", "50000000"}}),
                                     run_with({{"curriculum", "uniform"}, {"steps", "120000000"}}),
                                     run_with({{"env", "minigrid/Y"}, {"steps", "50000000"}})};
  EXPECT_EQ(run_labels(runs),
            (std::vector<std::string>{"plr, steps 50M", "uniform, steps 120M", "plr, steps 50M"}));
}

TEST(Labels, ListSettingsInWhichReleasedCodeRunsDiffer) {
  Settings released = {{"steps", "86000000"}, {"entropy_coef", "0.003"}};
  const auto add = [&](const auto& field, const auto&) {
    if (field.released()) released.emplace(field.name(), to_text(*field.released()));
  };
  visit_descriptions(LevelReplayConfig{}, add);
  visit_descriptions(EpisodeScorerConfig{}, add);
  const std::vector<RunData> runs = {run_with({{"steps", "50000000"}, {"entropy_coef", "0.01"}}),
                                     run_with(released)};
  EXPECT_EQ(run_labels(runs),
            (std::vector<std::string>{"plr, entropy_coef 0.01, steps 50M",
                                      "plr, released-code, entropy_coef 0.003, steps 86M"}));
}

TEST(Labels, ListTheStrengthOfMixreg) {
  const std::vector<RunData> runs = {run_with({{"curriculum", "uniform"}, {"mixreg", "0.01"}}),
                                     run_with({{"curriculum", "uniform"}, {"mixreg", "0.2"}})};
  EXPECT_EQ(run_labels(runs),
            (std::vector<std::string>{"mixreg, mixreg 0.01", "mixreg, mixreg 0.2"}));
}

TEST(Labels, LeaveOutDefinitionsOfTheScoreUnderUniformSampling) {
  const Settings pieces = {{"curriculum", "uniform"}, {"open_episodes", "commit"}};
  const Settings whole = {{"curriculum", "uniform"}, {"open_episodes", "stitch"}};
  const std::vector<RunData> uniform = {run_with(pieces), run_with(whole)};
  EXPECT_EQ(run_labels(uniform), (std::vector<std::string>{"uniform", "uniform"}));
  const std::vector<RunData> discounts = {run_with({{"curriculum", "uniform"}, {"gamma", "0.9"}}),
                                          run_with({{"curriculum", "uniform"}, {"gamma", "1"}})};
  EXPECT_EQ(run_labels(discounts),
            (std::vector<std::string>{"uniform, gamma 0.9", "uniform, gamma 1"}));
}

TEST(Labels, LeaveOutLevelReplayUnderUniformSamplingButNotTheStart) {
  const auto uniform = [](const char* name, const char* value) {
    return run_with({{"curriculum", "uniform"}, {name, value}});
  };
  const std::vector<RunData> ignored = {uniform("warmup_fraction", "0"),
                                        uniform("warmup_fraction", "1")};
  EXPECT_EQ(run_labels(ignored), (std::vector<std::string>{"uniform", "uniform"}));
  const std::vector<RunData> starts = {uniform("first_levels", "drawn"),
                                       uniform("first_levels", "sequential")};
  EXPECT_EQ(run_labels(starts), (std::vector<std::string>{"uniform, first_levels drawn",
                                                          "uniform, first_levels sequential"}));
}

TEST(Labels, LeaveOutSettingsOfDracWithoutDrac) {
  const auto run = [](const char* drac, const char* sampled) {
    return run_with({{"drac", drac}, {"augmentation", "ucb"}, {"drac_sampled", sampled}});
  };
  const std::vector<RunData> without = {run("false", "false"), run("false", "true")};
  EXPECT_EQ(run_labels(without), (std::vector<std::string>{"plr", "plr"}));
  const std::vector<RunData> with = {run("true", "false"), run("true", "true")};
  EXPECT_EQ(run_labels(with), (std::vector<std::string>{"ucb-drac+plr, drac_sampled false",
                                                        "ucb-drac+plr, drac_sampled true"}));
}

TEST(Labels, LeaveOutSettingsOfOtherNetworks) {
  const auto labels = [](const Settings& common, const char* name) {
    std::vector<RunData> runs;
    for (const char* value : {"false", "true"}) {
      Settings settings = common;
      settings[name] = value;
      runs.push_back(run_with(settings));
    }
    return run_labels(runs);
  };
  const std::vector<std::string> equal = {"plr", "plr"};
  const std::vector<std::string> pools = {"plr, pool false", "plr, pool true"};
  const std::vector<std::string> skips = {"plr, relu_skip false", "plr, relu_skip true"};
  EXPECT_EQ(labels({{"env", "procgen/bigfish"}, {"network", "auto"}}, "pool"), equal);
  EXPECT_EQ(labels({{"env", "procgen/bigfish"}}, "relu_skip"), skips);
  EXPECT_EQ(labels({{"env", "procgen/bigfish"}, {"network", "cnn"}}, "relu_skip"), equal);
  EXPECT_EQ(labels({{"env", "minigrid/MultiRoom-N4-Random"}}, "relu_skip"), equal);
  EXPECT_EQ(labels({{"env", "minigrid/MultiRoom-N4-Random"}}, "pool"), pools);
  EXPECT_EQ(labels({{"env", "someone/else"}}, "pool"), pools);
}

TEST(Labels, LeaveOutSettingsThatDifferOnlyBetweenEnvironments) {
  const std::vector<RunData> runs = {run_with({{"env", "minigrid/X"}, {"levels", "4000"}}),
                                     run_with({{"env", "minigrid/Y"}, {"levels", "3000"}})};
  EXPECT_EQ(run_labels(runs), (std::vector<std::string>{"plr", "plr"}));
  EXPECT_EQ(differing_settings(runs), (std::vector<std::string>{"env", "levels"}));
}

TEST(Labels, AreInTheOrderOfThePaper) {
  const std::vector<std::string> labels = {"plr", "other", "ucb-drac+plr", "plr", "uniform"};
  EXPECT_EQ(ordered_labels(labels),
            (std::vector<std::string>{"uniform", "plr", "ucb-drac+plr", "other"}));
}

}  // namespace
}  // namespace plr::report
