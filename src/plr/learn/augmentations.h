// The eight augmentations of UCB-DrAC (Raileanu et al. 2021), which change an image but not its
// meaning.
//
// Each works on a whole batch, with the random choices as arguments, one per image; augment.h draws
// them.
//
//   const at::Tensor rotated = rotate(obs, quarter_turns);   // [B, H, W, C], [B]
//
// Images are bytes, or floats on the same scale of 0 to 255, on any device; so are the results.
// Augmentations that only move or cover pixels keep the type, the others return floats.  Distances
// are given for 64 x 64 and scale with the image.  Throws std::invalid_argument if an image does
// not allow the augmentation: colors need three channels, rotations a square.  Thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace plr::learn {

// The border that crop() adds: 12 of 64 pixels.
constexpr std::int64_t crop_border(std::int64_t side) { return side * 12 / 64; }

// Pads the image by repeating its edge, and crops it to its size at these offsets, from 0 to twice
// the border.
at::Tensor crop(const at::Tensor& obs, const at::Tensor& down, const at::Tensor& right);

// Exchanges top and bottom, or left and right, where `flipped` is true.
at::Tensor flip(const at::Tensor& obs, const at::Tensor& flipped, bool left_for_right = false);

// By 0 to 3 quarter turns, counterclockwise.
at::Tensor rotate(const at::Tensor& obs, const at::Tensor& quarter_turns);

// Fills a box of h x w pixels, 7 to 21 of 64, from row 12 + h and column 24 + w on, with the color
// [B, C]; the box is clipped to the image.
at::Tensor cut_out(const at::Tensor& obs, const at::Tensor& height, const at::Tensor& width,
                   const at::Tensor& color);

// The perceived brightness in all three channels.
at::Tensor grayscale(const at::Tensor& obs);

// A convolution with weights per image, [B, 3, 3, 3, 3] (out, in, row, column), padded with zeros.
at::Tensor random_conv(const at::Tensor& obs, const at::Tensor& weights);

// Factors [B] for contrast, brightness and saturation; the hue is rotated by 255/360 of `hue`.
struct ColorJitter {
  at::Tensor contrast;
  at::Tensor brightness;
  at::Tensor saturation;
  at::Tensor hue;
  at::Tensor contrast_first;  // bool [], of the whole batch
};
at::Tensor color_jitter(const at::Tensor& obs, const ColorJitter& jitter);

}  // namespace plr::learn
