// Level replay that decides once per rollout: PLR, robust PLR (PLR-perp, Jiang et al. 2021) and
// ACCEL (Parker-Holder et al. 2022), with the buffer of JaxUED.
//
// Each rollout plays either new levels, which are then inserted into the buffer, or levels drawn
// from the buffer, whose scores are then updated. One random number decides for all slots.
//
//   PLR         learns from both                                       learn_on_new = true
//   robust PLR  learns from replayed levels; new ones are only scored  learn_on_new = false
//   ACCEL       robust PLR, and after each replay a rollout on edited  num_edits > 0
//               copies of the replayed levels, inserted like new ones
//
//   RolloutReplay replay(LevelSet::stream(0, 1ULL << 63), {.num_edits = 5}, tools, random);
//   const RolloutPlan& plan = replay.plan(32);
//   replay.record(results);
//
// A level in several slots is updated in slot order: the last result counts. Edited levels have no
// history: their best return is that of their own rollout. A level without a finished episode is
// not inserted, and keeps its score if it is replayed.
//
// plan() and record() take O(N log capacity) for N slots. Copyable; a copy continues the same
// random stream. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/level_buffer.h"
#include "plr/core/rollout_curriculum.h"
#include "plr/core/rollout_replay_config.h"

namespace plr {

class RolloutReplay final : public RolloutCurriculum {
 public:
  // `levels` are the new ones, drawn uniformly. Throws std::invalid_argument if a setting is out of
  // bounds or needs a function that `tools` lacks.
  RolloutReplay(LevelSet levels, const RolloutReplayConfig& config, LevelTools tools,
                const Random& random);

  const LevelBuffer& buffer() const { return buffer_; }

  const RolloutPlan& plan(std::size_t num_slots) override;
  void record(std::span<const RolloutResult> results) override;
  std::vector<LevelId> levels_in_use() const override;

  std::vector<LevelWeight> weights() const override { return buffer_.weights(); }
  std::optional<ReplaySummary> replay_summary() const override;
  std::vector<std::byte> save() const override;
  void load(std::span<const std::byte> bytes) override;

 private:
  void begin_plan(RolloutKind kind, std::size_t num_slots);
  void plan_new(std::size_t num_slots);
  void plan_replay(std::size_t num_slots);
  void plan_edited(std::size_t num_slots);
  double score(const RolloutResult& result, LevelId level) const;
  std::vector<LevelId> parents(std::span<const RolloutResult> results) const;

  LevelSet levels_;
  RolloutReplayConfig config_;
  LevelTools tools_;
  Random random_;
  LevelBuffer buffer_;
  RolloutPlan plan_;
  std::vector<LevelBuffer::Slot> drawn_;  // [slot] of a replay: the buffer's slot
  std::vector<LevelId> parents_;          // replayed last and to be edited next; else empty
};

}  // namespace plr
