#include "plr/core/episode_scorer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "plr/core/algorithms.h"
#include "tests/support/error_message.h"

namespace plr {
namespace {

// rewards (0, 0, 1), values (.5, .6, .7), gamma .999, lambda .95 throughout, unless stated
// otherwise.
void play_three_steps(EpisodeScorer& scorer, double last_reward = 1, std::size_t slot = 0) {
  scorer.step(slot, 0, .5, 0);
  scorer.step(slot, 0, .6, 0);
  scorer.step(slot, last_reward, .7, 0);
}

std::vector<EpisodeResult> drained(EpisodeScorer& scorer) {
  std::vector<EpisodeResult> results;
  scorer.drain([&](const EpisodeResult& result) { results.push_back(result); });
  return results;
}

double terminal_score(const EpisodeScorerConfig& config) {
  EpisodeScorer scorer(config, 1, 3);
  scorer.begin(0, 9);
  play_three_steps(scorer);
  scorer.end(0, 1);
  return drained(scorer).at(0).score;
}

double open_score(EpisodeScorerConfig config) {
  config.open_episodes = OpenEpisodes::kCommit;
  EpisodeScorer scorer(config, 1, 3);
  scorer.begin(0, 9);
  play_three_steps(scorer, 0);
  scorer.end_rollout(std::vector<float>{.8F});
  return drained(scorer).at(0).score;
}

TEST(EpisodeScorer, AveragesTheAbsoluteAdvantages) {
  // A = (0.4638494, 0.384015, 0.3)
  EXPECT_NEAR(terminal_score({}), 0.3826215, 1e-7);
  // Not terminal, no reward, bootstrap .8: A = (0.2829897, 0.1934458, 0.0992)
  EXPECT_NEAR(open_score({}), 0.1918785, 1e-7);
}

TEST(EpisodeScorer, KeepsTheSignOfTheAdvantageForGae) {
  // One step of reward 0 and value .5: A = -.5.
  EpisodeScorer scorer({.score_function = ScoreFunction::kGae}, 1, 3);
  scorer.begin(0, 9);
  scorer.step(0, 0, .5, 0);
  scorer.end(0, 0);
  EXPECT_EQ(drained(scorer).at(0).score, -.5);
}

TEST(EpisodeScorer, AveragesTheOneStepErrorsOfAllSteps) {
  // |delta| = (.0994, .0993, .3)
  EXPECT_NEAR(terminal_score({.score_function = ScoreFunction::kOneStepTdError}),
              (.0994 + .0993 + .3) / 3, 1e-12);
}

TEST(EpisodeScorer, OmitsTheLastStepFromTheReleasedTdErrors) {
  // |0 + .5 - .6| and |0 + .6 - .7|; the reward of the last step does not count.
  const EpisodeScorerConfig config{.score_function = ScoreFunction::kOneStepTdError,
                                   .released_td_error = true};
  EXPECT_NEAR(terminal_score(config), .1, 1e-12);
  // A single step would have no term.
  EpisodeScorer scorer(config, 1, 3);
  scorer.begin(0, 9);
  scorer.step(0, 1, .7, 0);
  scorer.end(0, 1);
  EXPECT_NEAR(drained(scorer).at(0).score, .3, 1e-12);
}

TEST(EpisodeScorer, CountsTheTailRowOfOpenEpisodesOnly) {
  // (3 * 0.1918785 + .8) / 4, and for the signed one the value is subtracted.
  EXPECT_NEAR(open_score({.tail_row = true}), (3 * 0.1918785 + .8) / 4, 1e-7);
  EXPECT_NEAR(open_score({.score_function = ScoreFunction::kGae, .tail_row = true}),
              (3 * 0.1918785 - .8) / 4, 1e-7);
  EXPECT_NEAR(terminal_score({.tail_row = true}), 0.3826215, 1e-7);
}

TEST(EpisodeScorer, StitchesAnEpisodeThatSpansRollouts) {
  EpisodeScorer scorer({.open_episodes = OpenEpisodes::kStitch}, 1, 3);
  scorer.begin(0, 9);
  play_three_steps(scorer, 0);
  scorer.end_rollout(std::vector<float>{.8F});
  EXPECT_TRUE(drained(scorer).empty());
  play_three_steps(scorer);
  scorer.end(0, 1);
  EXPECT_NEAR(drained(scorer).at(0).score, 0.28725, 1e-7);  // (0.1918785 + 0.3826215) / 2
}

TEST(EpisodeScorer, StitchesByTheNumberOfSteps) {
  // Policy terms 1, 2 | 6: the mean of all three is 3, of the pieces' means 3.75.
  EpisodeScorer scorer(
      {.score_function = ScoreFunction::kLeastConfidence, .open_episodes = OpenEpisodes::kStitch},
      1, 2);
  scorer.begin(0, 9);
  scorer.step(0, 0, 0, 1);
  scorer.step(0, 0, 0, 2);
  scorer.end_rollout(std::vector<float>{0});
  scorer.step(0, 0, 0, 6);
  scorer.end(0, 0);
  EXPECT_NEAR(drained(scorer).at(0).score, 3, 1e-12);
}

TEST(EpisodeScorer, CommitsThePiecesOfAnOpenEpisodeOneByOne) {
  EpisodeScorer scorer({.open_episodes = OpenEpisodes::kCommit}, 1, 3);
  scorer.begin(0, 9);
  play_three_steps(scorer, 0);
  scorer.end_rollout(std::vector<float>{.8F});
  const EpisodeResult piece = drained(scorer).at(0);
  EXPECT_NEAR(piece.score, 0.1918785, 1e-7);
  EXPECT_FALSE(piece.is_finished);
  play_three_steps(scorer);
  scorer.end(0, 1);
  EXPECT_NEAR(drained(scorer).at(0).score, 0.3826215, 1e-7);
}

TEST(EpisodeScorer, DropsACommittedZeroUnlessCommitZerosIsSet) {
  for (const bool commit_zeros : {true, false}) {
    EpisodeScorer scorer({.open_episodes = OpenEpisodes::kCommit, .commit_zeros = commit_zeros}, 1,
                         1);
    scorer.begin(0, 9);
    scorer.step(0, 0, 0, 0);
    scorer.end_rollout(std::vector<float>{0});
    EXPECT_EQ(drained(scorer).size(), commit_zeros ? 1U : 0U);
  }
}

TEST(EpisodeScorer, ScoresAnEpisodeThatEndsWithTheRolloutOnce) {
  EpisodeScorer scorer({}, 1, 3);
  scorer.begin(0, 9);
  play_three_steps(scorer);
  scorer.end(0, 1);
  scorer.begin(0, 10);
  scorer.end_rollout(std::vector<float>{100});  // of level 10's first state: not of level 9
  const auto results = drained(scorer);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_NEAR(results[0].score, 0.3826215, 1e-7);
}

// Two slots: slot 1 ends at the first step, slot 0 at the second.
std::vector<LevelId> order_of(const EpisodeScorerConfig& config, std::size_t& before_rollout_end) {
  EpisodeScorer scorer(config, 2, 2);
  std::vector<LevelId> levels;
  const auto collect = [&] {
    scorer.drain([&](const EpisodeResult& result) { levels.push_back(result.level); });
  };
  scorer.begin(0, 100);
  scorer.begin(1, 101);
  scorer.step(0, 0, 1, 0);
  scorer.step(1, 0, 1, 0);
  scorer.end(1, 0);
  collect();
  scorer.begin(1, 102);
  scorer.step(0, 0, 1, 0);
  scorer.step(1, 0, 1, 0);
  scorer.end(0, 0);
  collect();
  scorer.begin(0, 103);
  before_rollout_end = levels.size();
  scorer.end_rollout(std::vector<float>{1, 1});
  collect();
  return levels;
}

TEST(EpisodeScorer, MakesResultsDueAtTheEndOfTheEpisodeOrOfTheRollout) {
  std::size_t before = 0;
  EXPECT_EQ(order_of({.open_episodes = OpenEpisodes::kStitch}, before),
            (std::vector<LevelId>{101, 100}));
  EXPECT_EQ(before, 2U);
  EXPECT_EQ(
      order_of({.score_update = ScoreUpdate::kRollout, .open_episodes = OpenEpisodes::kStitch},
               before),
      (std::vector<LevelId>{101, 100}));
  EXPECT_EQ(before, 0U);
  EXPECT_EQ(order_of({.score_update = ScoreUpdate::kRollout}, before),
            (std::vector<LevelId>{101, 100, 102}));
  EXPECT_EQ(before, 0U);
  // Open episodes come last, also if the others come in the order of the slots.
  EXPECT_EQ(order_of({}, before), (std::vector<LevelId>{101, 100, 102}));
  EXPECT_EQ(before, 2U);
  EXPECT_EQ(order_of(released_code<EpisodeScorerConfig>(), before),
            (std::vector<LevelId>{100, 101, 102}));
}

TEST(PolicyTerm, EqualsHandComputedValues) {
  // p = (1/2, 1/4, 1/4): entropy 1.5 ln 2 of ln 3; 1 - 1/2; 1 - (1/2 - 1/4).
  const std::vector<float> log_probs = {std::log(0.5F), std::log(0.25F), std::log(0.25F)};
  EXPECT_NEAR(policy_term(ScoreFunction::kPolicyEntropy, log_probs),
              1.5 * std::log(2.0) / std::log(3.0), 1e-7);
  EXPECT_NEAR(policy_term(ScoreFunction::kLeastConfidence, log_probs), 0.5, 1e-7);
  EXPECT_NEAR(policy_term(ScoreFunction::kMinMargin, log_probs), 0.75, 1e-7);
  EXPECT_EQ(policy_term(ScoreFunction::kValueL1, log_probs), 0);
}

TEST(PolicyTerm, IgnoresAnActionOfProbabilityZero) {
  const std::vector<float> log_probs = {0.0F, -INFINITY};
  EXPECT_EQ(policy_term(ScoreFunction::kPolicyEntropy, log_probs), 0);
  EXPECT_EQ(policy_term(ScoreFunction::kMinMargin, log_probs), 0);
}

TEST(EpisodeScorer, FlipsSignsWithPrintedSigns) {
  for (const auto& [function, expected] :
       {std::pair{ScoreFunction::kPolicyEntropy, -0.2}, std::pair{ScoreFunction::kMinMargin, 0.8},
        std::pair{ScoreFunction::kLeastConfidence, 0.2}}) {
    EpisodeScorer scorer({.score_function = function, .printed_signs = true}, 1, 2);
    scorer.begin(0, 9);
    scorer.step(0, 0, 0, 0.2);
    scorer.end(0, 0);
    EXPECT_NEAR(drained(scorer).at(0).score, expected, 1e-12);
  }
}

TEST(EpisodeScorer, RefusesCallsOutOfOrder) {
  EpisodeScorer scorer({}, 1, 1);
  EXPECT_EQ(message_of<std::out_of_range>([&] { scorer.begin(1, 0); }),
            "slot must be from 0 to 0, not 1");
  EXPECT_EQ(invalid_argument_of([&] { scorer.end_rollout({}); }),
            "next_values must have 1 elements, one per slot, not 0");
  EXPECT_THROW(scorer.step(0, 0, 0, 0), std::invalid_argument);
  scorer.begin(0, 0);
  EXPECT_THROW(scorer.begin(0, 0), std::invalid_argument);
  EXPECT_THROW(scorer.end(0, 0), std::invalid_argument);
  scorer.step(0, 0, 0, 0);
  EXPECT_THROW(scorer.step(0, 0, 0, 0), std::invalid_argument);
}

TEST(EpisodeScorer, RefusesSettingsOutOfBounds) {
  EXPECT_THROW(EpisodeScorer({.gamma = 1.1}, 1, 1), std::invalid_argument);
  EXPECT_THROW(EpisodeScorer({.gae_lambda = -0.1}, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace plr
