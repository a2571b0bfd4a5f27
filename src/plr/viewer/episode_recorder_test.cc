#include "plr/viewer/episode_recorder.h"

#include <gtest/gtest.h>

namespace plr::viewer {
namespace {

constexpr image::Rgb kPicture = {1, 2, 3};

// A recorder of `count` frames, the last without a decision.
EpisodeRecorder recorded(int count, bool with_values) {
  EpisodeRecorder recorder({"left", "right"});
  for (int step = 0; step < count; ++step) {
    train::EpisodeState state;
    state.step = step;
    if (step + 1 < count) {
      state.output =
          train::PolicyOutput{.action = {1}, .probabilities = {0.25F, 0.75F}, .value = {}};
      if (with_values) state.output->value = 0.5F;
    }
    recorder.add(image::Image(400, 100, kPicture), state);
  }
  return recorder;
}

TEST(EpisodeRecorder, AnimatesAFramePerStep) {
  const EpisodeRecorder recorder = recorded(5, true);
  EXPECT_EQ(recorder.num_frames(), 5U);
  const std::vector<image::Image> frames = recorder.animation("success");
  ASSERT_EQ(frames.size(), 5U);
  for (const image::Image& frame : frames) {
    EXPECT_EQ(frame.width(), 400);
    EXPECT_EQ(frame.height(), frames[0].height());
    EXPECT_EQ(frame.at({0, 0}), kPicture);
    EXPECT_EQ(frame.at({399, 99}), kPicture);
  }
}

TEST(EpisodeRecorder, DrawsACurveOnlyIfThereAreValues) {
  const int without = recorded(3, false).animation("")[0].height();
  EXPECT_GT(recorded(3, true).animation("")[0].height(), without);
}

TEST(EpisodeRecorder, CentersPicturesThatAreNarrowerThanTheStrip) {
  EpisodeRecorder recorder({"left", "right"});
  recorder.add(image::Image(30, 30, kPicture), {});
  const image::Image frame = recorder.animation("")[0];
  EXPECT_GT(frame.width(), 30);
  EXPECT_NE(frame.at({0, 0}), kPicture);
  EXPECT_EQ(frame.at({frame.width() / 2, 15}), kPicture);
}

TEST(EpisodeRecorder, PutsAtMostTwentyFourPicturesOnASheet) {
  // Sheets have six columns: 24 pictures need four rows, however long the episode is.
  const int four_rows = recorded(24, false).sheet("", "").height();
  EXPECT_EQ(recorded(240, false).sheet("", "").height(), four_rows);
  EXPECT_LT(recorded(18, false).sheet("", "").height(), four_rows);
}

}  // namespace
}  // namespace plr::viewer
