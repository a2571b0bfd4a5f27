#include "plr/experiment/run_state.h"

#include <gtest/gtest.h>

#include "plr/base/files.h"
#include "plr/run/checkpoint.h"
#include "plr/run/checkpoint_facts.h"
#include "tests/support/temporary_directory.h"

namespace plr::experiment {
namespace {

TEST(SavedState, OfAnEmptyFolderHasNotStarted) {
  const TemporaryDirectory folder;
  const RunState state = read_saved_state(folder.path());
  EXPECT_FALSE(state.has_started);
  EXPECT_FALSE(state.is_finished);
  EXPECT_EQ(state.steps, 0);
}

TEST(SavedState, HasTheStepsOfTheNewestCheckpoint) {
  const TemporaryDirectory folder;
  write_text(folder / "config.toml", "");
  for (const std::int64_t update : {1, 2}) {
    run::Checkpoint checkpoint;
    checkpoint.update = update;
    checkpoint.facts = run::CheckpointFacts{.steps = 64 * update};
    run::save_checkpoint(folder / "checkpoint", checkpoint);
  }
  EXPECT_TRUE(read_saved_state(folder.path()).has_started);
  EXPECT_FALSE(read_saved_state(folder.path()).is_finished);
  EXPECT_EQ(read_saved_state(folder.path()).steps, 128);
}

TEST(SavedState, IsFinishedAfterTheFinalEvaluation) {
  const TemporaryDirectory folder;
  write_text(folder / "config.toml", "");
  write_text(folder / "log.jsonl", "{\"steps\": 64}\n");
  write_text(folder / "eval.jsonl", "{\"steps\": 64, \"test_return\": 0.5}\n");
  EXPECT_FALSE(read_saved_state(folder.path()).is_finished);
  write_text(folder / "eval.jsonl", "{\"steps\": 64, \"test_return\": 0.5, \"final\": true}\n");
  EXPECT_TRUE(read_saved_state(folder.path()).is_finished);
  write_text(folder / "log.jsonl", "{\"steps\": 128}\n");  // it was resumed
  EXPECT_FALSE(read_saved_state(folder.path()).is_finished);
}

TEST(SavedState, OfARunWithoutACheckpointHasNoSteps) {
  const TemporaryDirectory folder;
  write_text(folder / "config.toml", "");
  EXPECT_TRUE(read_saved_state(folder.path()).has_started);
  EXPECT_EQ(read_saved_state(folder.path()).steps, 0);
}

TEST(LoggedState, IsThatOfTheLastCompleteRecord) {
  const TemporaryDirectory folder;
  EXPECT_EQ(read_logged_state(folder.path()).steps, 0);
  write_text(folder / "log.jsonl",
             "{\"steps\": 64, \"steps_per_second\": 10.5}\n"
             "{\"steps\": 128, \"steps_per_second\": 11.5}\n"
             "{\"steps\": 192, \"ste");
  EXPECT_EQ(read_logged_state(folder.path()).steps, 128);
  EXPECT_EQ(read_logged_state(folder.path()).steps_per_second, 11.5);
}

TEST(LoggedState, OfADamagedLogIsZero) {
  const TemporaryDirectory folder;
  write_text(folder / "log.jsonl", "not json\n");
  EXPECT_EQ(read_logged_state(folder.path()).steps, 0);
}

}  // namespace
}  // namespace plr::experiment
