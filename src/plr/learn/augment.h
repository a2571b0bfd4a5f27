// Random augmentation of a batch of observations.
//
// Every image gets random choices of its own, made on its device from a key (device_random.h):
//
//   const at::Tensor augmented = augment(Augmentation::kCrop, {}, obs, key);
//
// A fixed sequence of operations on tensors of fixed shapes: the host never waits for the device,
// and a CUDA graph can record it.  Thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "plr/base/fields.h"

namespace plr::learn {

// In the order of UCB-DrAC's arms.
enum class Augmentation : std::uint8_t {
  kCrop,
  kRandomConv,
  kGrayscale,
  kFlip,
  kRotate,
  kCutout,
  kCutoutColor,
  kColorJitter,
  kUcb,
};
inline constexpr std::size_t kNumAugmentations = 8;  // without kUcb
constexpr std::array<std::string_view, 9> enum_names(Augmentation) {
  return {"crop",   "random-conv",  "grayscale",    "flip", "rotate",
          "cutout", "cutout-color", "color-jitter", "ucb"};
}
constexpr std::array<std::string_view, 9> enum_texts(Augmentation) {
  return {"moves the image by a random number of pixels",
          "a random convolution",
          "gray levels instead of colors",
          "mirrors the image",
          "turns the image by a multiple of 90 degrees",
          "a black rectangle",
          "a rectangle of a random color",
          "random brightness, contrast, saturation and hue",
          "one of the others, which a bandit picks for each update"};
}

struct AugmentConfig {
  bool flip_left_right = false;
  static constexpr Field kFlipLeftRight{
      &AugmentConfig::flip_left_right, "flip_left_right",
      "the augmentation flip swaps left and right; the released code swaps top and bottom (F11)"};

  bool overbright_cutout = false;
  static constexpr Field kOverbrightCutout =
      Field{&AugmentConfig::overbright_cutout, "overbright_cutout",
            "cutout-color fills with colors 255 times too bright, like the released code (F12)"}
          .released(true);

  static constexpr std::tuple kFields{kFlipLeftRight, kOverbrightCutout};
};

// Images [B, H, W, C] as augmentations.h describes them; key: int64, one element, on the device.
// Throws std::invalid_argument if the images do not allow this augmentation.
at::Tensor augment(Augmentation augmentation, const AugmentConfig& config, const at::Tensor& obs,
                   const at::Tensor& key);

}  // namespace plr::learn
