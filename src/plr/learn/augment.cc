#include "plr/learn/augment.h"

#include <ATen/ATen.h>

#include <cassert>
#include <cmath>

#include "plr/learn/augmentations.h"
#include "plr/learn/device_random.h"

namespace plr::learn {
namespace {

// Uniform in 0..bound-1; with 24 random bits the bias is below 2^-16 for the bounds used here.
at::Tensor below(std::int64_t bound, const at::Tensor& u) {
  return (u * static_cast<double>(bound)).to(at::kLong).clamp_max_(bound - 1);
}

at::Tensor between(double low, double high, const at::Tensor& u) { return low + (high - low) * u; }

at::Tensor with_box(const AugmentConfig& config, const at::Tensor& obs, const at::Tensor& key,
                    bool is_colored) {
  const std::int64_t batch = obs.size(0);
  const at::Tensor u = uniforms(key, {2 + obs.size(3), batch});
  at::Tensor color = at::zeros({batch, obs.size(3)}, obs.options());
  if (is_colored) {
    color = below(255, u.slice(0, 2).t());
    color = config.overbright_cutout ? color.to(at::kFloat) * 255 : color.to(obs.scalar_type());
  }
  return cut_out(obs, 7 + below(15, u[0]), 7 + below(15, u[1]), color);
}

at::Tensor with_jitter(const at::Tensor& obs, const at::Tensor& key) {
  const std::int64_t batch = obs.size(0);
  const at::Tensor u = uniforms(key, {4 * batch + 1});
  const auto column = [&](std::int64_t which) { return u.narrow(0, which * batch, batch); };
  return color_jitter(obs, {.contrast = between(0.6, 1.4, column(0)),
                            .brightness = between(0.6, 1.4, column(1)),
                            .saturation = between(0.6, 1.4, column(2)),
                            .hue = between(-0.5, 0.5, column(3)),
                            .contrast_first = u[4 * batch].lt(0.5)});
}

}  // namespace

at::Tensor augment(Augmentation augmentation, const AugmentConfig& config, const at::Tensor& obs,
                   const at::Tensor& key) {
  const std::int64_t batch = obs.size(0);
  switch (augmentation) {
    case Augmentation::kCrop: {
      const at::Tensor u = uniforms(key, {2, batch});
      return crop(obs, below(2 * crop_border(obs.size(1)) + 1, u[0]),
                  below(2 * crop_border(obs.size(2)) + 1, u[1]));
    }
    case Augmentation::kRandomConv:
      // Xavier's standard deviation for 27 inputs and 27 outputs.
      return random_conv(obs, normals(key, {batch, 3, 3, 3, 3}) * std::sqrt(2.0 / 54));
    case Augmentation::kGrayscale:
      return grayscale(obs);
    case Augmentation::kFlip:
      return flip(obs, uniforms(key, {batch}).lt(0.5), config.flip_left_right);
    case Augmentation::kRotate:
      return rotate(obs, below(4, uniforms(key, {batch})));
    case Augmentation::kCutout:
      return with_box(config, obs, key, /*is_colored=*/false);
    case Augmentation::kCutoutColor:
      return with_box(config, obs, key, /*is_colored=*/true);
    case Augmentation::kColorJitter:
      return with_jitter(obs, key);
    case Augmentation::kUcb:
      break;
  }
  assert(false);
  return obs;
}

}  // namespace plr::learn
