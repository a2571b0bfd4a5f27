// What if every level were as good as any other?
//
// The baseline of the paper: each episode plays a level drawn uniformly from the set, which may be
// a stream.
//
//   Uniform uniform(LevelSet::range(0, 200), streams.named("levels"));
//
// A value type: a copy goes on with the same draws.  Not synchronized.
#pragma once

#include "plr/base/random.h"
#include "plr/core/curriculum.h"

namespace plr {

class Uniform final : public Curriculum {
 public:
  Uniform(LevelSet levels, const Random& random, FirstLevels first_levels = FirstLevels::kDrawn);

  std::vector<LevelId> first(std::size_t num_slots) override;

  const LevelSet& levels() const { return levels_; }
  FirstLevels first_levels() const { return first_levels_; }

  LevelId next() override { return levels_[random_.below(levels_.size())]; }
  // Learns nothing, but checks as every curriculum does.
  void record(const EpisodeResult& result) override;
  // Every level of a finite set; of a stream, none.
  std::vector<LevelWeight> weights() const override;
  std::vector<std::byte> save() const override;
  void load(std::span<const std::byte> bytes) override;

 private:
  LevelSet levels_;
  FirstLevels first_levels_;
  Random random_;
};

}  // namespace plr
