// How is a batch of observations augmented at random?
//
// Every image gets choices of its own, made on its device from a key (device_random.h):
//
//   const at::Tensor augmented = augment(Augmentation::kCrop, {}, obs, key);
//
// All of it is a fixed sequence of operations on tensors of fixed shapes: nobody waits for the
// device, and a graph could hold it.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

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
  kUcb,  // whichever of the others the bandit picks for an update
};
inline constexpr std::size_t kNumAugmentations = 8;  // kUcb is none itself
constexpr std::array<std::string_view, 9> enum_names(Augmentation) {
  return {"crop",   "random-conv",  "grayscale",    "flip", "rotate",
          "cutout", "cutout-color", "color-jitter", "ucb"};
}

struct AugmentConfig {
  bool flip_left_right = false;
  bool overbright_cutout = false;
};

template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, AugmentConfig>
void visit_fields(Config& config, Visit&& visit) {
  visit("flip_left_right", config.flip_left_right, any_value(),
        "augmentation flip exchanges left and right, instead of top and bottom as the released "
        "code (F11)");
  visit("overbright_cutout", config.overbright_cutout, any_value(),
        "cutout-color fills with colours 255 times too bright, as the released code (F12)");
}

// Throws std::invalid_argument if such images cannot be augmented so (augmentations.h).
at::Tensor augment(Augmentation augmentation, const AugmentConfig& config, const at::Tensor& obs,
                   const at::Tensor& key);

}  // namespace plr::learn
