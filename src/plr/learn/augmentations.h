// How can an image be changed without changing what it shows?
//
// The eight augmentations of UCB-DrAC (Raileanu et al. 2021), each for a whole batch at once, with
// the random choices as arguments, one per image; augment.h draws those.
//
//   const at::Tensor turned = rotate(obs, quarter_turns);   // [B, H, W, C], [B]
//
// Images are bytes, or floats on the same scale of 0 to 255, on any device; so are the results.
// Those that only move or cover pixels keep the type, the others give floats.  Distances are those
// for 64 x 64 and shrink or grow with the image.  Throws std::invalid_argument where an image
// cannot be changed that way: colours need three channels, quarter turns a square.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace plr::learn {

// The border that crop() adds: 12 of 64 pixels.
constexpr std::int64_t crop_border(std::int64_t side) { return side * 12 / 64; }

// Cut out again, at these offsets from 0 to twice the border, of the image with its edge repeated
// into a border.
at::Tensor crop(const at::Tensor& obs, const at::Tensor& down, const at::Tensor& right);

// Upside down, or left for right, where `flipped` is true.
at::Tensor flip(const at::Tensor& obs, const at::Tensor& flipped, bool left_for_right = false);

// By so many quarter turns, 0 to 3, against the clock.
at::Tensor rotate(const at::Tensor& obs, const at::Tensor& quarter_turns);

// A box of h x w pixels, 7 to 21 of 64, from row 12 + h and column 24 + w on, gets the color
// [B, C]; what would stick out is left away.
at::Tensor cut_out(const at::Tensor& obs, const at::Tensor& height, const at::Tensor& width,
                   const at::Tensor& color);

// The brightness that the eye sees, in all three channels.
at::Tensor grayscale(const at::Tensor& obs);

// A convolution with weights of the image's own, [B, 3, 3, 3, 3] (out, in, row, column), and zeros
// around.
at::Tensor random_conv(const at::Tensor& obs, const at::Tensor& weights);

// Factors [B] for contrast, brightness and saturation; the hue is turned by 255/360 of `hue`.
struct ColorJitter {
  at::Tensor contrast;
  at::Tensor brightness;
  at::Tensor saturation;
  at::Tensor hue;
  at::Tensor contrast_first;  // bool [], of the whole batch
};
at::Tensor color_jitter(const at::Tensor& obs, const ColorJitter& jitter);

}  // namespace plr::learn
