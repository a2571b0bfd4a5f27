#include "plr/image/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace plr::image {
namespace {

constexpr Rgb kRed = {255, 0, 0};

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8 | static_cast<std::uint8_t>(bytes.at(at + i));
  }
  return number;
}

// The neighbor that the PNG filter "Paeth" predicts from.
int paeth(int left, int up, int up_left) {
  const int estimate = left + up - up_left;
  const int to_left = std::abs(estimate - left);
  const int to_up = std::abs(estimate - up);
  const int to_up_left = std::abs(estimate - up_left);
  if (to_left <= to_up && to_left <= to_up_left) return left;
  return to_up <= to_up_left ? up : up_left;
}

// Decodes 8-bit RGB images without interlacing, and checks the checksum of every chunk.
Image decoded(const std::string& png) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string packed;
  int width = 0;
  int height = 0;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t size = big_endian(png, at);
    const std::string type = png.substr(at + 4, 4);
    const auto* checked = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    EXPECT_EQ(crc32(0, checked, size + 4), big_endian(png, at + 8 + size)) << type;
    if (type == "IHDR") {
      width = static_cast<int>(big_endian(png, at + 8));
      height = static_cast<int>(big_endian(png, at + 12));
      EXPECT_EQ(png.substr(at + 16, 5), std::string("\x08\x02\0\0\0", 5));
    } else if (type == "IDAT") {
      packed += png.substr(at + 8, size);
    }
    at += 12 + size;
  }
  const std::size_t row = static_cast<std::size_t>(width) * 3;
  std::vector<std::uint8_t> bytes((row + 1) * static_cast<std::size_t>(height));
  uLongf size = bytes.size();
  EXPECT_EQ(
      uncompress(bytes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
      Z_OK);
  EXPECT_EQ(size, bytes.size());

  Image image(width, height);
  std::vector<std::uint8_t> above(row, 0);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* line = bytes.data() + static_cast<std::size_t>(y) * (row + 1);
    std::vector<std::uint8_t> now(row);
    for (std::size_t i = 0; i < row; ++i) {
      const int left = i >= 3 ? now[i - 3] : 0;
      const int up = above[i];
      const int up_left = i >= 3 ? above[i - 3] : 0;
      const int predicted[] = {0, left, up, (left + up) / 2, paeth(left, up, up_left)};
      now[i] = static_cast<std::uint8_t>(line[i + 1] + predicted[line[0]]);
    }
    for (int x = 0; x < width; ++x) {
      const std::size_t i = static_cast<std::size_t>(x) * 3;
      image.set({x, y}, {now[i], now[i + 1], now[i + 2]});
    }
    above = now;
  }
  return image;
}

TEST(Png, DecodesToTheSamePixels) {
  Image gradient(61, 37);
  Image noise(33, 20);
  std::uint32_t state = 1;
  for (int y = 0; y < 37; ++y) {
    for (int x = 0; x < 61; ++x) {
      gradient.set({x, y}, {static_cast<std::uint8_t>(4 * x), static_cast<std::uint8_t>(6 * y),
                            static_cast<std::uint8_t>(x * y)});
      state = state * 1664525 + 1013904223;
      if (noise.contains({x, y})) {
        noise.set({x, y},
                  {static_cast<std::uint8_t>(state >> 24), static_cast<std::uint8_t>(state >> 16),
                   static_cast<std::uint8_t>(state >> 8)});
      }
    }
  }
  for (const Image& image : {Image(1, 1, kRed), Image(300, 200, kRed), gradient, noise}) {
    EXPECT_EQ(decoded(png_bytes(image)), image);
  }
}

TEST(Png, WritesOneCompleteFile) {
  const TemporaryDirectory directory;
  write_png(directory / "a.png", Image(3, 2, kRed));
  write_png(directory / "a.png", Image(4, 5, kRed));
  std::ifstream file(directory / "a.png", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), png_bytes(Image(4, 5, kRed)));
  const std::filesystem::directory_iterator files(directory.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(Png, WriteErrorNamesPathAndCauseAndLeavesNoFile) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "taken.png");
  for (const char* name : {"missing/a.png", "taken.png"}) {
    try {
      write_png(directory / name, Image(1, 1));
      FAIL() << name;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  const std::filesystem::directory_iterator files(directory.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace plr::image
