#include "plr/bench/procgen_speed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "plr/bench/library_play.h"
#include "plr/bench/repeat_play.h"
#include "plr/procgen/procgen_env.h"
#include "tests/support/procgen_installed.h"

namespace plr::bench {
namespace {

TEST(ProcgenSpeed, ComparesTheSameEpisodes) {
  PLR_NEEDS_PROCGEN();
  const procgen::Variant variant = *procgen::find_variant("procgen/leaper");
  constexpr int kNumSlots = 3;
  LibraryPlay library(variant, {0, kNumSlots}, procgen::Library::installed());
  procgen::ProcgenEnv env(variant, {.num_slots = kNumSlots, .num_workers = 1});
  RepeatPlay ours(env);
  int num_ends = 0;
  for (int step = 0; step < 400; ++step) {
    ASSERT_EQ(library.step(), kNumSlots);
    ours.step();
    for (int slot = 0; slot < kNumSlots; ++slot) {
      const auto size = env.spec().observation_size();
      const auto obs =
          ours.batch().observations.subspan(static_cast<std::size_t>(slot) * size, size);
      ASSERT_TRUE(std::ranges::equal(obs, library.observation(slot))) << step << ", " << slot;
      num_ends += ours.batch().ended(slot) ? 1 : 0;
    }
  }
  EXPECT_GT(num_ends, 0);
}

TEST(ProcgenSpeed, MeasuresEveryQuantity) {
  PLR_NEEDS_PROCGEN();
  const ProcgenSpeed speed = measure_procgen(*procgen::find_variant("procgen/bigfish"),
                                             {.num_slots = 4, .num_workers = 2, .seconds = 0.05});
  EXPECT_GT(speed.library, 0);
  EXPECT_GT(speed.one_worker, 0);
  EXPECT_GT(speed.steps_only, speed.one_worker);
  EXPECT_GT(speed.lockstep, 0);
  EXPECT_GT(speed.free_library, 0);
  EXPECT_GT(speed.start, 0);
}

}  // namespace
}  // namespace plr::bench
