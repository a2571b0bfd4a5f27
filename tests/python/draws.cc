// What does the sampler draw, in C++?
//
// Plays a script that sampler_test.py plays in Python: writes each level drawn, and in the end the
// probabilities, as hexadecimal floating point.
#include <cstdio>

#include "plr/core/level_replay.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"

namespace {

// Scores and returns that differ between levels and over time.
double score_of(plr::LevelId level, int episode) {
  return static_cast<double>((level * 7 + static_cast<plr::LevelId>(episode)) % 13) / 13;
}

void play(const char* name, plr::Curriculum&& curriculum) {
  std::printf("%s\n", name);
  for (int episode = 0; episode < 2000; ++episode) {
    const plr::LevelId level = curriculum.next();
    const double score = score_of(level, episode);
    curriculum.record({.level = level, .score = score, .episode_return = 2 * score});
    std::printf("%llu\n", static_cast<unsigned long long>(level));
  }
  for (const plr::LevelWeight& w : curriculum.weights()) std::printf("%a\n", w.probability);
}

}  // namespace

int main() {
  using plr::LevelSet;
  const plr::Random levels = plr::Streams(7).named("levels");
  play("rank", plr::LevelReplay(LevelSet::range(0, 200), {.staleness_coef = 0.3}, levels));
  play("proportional",
       plr::LevelReplay(
           LevelSet::list({5, 3, 9, 1ULL << 40}),
           {.transform = plr::Transform::kProportional, .temperature = 0.5, .smoothing = 0.7},
           levels));
  play("stream",
       plr::LevelReplay(LevelSet::stream(1, 999'999'999'999), {.buffer_size = 50}, levels));
  play("uniform", plr::Uniform(LevelSet::range(100, 50), levels));
  play("tscl", plr::Tscl(LevelSet::range(0, 40), {.window = 5, .staleness_coef = 0.2}, levels));
  return 0;
}
