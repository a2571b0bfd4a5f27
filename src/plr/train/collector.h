// How does a rollout come about?
//
// The collector plays N slots side by side: it lets the policy act, steps the environments, scores
// the episodes that end, records them, and only then asks the curriculum for the next levels, in
// slot order.
//
//   Collector collector({env, curriculum, scorer, normalizer, network}, streams.named("actions"),
//   1); collector.begin(rollout);    // once: first levels, first observations
//   collector.fill(rollout);     // T steps of every slot
//
// Groups of slots take turns, so that environment and network work at the same time.  Of four,
//
//   turn     5        6        7        8        9
//   step   ---B---  ---C---  ---D---  ---A---  ---B---     begun in their turn,
//             ---A---  ---B---  ---C---  ---D---           finished in the next
//   start  D        A        B        C        D           levels in place of those that ended
//   think     D        A        B        C        D        about the next action
//
// The turns are always the same, whoever is quicker, and so is the run.
//
// What it refers to must outlive it.  Not synchronized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/core/curriculum.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/random.h"
#include "plr/core/reward_normalizer.h"
#include "plr/env/vector_env.h"
#include "plr/learn/policy.h"
#include "plr/learn/rollout.h"
#include "plr/train/episode_window.h"
#include "plr/train/stopwatch.h"

namespace plr {

struct CollectorParts {
  VectorEnv& env;
  Curriculum& curriculum;
  EpisodeScorer& scorer;
  RewardNormalizer& normalizer;
  const Network& network;
  ScoreFunction score_function = ScoreFunction::kValueL1;  // what the scorer wants of the policy
};

class Collector {
 public:
  // The slots are played in one to four groups.
  Collector(const CollectorParts& parts, Random actions, int num_groups);

  // Starts the first levels.  The rollout's host_obs() always holds what the slots show now.
  void begin(Rollout& rollout);
  // Plays T steps; the advantages are not computed yet.
  void fill(Rollout& rollout);

  // The training episodes that ended last.
  const EpisodeWindow& episodes() const { return window_; }

  // What of the time went where.
  const CollectTimes& times() const { return times_; }

  // Everything that decides how collecting goes on, the environments and what they show included.
  std::vector<std::byte> save(Rollout& rollout) const;
  void load(std::span<const std::byte> bytes, Rollout& rollout);

 private:
  // Slots that are stepped together, and who decides for them.
  struct Group {
    int lane;  // of the environment
    SlotRange slots;
    Policy policy;
    std::vector<Start> starts;  // that are under way

    template <class Row>
    auto part(Row&& row) const {
      return std::span(row).subspan(static_cast<std::size_t>(slots.begin),
                                    static_cast<std::size_t>(slots.size()));
    }
    at::Tensor take_obs(Rollout& rollout, std::size_t step) const {
      return rollout.take_obs(step, static_cast<std::size_t>(slots.begin),
                              static_cast<std::size_t>(slots.size()));
    }
  };

  // Turn i is step i / groups of group i % groups.
  Group& group_of(std::size_t turn) { return groups_[turn % groups_.size()]; }
  void begin_step(std::size_t turn, Rollout& rollout);
  void finish_step(std::size_t turn, Rollout& rollout);
  void ask_again(std::size_t turn, Rollout& rollout);
  void ask(Group& group, Rollout& rollout, std::size_t step);
  void finish_starts(Group& group);
  void score(Group& group, Rollout& rollout, std::size_t step);
  void start_next_levels(Group& group, Rollout& rollout);
  void value_the_rest(Rollout& rollout);
  void record_due_results();
  StepBatch batch(Rollout& rollout);

  CollectorParts parts_;
  Random actions_;
  std::vector<Group> groups_;
  std::vector<double> rewards_;           // [N], raw
  std::vector<std::uint8_t> terminated_;  // [N]
  std::vector<std::uint8_t> truncated_;   // [N]
  std::vector<double> uniforms_;          // [N]
  std::vector<float> terms_;              // [N], of the policy
  std::vector<double> returns_;           // [N], raw, of the open episodes
  std::vector<std::int64_t> lengths_;     // [N], of the open episodes
  std::vector<LevelId> levels_;           // [N], being played
  EpisodeWindow window_;
  CollectTimes times_;
};

}  // namespace plr
