#include "plr/viewer/augment_sheet.h"

#include <gtest/gtest.h>

namespace plr::viewer {
namespace {

TEST(AugmentSheet, HasTheOriginalAndEightAugmentationsPerPicture) {
  image::Image image(64, 64, {40, 80, 120});
  image.set({10, 20}, {255, 0, 0});
  const std::vector<image::Captioned> pictures = {{image, "seed 1"}, {image, "seed 2"}};
  const std::vector<image::Captioned> all = augmented_pictures(pictures, 1);
  ASSERT_EQ(all.size(), 2U * kAugmentedColumns);
  EXPECT_EQ(all[0].caption, "seed 1");
  EXPECT_EQ(all[kAugmentedColumns].caption, "seed 2");
  EXPECT_EQ(all[0].image.at({10, 20}), image.at({10, 20}));
  for (const image::Captioned& picture : all) {
    EXPECT_EQ(picture.image.width(), 64);
    EXPECT_EQ(picture.image.height(), 64);
  }
}

TEST(AugmentSheet, DependsOnTheSeedOnly) {
  const std::vector<image::Captioned> pictures = {{image::Image(64, 64, {40, 80, 120}), ""}};
  const auto colors = [&](std::uint64_t seed) {
    std::vector<image::Rgb> all;
    for (const image::Captioned& picture : augmented_pictures(pictures, seed)) {
      all.push_back(picture.image.at({5, 5}));
    }
    return all;
  };
  EXPECT_EQ(colors(1), colors(1));
}

}  // namespace
}  // namespace plr::viewer
