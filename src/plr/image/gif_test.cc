#include "plr/image/gif.h"

#include <gif_lib.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace plr::image {
namespace {

// What a viewer would show.
struct Shown {
  std::vector<Image> frames;
  std::vector<int> milliseconds;
  int num_stored_pixels = 0;
  bool loops = false;
};

struct Close {
  void operator()(GifFileType* file) const {
    int ignored = 0;
    DGifCloseFile(file, &ignored);
  }
};

void draw(const GifFileType& gif, const SavedImage& part, Image& canvas) {
  const GifImageDesc& at = part.ImageDesc;
  for (int i = 0; i < at.Width * at.Height; ++i) {
    const GifColorType color = gif.SColorMap->Colors[part.RasterBits[i]];
    canvas.set({at.Left + i % at.Width, at.Top + i / at.Width},
               {color.Red, color.Green, color.Blue});
  }
}

Shown shown(const std::filesystem::path& path) {
  int error = 0;
  const std::unique_ptr<GifFileType, Close> gif(DGifOpenFileName(path.c_str(), &error));
  if (gif == nullptr || DGifSlurp(gif.get()) == GIF_ERROR) throw std::runtime_error("no GIF");
  Shown result;
  Image canvas(gif->SWidth, gif->SHeight);
  for (int i = 0; i < gif->ImageCount; ++i) {
    const SavedImage& part = gif->SavedImages[i];
    draw(*gif, part, canvas);
    result.frames.push_back(canvas);
    result.num_stored_pixels += part.ImageDesc.Width * part.ImageDesc.Height;
    GraphicsControlBlock control;
    DGifSavedExtensionToGCB(gif.get(), i, &control);
    result.milliseconds.push_back(10 * control.DelayTime);
  }
  const SavedImage& first = gif->SavedImages[0];
  for (int i = 0; i < first.ExtensionBlockCount; ++i) {
    const ExtensionBlock& block = first.ExtensionBlocks[i];
    result.loops = result.loops || (block.Function == APPLICATION_EXT_FUNC_CODE &&
                                    std::string(block.Bytes, block.Bytes + 11) == "NETSCAPE2.0");
  }
  return result;
}

class Gif : public ::testing::Test {
 protected:
  std::ptrdiff_t num_files() const {
    const std::filesystem::directory_iterator files(directory_.path());
    return std::distance(begin(files), end(files));
  }

  TemporaryDirectory directory_;
};

// A square that moves over a background of 200 colors.
std::vector<Image> moving_square() {
  std::vector<Image> frames(4, Image(20, 10));
  for (int i = 0; i < 4; ++i) {
    Image& frame = frames[static_cast<std::size_t>(i)];
    for (int k = 0; k < 200; ++k) {
      frame.set({k % 20, k / 20}, {0, static_cast<std::uint8_t>(k), 50});
    }
    frame.paste(Image(3, 3, {255, 0, 0}), {4 * i, 5});
  }
  return frames;
}

TEST_F(Gif, IsExactIfThereAreFewColors) {
  const std::vector<Image> frames = moving_square();
  write_gif(directory_ / "a.gif", frames, {.milliseconds = 150, .last_milliseconds = 1200});
  const Shown gif = shown(directory_ / "a.gif");
  EXPECT_EQ(gif.frames, frames);
  EXPECT_EQ(gif.milliseconds, (std::vector<int>{150, 150, 150, 1200}));
  EXPECT_TRUE(gif.loops);
  EXPECT_EQ(num_files(), 1);
}

TEST_F(Gif, StoresOnlyTheRectangleThatChanged) {
  write_gif(directory_ / "a.gif", moving_square());
  // The first frame is 20 x 10; each of three moves of the square changes 7 x 3 pixels.
  EXPECT_EQ(shown(directory_ / "a.gif").num_stored_pixels, 200 + 3 * 21);
}

TEST_F(Gif, KeepsAFrameWithoutChanges) {
  const std::vector<Image> frames(3, Image(5, 5, {1, 2, 3}));
  write_gif(directory_ / "a.gif", frames);
  EXPECT_EQ(shown(directory_ / "a.gif").frames, frames);
}

TEST_F(Gif, IsCloseIfThereAreManyColors) {
  // 64 x 64 colors of red and green in 256 boxes of 4 x 4: 1.5 levels of 4 from the mean on either
  // axis, hypot(6, 6) = 8.5, and half a level each from rounding.
  Image picture(64, 64);
  for (int i = 0; i < 4096; ++i) {
    picture.set({i % 64, i / 64}, {static_cast<std::uint8_t>(4 * (i % 64)),
                                   static_cast<std::uint8_t>(i / 64 * 4), 9});
  }
  write_gif(directory_ / "a.gif", {&picture, 1});
  const Image seen = shown(directory_ / "a.gif").frames.at(0);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const Rgb a = picture.at({x, y});
      const Rgb b = seen.at({x, y});
      ASSERT_LE(std::hypot(a.red - b.red, a.green - b.green, a.blue - b.blue), 9.2);
    }
  }
}

TEST_F(Gif, RefusesNoFramesAndFramesOfDifferentSizes) {
  const std::vector<Image> frames = {Image(2, 2), Image(2, 3)};
  EXPECT_THROW(write_gif(directory_ / "a.gif", frames), std::invalid_argument);
  EXPECT_THROW(write_gif(directory_ / "a.gif", {}), std::invalid_argument);
  EXPECT_EQ(num_files(), 0);
}

TEST_F(Gif, WriteErrorNamesPathAndCauseAndLeavesNoFile) {
  const std::vector<Image> frames(1, Image(2, 2));
  try {
    write_gif(directory_ / "missing/a.gif", frames);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), "cannot write " + (directory_ / "missing/a.gif").string() +
                                ": No such file or directory");
  }
  EXPECT_EQ(num_files(), 0);
}

}  // namespace
}  // namespace plr::image
