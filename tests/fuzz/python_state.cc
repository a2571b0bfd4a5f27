// Fuzzes the state of the Python package's scorer, which contains another state, behind both
// checksums.
#include "rollout_scorer.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plr;
  constexpr std::size_t kNumSlots = 3;
  python::RolloutScorer scorer({}, kNumSlots, 8);
  const std::vector<std::byte> bytes = fuzz::resealed(fuzz::bytes_of(data, size));
  if (fuzz::refused([&] { scorer.load(bytes); })) return 0;
  std::vector<EpisodeResult> results;
  fuzz::refused([&] { scorer.end_rollout(std::vector<float>(kNumSlots, 0.5F), results); });
  scorer.save();
  return 0;
}
