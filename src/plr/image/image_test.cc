#include "plr/image/image.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "plr/image/sheet.h"
#include "plr/image/text.h"

namespace plr::image {
namespace {

constexpr Rgb kWhite = {255, 255, 255};
constexpr Rgb kRed = {255, 0, 0};

// '#' where a pixel is not white.
std::string drawn(const Image& image) {
  std::string text;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) text += image.at({x, y}) == kWhite ? '.' : '#';
    text += '\n';
  }
  return text;
}

TEST(Image, PasteClipsAtTheEdges) {
  Image image(3, 2, kWhite);
  image.paste(Image(2, 2, kRed), {2, -1});
  EXPECT_EQ(drawn(image), "..#\n...\n");
}

TEST(Image, RefusesSidesOutOfBounds) {
  EXPECT_THROW(Image(0, 5), std::invalid_argument);
  EXPECT_THROW(Image(5, Image::kMaxSide + 1), std::invalid_argument);
}

TEST(Text, DrawsLettersOfTheFont) {
  Image image(11, 7, kWhite);
  draw_text(image, {0, 0}, "T1", {.color = kRed});
  EXPECT_EQ(drawn(image),
            "#####...#..\n"
            "..#....##..\n"
            "..#.....#..\n"
            "..#.....#..\n"
            "..#.....#..\n"
            "..#.....#..\n"
            "..#....###.\n");
}

TEST(Text, ScalesAndClipsAtTheEdge) {
  Image image(8, 4, kWhite);
  draw_text(image, {-8, 0}, "T", {.color = kRed, .scale = 2});
  EXPECT_EQ(drawn(image), "##......\n##......\n........\n........\n");
}

TEST(Text, WrapsBetweenWordsWherePossible) {
  EXPECT_EQ(wrapped("pick up the", 7), (std::vector<std::string>{"pick up", "the"}));
  EXPECT_EQ(wrapped("purple", 2), (std::vector<std::string>{"pu", "rp", "le"}));
  EXPECT_EQ(wrapped("", 5), (std::vector<std::string>{""}));
}

TEST(Sheet, PlacesEveryPictureInItsColumn) {
  const std::vector<Captioned> pictures(5, {Image(200, 100, kRed), "seed 1"});
  const Image page = sheet(pictures, {.title = "levels", .num_columns = 2});
  // Two columns of 200 pixels and three margins of 20.
  EXPECT_EQ(page.width(), 460);
  int red = 0;
  for (int y = 0; y < page.height(); ++y) {
    for (const Rgb pixel : page.row(y)) red += pixel == kRed ? 1 : 0;
  }
  EXPECT_EQ(red, 5 * 200 * 100);
}

}  // namespace
}  // namespace plr::image
