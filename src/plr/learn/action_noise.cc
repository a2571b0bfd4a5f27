#include "plr/learn/action_noise.h"

#include <bit>
#include <cstdint>

#include "plr/base/random.h"
#include "plr/learn/initialization.h"

namespace plr::learn {
namespace {

// SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

Random stream_of(double uniform) {
  constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15U;
  const auto bits = std::bit_cast<std::uint64_t>(uniform);
  const auto high = static_cast<uint128>(mixed(bits + kIncrement));
  return Random(Pcg64(Pcg64::State{.state = (high << 64) + mixed(bits + 2 * kIncrement)}));
}

}  // namespace

void action_noise(const ActionSpace& space, double uniform, std::span<double> noise) {
  if (space.kind == ActionSpace::Kind::kDiscrete) {
    noise[0] = uniform;
    return;
  }
  Random random = stream_of(uniform);
  for (double& number : noise) {
    number = space.is_continuous() ? standard_normal(random) : random.uniform();
  }
}

}  // namespace plr::learn
