// A level that is started equals the level of its seed.
//
// The reference is an environment of the library that was made for this one seed and has played
// nothing: every byte of every observation, every reward and every end is compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plr/base/fields.h"
#include "plr/base/random.h"
#include "plr/procgen/level_game.h"
#include "tests/support/procgen_installed.h"

namespace plr::procgen {
namespace {

constexpr int kNumLevels = 30;
constexpr int kMaxSteps = 300;

RawEnv fresh_env(const Variant& variant, LevelId level) {
  return {Library::installed(), variant, 1, {static_cast<std::int32_t>(level), 1}};
}

// Levels of the training sets and of the full distribution, and the last one, unordered.
std::vector<LevelId> some_levels(Random& random) {
  std::vector<LevelId> levels = {kLastLevel, 0};
  while (levels.size() < kNumLevels) {
    levels.push_back(random.below(levels.size() % 2 == 0 ? 500 : kLastLevel));
  }
  return levels;
}

struct Differences {
  int in_play = 0;
  int free_wins = 0;  // the new environment alone solved the level in its first step
};

// Plays both environments up to the end or for a random number of steps.
void compare(LevelGame& game, const Variant& variant, LevelId level, Random& random,
             Differences& differences) {
  RawEnv fresh = fresh_env(variant, level);
  game.start(level);
  const auto same_picture = [&] {
    return std::ranges::equal(game.observation(), fresh.observation(0));
  };
  bool is_same = same_picture();
  const auto num_steps = static_cast<int>(random.below(kMaxSteps)) + 1;
  for (int t = 0; t < num_steps && is_same; ++t) {
    const auto action = static_cast<std::int32_t>(random.below(kNumActions));
    fresh.set_action(0, action);
    fresh.act();
    game.step(action);
    if (t == 0 && fresh.is_first(0) && fresh.is_complete(0) && !game.has_ended()) {
      ++differences.free_wins;
      return;
    }
    is_same = same_picture() && game.reward() == fresh.reward(0) &&
              game.has_ended() == fresh.is_first(0) && game.is_solved() == fresh.is_complete(0);
    if (fresh.is_first(0)) break;
  }
  if (!is_same) ++differences.in_play;
}

class FreshLevel : public ::testing::TestWithParam<Variant> {};

std::string test_name(const ::testing::TestParamInfo<Variant>& info) {
  return info.param.game->name + "_" + to_text(info.param.mode);
}

INSTANTIATE_TEST_SUITE_P(Procgen, FreshLevel, ::testing::ValuesIn(variants()), test_name);

TEST_P(FreshLevel, IsStartedIndependentOfEarlierEpisodes) {
  PLR_NEEDS_PROCGEN();
  const Library& library = Library::installed();
  LevelGame game(library, GetParam(), StartState(library, GetParam()));
  Random random = Streams(1).named(GetParam().env_name());
  Differences differences;
  for (const LevelId level : some_levels(random)) {
    compare(game, GetParam(), level, random, differences);
  }
  EXPECT_EQ(differences.in_play, 0);
  const bool may_differ = GetParam().game->name == "miner";
  EXPECT_TRUE(may_differ || differences.free_wins == 0) << differences.free_wins;
}

TEST_P(FreshLevel, IsRestartedAfterItsEpisodeEnded) {
  PLR_NEEDS_PROCGEN();
  // At that point the library has already restarted the level.
  constexpr int kLongEnough = 2000;
  const Library& library = Library::installed();
  LevelGame game(library, GetParam(), StartState(library, GetParam()));
  Random random = Streams(2).named(GetParam().env_name());
  Differences differences;
  int num_again = 0;
  for (LevelId level = 0; level < 10; ++level) {
    game.start(level);
    int t = 0;
    do {
      game.step(static_cast<std::int32_t>(random.below(kNumActions)));
    } while (!game.has_ended() && ++t < kLongEnough);
    num_again += game.is_at_start_of(level);
    EXPECT_FALSE(game.is_at_start_of(level + 1));
    compare(game, GetParam(), level, random, differences);
  }
  EXPECT_EQ(num_again > 0, !GetParam().game->remembers);
  EXPECT_EQ(differences.in_play, 0);
}

TEST_P(FreshLevel, DiffersFromOtherLevels) {
  PLR_NEEDS_PROCGEN();
  // The comparison above can fail: other seeds have other first observations.
  const Library& library = Library::installed();
  LevelGame game(library, GetParam(), StartState(library, GetParam()));
  int num_different = 0;
  for (LevelId level = 0; level < 5; ++level) {
    game.start(level + 1);
    const RawEnv fresh = fresh_env(GetParam(), level);
    if (!std::ranges::equal(game.observation(), fresh.observation(0))) ++num_different;
  }
  EXPECT_EQ(num_different, 5);
}

// ---- the one exception

// Whether some first move solves the level.
template <class Ends>
bool has_free_win(Ends ends_with) {
  constexpr std::int32_t kMoves[] = {1, 3, 4, 5, 7};  // left, down, none, up, right
  return std::ranges::any_of(kMoves, ends_with);
}

TEST(Miner, IsNeverSolvedByTheFirstMoveUnlikeANewEnvironment) {
  PLR_NEEDS_PROCGEN();
  const Library& library = Library::installed();
  const Variant miner = *find_variant("procgen/miner");
  LevelGame game(library, miner, StartState(library, miner));
  int num_fresh = 0;
  int num_ours = 0;
  for (LevelId level = 0; level < 200; ++level) {
    num_fresh += has_free_win([&](std::int32_t action) {
      RawEnv fresh = fresh_env(miner, level);
      fresh.set_action(0, action);
      fresh.act();
      return fresh.is_first(0) && fresh.is_complete(0);
    });
    num_ours += has_free_win([&](std::int32_t action) {
      game.start(level);
      game.step(action);
      return game.has_ended() && game.is_solved();
    });
  }
  EXPECT_EQ(num_fresh, 15);  // of the 200 training levels of the paper
  EXPECT_EQ(num_ours, 0);
}

}  // namespace
}  // namespace plr::procgen
