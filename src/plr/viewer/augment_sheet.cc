#include "plr/viewer/augment_sheet.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

#include "plr/base/random.h"
#include "plr/learn/augment.h"

namespace plr::viewer {
namespace {

at::Tensor to_tensor(const image::Image& image) {
  at::Tensor tensor = at::empty({1, image.height(), image.width(), 3}, at::kByte);
  for (int y = 0; y < image.height(); ++y) {
    const auto row = image.row(y);
    std::memcpy(tensor[0][y].mutable_data_ptr(), row.data(), row.size_bytes());
  }
  return tensor;
}

image::Image to_image(const at::Tensor& obs) {
  const at::Tensor bytes = obs[0].clamp(0, 255).to(at::kByte).contiguous();
  image::Image image(static_cast<int>(bytes.size(1)), static_cast<int>(bytes.size(0)));
  const auto* pixels = static_cast<const image::Rgb*>(bytes.const_data_ptr());
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) image.set({x, y}, pixels[y * image.width() + x]);
  }
  return image;
}

}  // namespace

std::vector<image::Captioned> augmented_pictures(std::span<const image::Captioned> pictures,
                                                 std::uint64_t seed) {
  Random random = Streams(seed).named("augment");
  std::vector<image::Captioned> all;
  for (const image::Captioned& picture : pictures) {
    const at::Tensor obs = to_tensor(picture.image);
    all.push_back(picture);
    for (std::size_t i = 0; i < learn::kNumAugmentations; ++i) {
      const auto augmentation = static_cast<learn::Augmentation>(i);
      const at::Tensor key = at::scalar_tensor(static_cast<std::int64_t>(random.bits()), at::kLong);
      all.push_back({to_image(augment(augmentation, {}, obs, key)), to_text(augmentation)});
    }
  }
  return all;
}

}  // namespace plr::viewer
