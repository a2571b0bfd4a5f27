// ProcgenEnv beyond conformance, which catalog/conformance_test.cc tests.
#include "plr/procgen/procgen_env.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "plr/env/random_play.h"
#include "plr/env/slot_player_testing.h"
#include "tests/support/error_message.h"
#include "tests/support/procgen_installed.h"

namespace plr::procgen {
namespace {

constexpr Action kNoMove = 4;

std::unique_ptr<VectorEnv> make(const std::string& game, int num_slots, int num_workers = 1) {
  return std::make_unique<ProcgenEnv>(
      find_variant("procgen/" + game).value(),
      EnvOptions{.num_slots = num_slots, .num_workers = num_workers});
}

// ---- every game in every mode

class EveryVariant : public ::testing::TestWithParam<Variant> {};

std::string test_name(const ::testing::TestParamInfo<Variant>& info) {
  return info.param.game->name + "_" + to_text(info.param.mode);
}

INSTANTIATE_TEST_SUITE_P(Procgen, EveryVariant, ::testing::ValuesIn(variants()), test_name);

// The step limit in a state of the library: after the seeds, two random generators as text, and
// four numbers.
std::int32_t step_limit_in(const std::vector<char>& state, const std::string& game) {
  const auto number_at = [&](std::size_t offset) {
    std::int32_t number = 0;
    std::memcpy(&number, state.data() + offset, sizeof number);
    return number;
  };
  std::size_t offset = 76 + game.size();
  for (int generator = 0; generator < 2; ++generator) {
    offset += 8 + static_cast<std::size_t>(number_at(offset + 4));
  }
  return number_at(offset + 16);
}

TEST_P(EveryVariant, HasTheStepLimitOfTheLibrary) {
  PLR_NEEDS_PROCGEN();
  RawEnv env(Library::installed(), GetParam(), 1, {.first = 0, .count = 1});
  EXPECT_EQ(step_limit_in(env.state(0), GetParam().game->name), GetParam().max_steps());
}

// ---- ends

TEST(ProcgenEnv, IsTruncatedOnlyAtTheStepLimit) {
  PLR_NEEDS_PROCGEN();
  // An agent that does not move in maze never ends the episode.
  SlotPlayer player(make("maze", 1));
  player.start(0, 3);
  const Episode idle = player.play(0, std::vector<Action>(1000, kNoMove));
  ASSERT_EQ(idle.size(), 500U);
  EXPECT_TRUE(idle.back().truncated);
  EXPECT_FALSE(idle.back().terminated);
  EXPECT_FALSE(player.env().has_solved(0));
  for (std::size_t i = 0; i + 1 < idle.size(); ++i) ASSERT_FALSE(idle[i].truncated);
}

TEST(ProcgenEnv, ALevelIsSolvedIfTheGameReportsIt) {
  PLR_NEEDS_PROCGEN();
  // The coin gives 10, everything else 0.
  const auto env = make("coinrun", 16);
  RandomPlay play(*env, 1);
  int num_solved = 0;
  int num_lost = 0;
  for (int i = 0; i < 1500; ++i) {
    play.step();
    for (int slot = 0; slot < 16; ++slot) {
      if (!play.batch().ended(slot)) continue;
      const auto k = static_cast<std::size_t>(slot);
      EXPECT_EQ(env->has_solved(slot), play.batch().rewards[k] == 10);
      env->has_solved(slot) ? ++num_solved : ++num_lost;
    }
  }
  EXPECT_GT(num_solved, 0);
  EXPECT_GT(num_lost, 0);
}

// ---- cached start states

// A checksum of an episode's observations and rewards.
std::uint64_t trace_of(VectorEnv& env, int slot, LevelId level) {
  StepBuffers buffers(env.spec());
  const StepBatch batch = buffers.batch();
  env.start(std::vector<Start>{{slot, level}}, batch);
  Random random = Streams(level).named("actions");
  std::uint64_t sum = checksum(std::as_bytes(batch.observations));
  for (int step = 0; step < 60 && env.is_running(slot); ++step) {
    const std::vector<Action> action = {static_cast<Action>(random.below(kNumActions))};
    env.step({slot, slot + 1}, action, batch);
    sum = sum * 31 + checksum(std::as_bytes(batch.observations));
    sum = sum * 31 + checksum(std::as_bytes(batch.rewards));
  }
  return sum;
}

TEST_P(EveryVariant, StartsACachedLevelLikeAGeneratedOne) {
  PLR_NEEDS_PROCGEN();
  // A level is generated at its first two starts and loaded at later ones, also in another slot.
  ProcgenEnv env(GetParam(), {.num_slots = 2, .num_workers = 1});
  ProcgenEnv fresh(GetParam(), {.num_slots = 2, .num_workers = 1});
  for (const LevelId level : {LevelId{3}, LevelId{124}, LevelId{193}}) {
    for (const int slot : {0, 1}) {
      const std::uint64_t made = trace_of(fresh, slot, level);
      EXPECT_EQ(trace_of(env, slot, level), made) << level;
      EXPECT_EQ(trace_of(env, slot, level), made) << level;
      EXPECT_EQ(trace_of(env, slot, level), made) << level;
      env.start(std::vector<Start>{{slot, level + 1}}, StepBuffers(env.spec()).batch());
      EXPECT_EQ(trace_of(env, slot, level), made) << level;
    }
  }
}

// ---- workers

TEST(ProcgenEnv, EpisodesDoNotDependOnTheNumberOfWorkers) {
  PLR_NEEDS_PROCGEN();
  // Short episodes, so that steps and starts alternate; slow and fast games.
  for (const std::string game : {"leaper", "bossfight", "bigfish-hard"}) {
    const auto one = make(game, 12, 1);
    RandomPlay expected(*one, 7);
    std::vector<std::uint64_t> sums;
    for (int i = 0; i < 300; ++i) {
      expected.step();
      sums.push_back(checksum(std::as_bytes(expected.batch().observations)) ^
                     checksum(std::as_bytes(expected.batch().rewards)));
    }
    for (const int num_workers : {2, 4, 0}) {
      const auto env = make(game, 12, num_workers);
      RandomPlay play(*env, 7);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        play.step();
        ASSERT_EQ(checksum(std::as_bytes(play.batch().observations)) ^
                      checksum(std::as_bytes(play.batch().rewards)),
                  sums[i])
            << game << " with " << num_workers << " workers at step " << i;
      }
      EXPECT_EQ(play.num_episodes(), expected.num_episodes());
    }
  }
}

// ---- options

std::string error_for(const EnvOptions& options) {
  return invalid_argument_of([&] { ProcgenEnv(*find_variant("procgen/maze"), options); });
}

TEST(ProcgenEnv, CopiesOfTheLibraryAreDistinct) {
  PLR_NEEDS_PROCGEN();
  const auto make = [](int copy) { return Library::installed(copy).functions().make; };
  EXPECT_EQ(make(0), Library::installed().functions().make);
  EXPECT_NE(make(1), make(0));
  EXPECT_EQ(make(1), make(1));
}

TEST(ProcgenEnv, RefusesOptionsThatItDoesNotOffer) {
  EXPECT_EQ(error_for({.num_slots = 0}), "num_slots must be from 1 to 65536, not 0");
  EXPECT_EQ(error_for({.observation = Observation::kView}),
            "observation: procgen/maze offers full only, not view");
  EXPECT_EQ(error_for({.seeding = LevelSeeding::kPcg64}),
            "seeding: procgen/maze offers default only, not pcg64");
}

TEST(ProcgenEnv, RefusesAnEpisodeOfAnotherModeOrGame) {
  PLR_NEEDS_PROCGEN();
  SlotPlayer easy(make("maze", 1));
  easy.start(0, 3);
  for (const std::string other : {"maze-hard", "heist"}) {
    EXPECT_THROW(make(other, 1)->load(0, easy.saved(0)), std::runtime_error);
  }
}

}  // namespace
}  // namespace plr::procgen
