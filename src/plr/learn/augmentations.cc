#include "plr/learn/augmentations.h"

#include <ATen/ATen.h>

#include <sstream>
#include <stdexcept>
#include <vector>

namespace plr::learn {
namespace {

void require_color(const at::Tensor& obs, const char* name) {
  if (obs.size(3) == 3) return;
  std::ostringstream message;
  message << "augmentation " << name << " needs observations of three color channels, not "
          << obs.size(3);
  throw std::invalid_argument(message.str());
}

// [B] broadcast to [B, H, W, C].
at::Tensor per_image(const at::Tensor& x) { return x.view({-1, 1, 1, 1}); }

// Three numbers on the images' device, without a copy from the host, which a CUDA graph could not
// record.
at::Tensor three(double a, double b, double c, const at::Tensor& obs) {
  const auto options = obs.options().dtype(at::kFloat);
  return at::stack({at::full({}, a, options), at::full({}, b, options), at::full({}, c, options)});
}

at::Tensor positions(const at::Tensor& obs, std::int64_t dim) {
  return at::arange(obs.size(dim), obs.options().dtype(at::kLong));
}

// Whether rows or columns, [B, side], lie in a box of this size.
at::Tensor in_box(const at::Tensor& obs, std::int64_t dim, const at::Tensor& size,
                  std::int64_t offset) {
  const std::int64_t side = obs.size(dim);
  const auto scaled = [&](const at::Tensor& of_64) {
    return (of_64 * side).floor_divide(64).unsqueeze(1);
  };
  const at::Tensor at = positions(obs, dim);
  return at.ge(scaled(size + offset)).logical_and_(at.lt(scaled(2 * size + offset)));
}

at::Tensor with_contrast(const at::Tensor& x, const at::Tensor& factor) {
  const at::Tensor mean = x.mean({1, 2}, /*keepdim=*/true);
  return at::lerp(mean, x, per_image(factor)).clamp_(0, 1);
}

// Hue and saturation of colors [B, H, W, 3] in 0..1 by the hexagonal cone, for a given value.
struct Cone {
  at::Tensor hue;  // 0..1 for a full turn
  at::Tensor saturation;
  at::Tensor value;
};

Cone cone_of(const at::Tensor& x) {
  constexpr double kTiny = 1e-8;  // avoids division by zero for gray and black
  const at::Tensor red = x.select(3, 0);
  const at::Tensor green = x.select(3, 1);
  const at::Tensor blue = x.select(3, 2);
  const at::Tensor value = x.amax(3);
  const at::Tensor range = value - x.amin(3);
  const at::Tensor from_red = (green - blue) / (range + kTiny);
  const at::Tensor from_green = (blue - red) / (range + kTiny) + 2;
  const at::Tensor from_blue = (red - green) / (range + kTiny) + 4;
  const at::Tensor sixths =
      at::where(value.eq(red), from_red, at::where(value.eq(green), from_green, from_blue));
  return {sixths.remainder(6) / 6, range / (value + kTiny), value};
}

at::Tensor colors_of(const Cone& cone) {
  const at::Tensor shift = three(5, 3, 1, cone.hue);
  const at::Tensor k = (cone.hue.unsqueeze(3) * 6 + shift).remainder_(6);
  const at::Tensor loss = at::minimum(k, 4 - k).clamp_(0, 1);
  const at::Tensor value = cone.value.unsqueeze(3);
  return value - value * cone.saturation.unsqueeze(3) * loss;
}

}  // namespace

at::Tensor crop(const at::Tensor& obs, const at::Tensor& down, const at::Tensor& right) {
  const auto source = [&](std::int64_t dim, const at::Tensor& offset) {
    const std::int64_t side = obs.size(dim);
    return (positions(obs, dim) + offset.unsqueeze(1) - crop_border(side)).clamp_(0, side - 1);
  };
  const at::Tensor image = positions(obs, 0).view({-1, 1, 1});
  return obs.index({image, source(1, down).unsqueeze(2), source(2, right).unsqueeze(1)});
}

at::Tensor flip(const at::Tensor& obs, const at::Tensor& flipped, bool left_for_right) {
  return at::where(per_image(flipped), obs.flip({left_for_right ? 2 : 1}), obs);
}

at::Tensor rotate(const at::Tensor& obs, const at::Tensor& quarter_turns) {
  if (obs.size(1) != obs.size(2)) {
    std::ostringstream message;
    message << "augmentation rotate needs square observations, not " << obs.size(1) << "x"
            << obs.size(2);
    throw std::invalid_argument(message.str());
  }
  const at::Tensor turns = per_image(quarter_turns);
  const at::Tensor once = at::where(turns.remainder(2).eq(1), at::rot90(obs, 1, {1, 2}), obs);
  return at::where(turns.ge(2), at::rot90(once, 2, {1, 2}), once);
}

at::Tensor cut_out(const at::Tensor& obs, const at::Tensor& height, const at::Tensor& width,
                   const at::Tensor& color) {
  const at::Tensor rows = in_box(obs, 1, height, 12);
  const at::Tensor columns = in_box(obs, 2, width, 24);
  const at::Tensor box =
      rows.view({-1, obs.size(1), 1, 1}).logical_and(columns.view({-1, 1, obs.size(2), 1}));
  return at::where(box, color.view({-1, 1, 1, obs.size(3)}), obs);
}

at::Tensor grayscale(const at::Tensor& obs) {
  require_color(obs, "grayscale");
  const at::Tensor weights = three(0.299, 0.587, 0.114, obs);
  return (obs * weights).sum(3, /*keepdim=*/true).expand_as(obs);
}

at::Tensor random_conv(const at::Tensor& obs, const at::Tensor& weights) {
  require_color(obs, "random-conv");
  const std::int64_t batch = obs.size(0);
  const std::int64_t height = obs.size(1);
  const std::int64_t width = obs.size(2);
  const at::Tensor padded = at::constant_pad_nd(obs.to(at::kFloat), {0, 0, 1, 1, 1, 1});
  // The 3 x 3 neighborhood of each pixel, 27 numbers; then one matrix product per image.
  std::vector<at::Tensor> neighbors;
  for (std::int64_t row = 0; row < 3; ++row) {
    for (std::int64_t column = 0; column < 3; ++column) {
      neighbors.push_back(padded.narrow(1, row, height).narrow(2, column, width));
    }
  }
  const at::Tensor pixels = at::cat(neighbors, 3).view({batch, height * width, 27});
  const at::Tensor kernels = weights.permute({0, 3, 4, 2, 1}).reshape({batch, 27, 3});
  return at::bmm(pixels, kernels).view({batch, height, width, 3});
}

at::Tensor color_jitter(const at::Tensor& obs, const ColorJitter& jitter) {
  require_color(obs, "color-jitter");
  // Both orders in one sequence: a factor of 1 leaves the contrast unchanged.
  const at::Tensor one = at::ones_like(jitter.contrast);
  const at::Tensor before = at::where(jitter.contrast_first, jitter.contrast, one);
  const at::Tensor after = at::where(jitter.contrast_first, one, jitter.contrast);
  const at::Tensor x = with_contrast(obs.to(at::kFloat) / 255, before);

  const auto per_pixel = [](const at::Tensor& factor) { return factor.view({-1, 1, 1}); };
  Cone cone = cone_of(x);
  cone.value = (cone.value * per_pixel(jitter.brightness)).clamp_(0, 1);
  cone.hue = (cone.hue + per_pixel(jitter.hue) * (255.0 / 360)).remainder_(1);
  cone.saturation = (cone.saturation * per_pixel(jitter.saturation)).clamp_(0, 1);
  return with_contrast(colors_of(cone), after) * 255;
}

}  // namespace plr::learn
