#include "plr/image/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace plr::image {
namespace {

double distance(Rgb a, Rgb b) {
  return std::hypot(a.red - b.red, a.green - b.green, a.blue - b.blue);
}

double worst_error(const Image& picture, Palette& palette) {
  double worst = 0;
  for (int y = 0; y < picture.height(); ++y) {
    for (const Rgb pixel : picture.row(y)) {
      worst = std::max(worst, distance(pixel, palette.colors()[palette.index_of(pixel)]));
    }
  }
  return worst;
}

// 64 x 64 pixels, each color of a 16 x 16 x 16 cube once.
Image cube() {
  Image picture(64, 64);
  for (int i = 0; i < 4096; ++i) {
    const auto level = [i](int shift) { return static_cast<std::uint8_t>(17 * (i >> shift & 15)); };
    picture.set({i % 64, i / 64}, {level(8), level(4), level(0)});
  }
  return picture;
}

TEST(Palette, HasEveryColorIfThereAreFewEnough) {
  std::vector<Image> pictures(2, Image(16, 8));
  for (int i = 0; i < 256; ++i) {
    pictures[static_cast<std::size_t>(i / 128)].set({i % 16, i / 16 % 8},
                                                    {static_cast<std::uint8_t>(i), 7, 200});
  }
  Palette palette(pictures, 256);
  EXPECT_TRUE(palette.is_exact());
  EXPECT_EQ(palette.colors().size(), 256U);
  for (const Image& picture : pictures) EXPECT_EQ(worst_error(picture, palette), 0);
}

TEST(Palette, CutsACubeIntoEqualBoxes) {
  // 4096 colors in 256 boxes of 16: two axes are cut three times into sides of 2 colors, one twice
  // into sides of 4.  From their means 0.5 and 1.5 levels of 17 away: hypot(8.5, 8.5, 25.5) = 28.2,
  // and half a level per axis from rounding.
  const Image picture = cube();
  Palette palette({&picture, 1}, 256);
  EXPECT_FALSE(palette.is_exact());
  EXPECT_EQ(palette.colors().size(), 256U);
  EXPECT_LE(worst_error(picture, palette), 29.1);
}

TEST(Palette, AssignsColorsByTheNumberOfPixels) {
  // A thousand pixels of similar greys and two outliers: the greys must keep their shades.
  Image picture(1002, 1);
  for (int x = 0; x < 1000; ++x) {
    const auto grey = static_cast<std::uint8_t>(100 + x % 30);
    picture.set({x, 0}, {grey, grey, grey});
  }
  picture.set({1000, 0}, {255, 0, 0});
  picture.set({1001, 0}, {0, 255, 0});
  Palette palette({&picture, 1}, 16);
  const auto is_near_grey = [](Rgb c) { return c.red == c.green && c.green == c.blue; };
  EXPECT_GE(std::ranges::count_if(palette.colors(), is_near_grey), 10);
}

TEST(Palette, OfOneColorHasExactlyThatColor) {
  const Image picture(3, 3, {1, 2, 3});
  EXPECT_EQ(Palette({&picture, 1}, 1).colors(), (std::vector<Rgb>{{1, 2, 3}}));
}

}  // namespace
}  // namespace plr::image
