// Pictures and their augmented versions, for a sheet.  Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plr/image/sheet.h"

namespace plr::viewer {

// Columns of the sheet: a picture and its eight augmented versions.
inline constexpr int kAugmentedColumns = 9;

// Each picture followed by its augmented versions (learn/augment.h), with random parameters from
// `seed`.
std::vector<image::Captioned> augmented_pictures(std::span<const image::Captioned> pictures,
                                                 std::uint64_t seed);

}  // namespace plr::viewer
