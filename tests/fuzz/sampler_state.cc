// Fuzzes the readers of saved states, behind their checksums.
//
// The first byte of the input chooses the class, the rest is a state. A state that is accepted is
// used: draws, records, weights, and it is saved again.
#include <memory>

#include "plr/core/episode_scorer.h"
#include "plr/core/level_buffer.h"
#include "plr/core/level_replay.h"
#include "plr/core/level_store.h"
#include "plr/core/reward_normalizer.h"
#include "plr/core/sfl.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"
#include "tests/fuzz/fuzz.h"

namespace plr::fuzz {
namespace {

Random stream() { return Streams(1).named("levels"); }

void use(Curriculum& curriculum) {
  for (int i = 0; i < 20; ++i) {
    const LevelId level = curriculum.next();
    curriculum.record({.level = level, .score = 0.5, .episode_return = 1});
  }
  curriculum.weights();
}

template <class T>
void load_and_save(T object, std::span<const std::byte> bytes) {
  if (refused([&] { object.load(bytes); })) return;
  if constexpr (std::is_base_of_v<Curriculum, T>) use(object);
  object.save();
}

void load_kind(std::size_t kind, std::span<const std::byte> bytes) {
  const LevelSet range = LevelSet::range(0, 30);
  const LevelSet full = LevelSet::stream(0, 1000);
  const LevelReplayConfig replay = {.buffer_size = 16};
  switch (kind % 9) {
    case 0:
      return load_and_save(LevelReplay(range, replay, stream()), bytes);
    case 1:
      return load_and_save(LevelReplay(full, replay, stream()), bytes);
    case 2:
      return load_and_save(Uniform(range, stream()), bytes);
    case 3:
      return load_and_save(Tscl(range, {}, stream()), bytes);
    case 4:
      return load_and_save(LevelBuffer({.capacity = 16}), bytes);
    case 5:
      return load_and_save(LevelStore(), bytes);
    case 6:
      return load_and_save(EpisodeScorer({}, 4, 16), bytes);
    case 7:
      return load_and_save(RewardNormalizer({}, 4), bytes);
    default:
      return load_and_save(Sfl(range, {}, stream()), bytes);
  }
}

}  // namespace
}  // namespace plr::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  plr::fuzz::load_kind(data[0], plr::fuzz::resealed(plr::fuzz::bytes_of(data + 1, size - 1)));
  return 0;
}
