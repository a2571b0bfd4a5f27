// The uniform baseline of the paper: each level is drawn uniformly from the set or stream.
//
//   Uniform uniform(LevelSet::range(0, 200), streams.named("levels"));
//
// next() and record() take O(1) and do not allocate. Copyable; a copy continues the same random
// stream. Not thread-safe.
#pragma once

#include "plr/base/random.h"
#include "plr/core/curriculum.h"

namespace plr {

class Uniform final : public Curriculum {
 public:
  Uniform(LevelSet levels, const Random& random, const StartConfig& start = {});

  std::vector<LevelId> first(std::size_t num_slots) override;

  const LevelSet& levels() const { return levels_; }
  const StartConfig& start() const { return start_; }

  LevelId next() override { return levels_[random_.below(levels_.size())]; }
  // Only checks the result.
  void record(const EpisodeResult& result) override;
  // Every level of a finite set; none of a stream.
  std::vector<LevelWeight> weights() const override;
  std::vector<std::byte> save() const override;
  void load(std::span<const std::byte> bytes) override;

 private:
  LevelSet levels_;
  StartConfig start_;
  Random random_;
};

}  // namespace plr
