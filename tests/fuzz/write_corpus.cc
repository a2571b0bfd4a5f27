// Writes those inputs of the fuzz targets' corpus that are binary: write_corpus tests/fuzz/corpus.
#include <cstdio>
#include <utility>

#include "plr/core/episode_scorer.h"
#include "plr/core/level_buffer.h"
#include "plr/core/level_replay.h"
#include "plr/core/level_store.h"
#include "plr/core/reward_normalizer.h"
#include "plr/core/sfl.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"
#include "plr/run/safetensors.h"
#include "rollout_scorer.h"
#include "tests/fuzz/fuzz.h"

namespace plr::fuzz {
namespace {

Random stream() { return Streams(1).named("levels"); }

template <class T>
T played(T curriculum) {
  for (int i = 0; i < 12; ++i) {
    const LevelId level = curriculum.next();
    curriculum.record({.level = level, .score = 0.1 * static_cast<double>(i), .episode_return = 1});
  }
  return curriculum;
}

class Corpus {
 public:
  explicit Corpus(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, std::span<const std::byte> bytes,
           std::string text = "") {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    make_directories(folder_ / target);
    write_unsynced(folder_ / target / name, text);
  }
  // `kind` as sampler_state.cc has it.
  void add_state(char kind, const std::string& name, const std::vector<std::byte>& bytes) {
    add("sampler_state", name, bytes, std::string(1, kind));
  }

 private:
  std::filesystem::path folder_;
};

void write(const std::filesystem::path& folder) {
  Corpus corpus(folder);
  const LevelSet range = LevelSet::range(0, 30);
  const LevelReplayConfig replay = {.buffer_size = 16};
  corpus.add_state(0, "level_replay", played(LevelReplay(range, replay, stream())).save());
  corpus.add_state(1, "level_replay_stream",
                   played(LevelReplay(LevelSet::stream(0, 1000), replay, stream())).save());
  corpus.add_state(2, "uniform", played(Uniform(range, stream())).save());
  corpus.add_state(3, "tscl", played(Tscl(range, {}, stream())).save());
  corpus.add_state(4, "level_buffer", LevelBuffer({.capacity = 16}).save());
  corpus.add_state(5, "level_store", LevelStore().save());
  corpus.add_state(6, "episode_scorer", EpisodeScorer({}, 4, 16).save());
  corpus.add_state(7, "reward_normalizer", RewardNormalizer({}, 4).save());
  corpus.add_state(8, "sfl", Sfl(range, {}, stream()).save());
  corpus.add("python_state", "rollout_scorer", python::RolloutScorer({}, 3, 8).save());
  const std::array<float, 4> weights = {1, 2, 3, 4};
  const std::vector<run::TensorView> tensors = {
      {"w", run::DType::kF32, {2, 2}, std::as_bytes(std::span(weights))}};
  corpus.add("safetensors", "weights", run::to_safetensors(tensors, {{"made_by", "plr"}}));
}

}  // namespace
}  // namespace plr::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "write_corpus FOLDER\n");
    return 2;
  }
  plr::fuzz::write(argv[1]);
}
