#include "plr/learn/device_random.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace plr::learn {
namespace {

at::Tensor key(std::int64_t number) { return at::scalar_tensor(number, at::kLong); }

TEST(DeviceRandom, IsSplitMix64) {
  // The same on unsigned integers.
  for (const std::uint64_t seed : {0ULL, 1ULL, 0xfedcba9876543210ULL}) {
    const at::Tensor u = uniforms(key(static_cast<std::int64_t>(seed)), {100});
    for (std::uint64_t i = 0; i < 100; ++i) {
      std::uint64_t x = seed + (i + 1) * 0x9e3779b97f4a7c15ULL;
      x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
      x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
      x ^= x >> 31;
      EXPECT_EQ(u[static_cast<std::int64_t>(i)].item<double>(),
                static_cast<double>(x >> 40) * 0x1.0p-24);
    }
  }
}

TEST(DeviceRandom, HasTheMomentsOfItsDistributions) {
  // Of a million numbers the mean deviates by 0.0003 (uniform) and 0.001 (normal).
  const at::Tensor u = uniforms(key(5), {1000, 1000});
  EXPECT_NEAR(u.mean().item<double>(), 0.5, 5 * 0.0003);
  EXPECT_NEAR(u.var().item<double>(), 1.0 / 12, 0.001);
  EXPECT_GE(u.min().item<double>(), 0);
  EXPECT_LT(u.max().item<double>(), 1);
  const at::Tensor z = normals(key(6), {1000, 1000});
  EXPECT_NEAR(z.mean().item<double>(), 0, 5 * 0.001);
  EXPECT_NEAR(z.var().item<double>(), 1, 5 * 0.0015);
  EXPECT_NEAR(z.pow(4).mean().item<double>(), 3, 5 * 0.01);
  EXPECT_TRUE(at::all(z.isfinite()).item<bool>());
}

}  // namespace
}  // namespace plr::learn
