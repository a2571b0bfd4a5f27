#include "plr/learn/device_random.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <numbers>
#include <vector>

namespace plr::learn {
namespace {

// libtorch shifts int64 arithmetically; this shift is logical.
at::Tensor shifted_right(const at::Tensor& x, std::int64_t by) {
  return at::bitwise_right_shift(x, by).bitwise_and_((std::int64_t{1} << (64 - by)) - 1);
}

std::int64_t as_signed(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

}  // namespace

at::Tensor uniforms(const at::Tensor& key, at::IntArrayRef shape) {
  std::int64_t count = 1;
  for (const std::int64_t n : shape) count *= n;
  // Products wrap around, as SplitMix64 requires.
  at::Tensor x = at::arange(1, count + 1, key.options());
  x.mul_(as_signed(0x9e3779b97f4a7c15)).add_(key);
  x.bitwise_xor_(shifted_right(x, 30)).mul_(as_signed(0xbf58476d1ce4e5b9));
  x.bitwise_xor_(shifted_right(x, 27)).mul_(as_signed(0x94d049bb133111eb));
  x.bitwise_xor_(shifted_right(x, 31));
  return shifted_right(x, 40).to(at::kFloat).mul_(0x1.0p-24).view(shape);
}

at::Tensor normals(const at::Tensor& key, at::IntArrayRef shape) {
  std::vector<std::int64_t> pairs = {2};
  pairs.insert(pairs.end(), shape.begin(), shape.end());
  const at::Tensor u = uniforms(key, pairs);
  return (-2 * at::log1p(-u[0])).sqrt() * (2 * std::numbers::pi * u[1]).cos();
}

}  // namespace plr::learn
