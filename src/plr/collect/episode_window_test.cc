#include "plr/collect/episode_window.h"

#include <gtest/gtest.h>

#include <vector>

namespace plr::collect {
namespace {

TEST(EpisodeWindow, MeansAreZeroWithoutEpisodes) {
  const EpisodeWindow window;
  EXPECT_TRUE(window.empty());
  EXPECT_EQ(window.mean_return(), 0);
  EXPECT_EQ(window.success_rate(), 0);
  EXPECT_EQ(window.mean_length(), 0);
}

TEST(EpisodeWindow, HasTheLastHundredEpisodes) {
  EpisodeWindow window;
  for (int i = 0; i < 103; ++i) window.add(i, 2 * i, i < 53);
  EXPECT_EQ(window.num_episodes(), 103U);
  // Of 3..102: the mean is 52.5, and 3..52 are solved.
  EXPECT_DOUBLE_EQ(window.mean_return(), 52.5);
  EXPECT_DOUBLE_EQ(window.mean_length(), 105);
  EXPECT_DOUBLE_EQ(window.success_rate(), 0.5);
}

TEST(EpisodeWindow, ContinuesIdenticallyAfterLoad) {
  EpisodeWindow window;
  for (int i = 0; i < 103; ++i) window.add(i, 2 * i, i < 53);
  ByteWriter writer;
  window.save(writer);
  const std::vector<std::byte> bytes = writer.seal("window", 1);
  EpisodeWindow loaded;
  ByteReader reader(bytes, "window", 1);
  loaded.load(reader);
  reader.expect_end();
  for (EpisodeWindow* either : {&window, &loaded}) either->add(1000, 7, true);
  EXPECT_EQ(loaded.num_episodes(), 104U);
  EXPECT_EQ(loaded.mean_return(), window.mean_return());
  EXPECT_EQ(loaded.mean_length(), window.mean_length());
  EXPECT_EQ(loaded.success_rate(), window.success_rate());
}

}  // namespace
}  // namespace plr::collect
