#include "plr/viewer/text_art.h"

#include <gtest/gtest.h>

namespace plr::viewer {
namespace {

using terminal::Colors;

constexpr image::Glyph kWall = {'#', "  ", {0, 0, 0}, {110, 110, 110}};
constexpr image::Glyph kAgent = {'>', "▶ ", {255, 60, 60}, {16, 16, 16}};

// A wall beside an agent.
image::TextPicture picture() { return {.width = 2, .height = 1, .glyphs = {kWall, kAgent}}; }

TEST(TextArt, HasALetterPerTileWithoutColors) {
  const TextArt art = text_art(picture(), Colors::kNone);
  EXPECT_EQ(art.width, 2);
  EXPECT_EQ(art.lines, std::vector<std::string>{"#>"});
}

TEST(TextArt, HasTwoCharactersPerTileInColor) {
  const TextArt art = text_art(picture(), Colors::kTrue);
  EXPECT_EQ(art.width, 4);
  EXPECT_EQ(art.lines, std::vector<std::string>{"\x1b[38;2;0;0;0;48;2;110;110;110m  \x1b[0m"
                                                "\x1b[38;2;255;60;60;48;2;16;16;16m▶ \x1b[0m"});
}

TEST(TextArt, UsesTheColorCubeOf256Colors) {
  // Gray 110 is level 2 of 0..5 in each component: 16 + 36 * 2 + 6 * 2 + 2.
  EXPECT_TRUE(text_art(picture(), Colors::k256).lines[0].starts_with("\x1b[38;5;16;48;5;102m"));
}

TEST(TextArt, HasTwoRowsOfPixelsPerLineOfAnImage) {
  image::Image image(2, 3, {255, 0, 0});
  image.set({0, 1}, {0, 0, 255});
  const TextArt art = text_art(image, Colors::kTrue);
  EXPECT_EQ(art.width, 2);
  ASSERT_EQ(art.lines.size(), 2U);
  EXPECT_EQ(art.lines[0],
            "\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[0m"
            "\x1b[38;2;255;0;0;48;2;255;0;0m▀\x1b[0m");
  // The row below the last one is black.
  EXPECT_TRUE(art.lines[1].starts_with("\x1b[38;2;255;0;0;48;2;0;0;0m▀"));
}

TEST(TextArt, OfAnImageHasNoLinesWithoutColors) {
  EXPECT_TRUE(text_art(image::Image(2, 2), Colors::kNone).lines.empty());
}

TEST(LegendText, ExplainsLettersOrSymbols) {
  const image::Legend legend = {.letters = "# wall", .symbols = {{kAgent, "agent"}}};
  EXPECT_EQ(legend_text(legend, Colors::kNone), "# wall");
  EXPECT_EQ(legend_text(legend, Colors::kTrue),
            "\x1b[38;2;255;60;60;48;2;16;16;16m▶ \x1b[0m agent   ");
}

TEST(Trimmed, RemovesSpacesAtTheEndOnly) {
  EXPECT_EQ(trimmed(" a b  "), " a b");
  EXPECT_EQ(trimmed("   "), "");
}

}  // namespace
}  // namespace plr::viewer
