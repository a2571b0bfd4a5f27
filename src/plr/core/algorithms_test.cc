#include "plr/core/algorithms.h"

#include <gtest/gtest.h>

#include "plr/core/episode_scorer.h"
#include "plr/core/level_replay_config.h"

namespace plr {
namespace {

TEST(SetAlgorithm, SetsTheReleasedValuesAndKeepsTheOthers) {
  LevelReplayConfig config{.temperature = 0.5};
  set_algorithm(config, Algorithm::kReleasedCode);
  EXPECT_EQ(config.temperature, 0.5);
  EXPECT_EQ(config.warmup_fraction, 1);                            // D1
  EXPECT_EQ(config.seen_on, SeenOn::kScore);                       // D3
  EXPECT_EQ(config.start.first_levels, FirstLevels::kSequential);  // D4
  EXPECT_FALSE(config.clip_negative);                              // D15
  EXPECT_TRUE(config.unseen_compete);                              // D16, D30
  EXPECT_EQ(config.staleness_offset, 0);                           // D21
  EXPECT_TRUE(config.replay_unseen);                               // D24
  EXPECT_EQ(config.schedule, ReplaySchedule::kProportionate);      // not a difference
}

TEST(SetAlgorithm, SetsTheReleasedValuesOfTheScorer) {
  const auto config = released_code<EpisodeScorerConfig>();
  EXPECT_EQ(config.score_update, ScoreUpdate::kRollout);   // D5
  EXPECT_EQ(config.open_episodes, OpenEpisodes::kCommit);  // D6
  EXPECT_FALSE(config.commit_zeros);                       // D7
  EXPECT_EQ(config.update_order, UpdateOrder::kSlot);      // D8
  EXPECT_TRUE(config.released_td_error);                   // D14
  EXPECT_TRUE(config.tail_row);                            // D29
}

TEST(SetAlgorithm, FollowsThePaper) {
  auto config = released_code<EpisodeScorerConfig>();
  set_algorithm(config, Algorithm::kPaper);
  EXPECT_EQ(config.open_episodes, OpenEpisodes::kStitch);  // D6
  config.open_episodes = OpenEpisodes::kCommit;
  EXPECT_EQ(fields_text(config), fields_text(EpisodeScorerConfig{}));
}

TEST(SetAlgorithm, ReturnsToTheDefaults) {
  auto config = released_code<LevelReplayConfig>();
  set_algorithm(config, Algorithm::kDefault);
  EXPECT_EQ(fields_text(config), fields_text(LevelReplayConfig{}));
}

struct NetworkConfig {
  bool pool = true;
  static constexpr Field kPool =
      Field{&NetworkConfig::pool, "pool", "of the first layer"}.paper(false).chosen_by_presets();
  static constexpr std::tuple kFields{kPool};
};

TEST(SetAlgorithm, KeepsWhatAPresetChoseWhereTheAlgorithmHasNoValue) {
  for (const bool chosen : {false, true}) {
    NetworkConfig config{.pool = chosen};
    set_algorithm(config, Algorithm::kDefault);
    EXPECT_EQ(config.pool, chosen);
    set_algorithm(config, Algorithm::kReleasedCode);
    EXPECT_EQ(config.pool, chosen);
    set_algorithm(config, Algorithm::kPaper);
    EXPECT_FALSE(config.pool);
  }
}

}  // namespace
}  // namespace plr
