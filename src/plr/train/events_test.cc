// What a run writes for TensorBoard; tests/run/tensorboard_test.py reads such files with it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "plr/train/trainer_testing.h"

namespace plr::train {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t number = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++number;
  return number;
}

class Events : public TrainerTest {
 protected:
  std::string events(const std::string& name) const {
    return read_text(run(name) / run::layout::kEvents);
  }
};

TEST_F(Events, HaveTheSettingsOnceAlsoAfterAResume) {
  TrainConfig config = tiny();
  {
    Trainer part(config, run("a"));
    train_for(part, 2);
  }
  EXPECT_EQ(count(events("a"), "_hparams_/session_start_info"), 1U);
  EXPECT_EQ(count(events("a"), config.task.env), 1U);
  EXPECT_EQ(count(events("a"), "_hparams_/session_end_info"), 0U);
  EXPECT_TRUE(Trainer::resume(run("a")).run({}));
  EXPECT_EQ(count(events("a"), "_hparams_/session_start_info"), 1U);
  EXPECT_EQ(count(events("a"), "_hparams_/session_end_info"), 1U);
}

TEST_F(Events, HaveTheSettingsAgainIfTheFileWasLost) {
  {
    Trainer part(tiny(), run("a"));
    train_for(part, 2);
  }
  std::filesystem::remove(run("a") / run::layout::kEvents);
  EXPECT_TRUE(Trainer::resume(run("a")).run({}));
  EXPECT_EQ(count(events("a"), "_hparams_/session_start_info"), 1U);
}

TEST_F(Events, HavePicturesOfTheMostProbableLevels) {
  TrainConfig config = tiny();
  EXPECT_TRUE(Trainer(config, run("plr")).run({}));
  const std::size_t num_evaluations = records(run("plr") / run::layout::kEvaluations).size();
  ASSERT_GT(num_evaluations, 1U);
  EXPECT_EQ(count(events("plr"), "\x89PNG\r\n"), num_evaluations);
  config.task.curriculum = CurriculumKind::kUniform;  // all levels are equally probable
  EXPECT_TRUE(Trainer(config, run("uniform")).run({}));
  EXPECT_EQ(count(events("uniform"), "\x89PNG\r\n"), 0U);
}

TEST_F(Events, HaveALimitedNumberOfPictures) {
  TrainConfig config = tiny();
  config.schedule.steps = 60 * steps_per_update(config);
  config.schedule.eval_interval = 1;
  config.schedule.eval_episodes = 1;
  config.schedule.final_episodes = 1;
  EXPECT_TRUE(Trainer(config, run("plr")).run({}));
  EXPECT_EQ(records(run("plr") / run::layout::kEvaluations).size(), 61U);
  EXPECT_EQ(count(events("plr"), "\x89PNG\r\n"), 41U);  // 40, and one of the final evaluation
}

}  // namespace
}  // namespace plr::train
