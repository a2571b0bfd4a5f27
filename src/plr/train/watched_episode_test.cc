#include "plr/train/watched_episode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "plr/catalog/make_env.h"
#include "plr/learn/grid_cnn_network.h"
#include "plr/train/evaluator.h"

namespace plr::train {
namespace {

class Watching : public ::testing::Test {
 protected:
  std::vector<EpisodeState> states(const Agent& agent,
                                   std::optional<int> max_steps = std::nullopt) {
    std::vector<EpisodeState> all;
    episode_ = watch_episode(*env_, kLevel, agent, max_steps, [&](const EpisodeState& state) {
      all.push_back(state);
      return true;
    });
    return all;
  }

  static constexpr LevelId kLevel = 5;
  std::unique_ptr<VectorEnv> env_ =
      catalog::make_env("minigrid/MiniGrid-Empty-8x8-v0", {.num_slots = 1});
  std::unique_ptr<learn::Backend> backend_ = learn::make_backend(learn::make_grid_cnn_network(
      {env_->spec().observation_shape[0], env_->spec().observation_shape[1], 3,
       env_->spec().actions},
      {}, Streams(1).named("init"), learn::Precision::kFp32, at::kCPU));
  WatchedEpisode episode_;
};

TEST_F(Watching, PlaysTheSameEpisodeAsAnEvaluator) {
  for (const bool greedy : {false, true}) {
    states(trained_agent(*backend_, greedy, Streams(2).named("actions")));
    const PlayedEpisode played =
        Evaluator(*env_, *backend_).play({kLevel}, greedy, Streams(2).named("actions")).episodes[0];
    EXPECT_EQ(episode_.length, played.length);
    EXPECT_EQ(episode_.episode_return, played.episode_return);
    EXPECT_TRUE(episode_.has_ended);
  }
}

TEST_F(Watching, CallsTheWatcherBeforeEachActionAndAtTheEnd) {
  const std::vector<EpisodeState> all = states(random_agent(7, Streams(3).named("actions")));
  ASSERT_EQ(all.size(), static_cast<std::size_t>(episode_.length) + 1);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += all[i].reward;
    EXPECT_EQ(all[i].step, static_cast<int>(i));
    EXPECT_EQ(all[i].episode_return, sum);
    EXPECT_EQ(all[i].output.has_value(), i + 1 < all.size());
  }
  EXPECT_EQ(episode_.episode_return, sum);
}

TEST_F(Watching, GivesProbabilitiesThatSumToOneAndTheMostProbableActionIfGreedy) {
  for (const EpisodeState& state :
       states(trained_agent(*backend_, true, Streams(4).named("a")), 5)) {
    if (!state.output) continue;
    const auto& p = state.output->probabilities;
    ASSERT_EQ(p.size(), 7U);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-6);
    EXPECT_EQ(std::ranges::max_element(p) - p.begin(), state.output->action[0]);
  }
}

TEST_F(Watching, StopsAtItsLimitOrWhenTheWatcherReturnsFalse) {
  const Agent agent = random_agent(7, Streams(3).named("actions"));
  EXPECT_EQ(states(agent, 2).size(), 3U);
  EXPECT_FALSE(episode_.has_ended);
  const auto stop_at_three = [](const EpisodeState& state) { return state.step < 3; };
  episode_ = watch_episode(*env_, kLevel, agent, std::nullopt, stop_at_three);
  EXPECT_EQ(episode_.length, 3);
  EXPECT_FALSE(episode_.has_ended);
}

}  // namespace
}  // namespace plr::train
