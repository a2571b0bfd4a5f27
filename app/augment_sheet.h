// What do augmentations make of a picture?
#pragma once

#include <span>
#include <vector>

#include "plr/image/sheet.h"

namespace plr::app {

// Pictures in a row of the sheet: each as it is, then in all eight ways.
inline constexpr int kAugmentedColumns = 9;

// Each picture followed by its augmented forms (learn/augment.h), drawn at random from `seed`.
std::vector<image::Captioned> augmented_pictures(std::span<const image::Captioned> pictures,
                                                 std::uint64_t seed);

}  // namespace plr::app
