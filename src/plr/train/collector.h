// How does a rollout come about?
//
// The collector plays N slots side by side: it lets the policy act, steps the environments, scores
// the episodes that end, records them, and only then asks the curriculum for the next levels, in
// slot order.
//
//   Collector collector({env, curriculum, scorer, normalizer, network}, stream, 1);
//   collector.begin(rollout);    // once: first levels, first observations
//   collector.fill(rollout);     // T steps of every slot
//
// Groups of slots go round on their own, so that environment and network work at the same time:
//
//   think -> step -> score -> start levels in place of those that ended -> think ...
//
// Each goes on as soon as it can, but for the score: there they keep their order, step by step, so
// that the curriculum hears the same story whoever is quicker, and the run is the same.
//
// What it refers to must outlive it.  Not synchronized.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plr/base/random.h"
#include "plr/core/curriculum.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/reward_normalizer.h"
#include "plr/env/vector_env.h"
#include "plr/learn/policy.h"
#include "plr/learn/rollout.h"
#include "plr/train/episode_window.h"
#include "plr/train/stopwatch.h"

namespace plr::train {

struct CollectorParts {
  VectorEnv& env;
  Curriculum& curriculum;
  EpisodeScorer& scorer;
  RewardNormalizer& normalizer;
  const learn::Network& network;
  ScoreFunction score_function = ScoreFunction::kValueL1;  // what the scorer wants of the policy
};

class Collector {
 public:
  // The slots are played in one to four groups.
  Collector(const CollectorParts& parts, Random actions, int num_groups);

  // Starts the first levels.  The rollout's host_obs() always holds what the slots show now.
  void begin(learn::Rollout& rollout);
  // Plays T steps; the advantages are not computed yet.
  void fill(learn::Rollout& rollout);

  // The training episodes that ended last.
  const EpisodeWindow& episodes() const { return window_; }

  // What of the time went where.
  const CollectTimes& times() const { return times_; }

  // Everything that decides how collecting goes on, the environments and what they show included.
  std::vector<std::byte> save(learn::Rollout& rollout) const;
  void load(std::span<const std::byte> bytes, learn::Rollout& rollout);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase : std::uint8_t { kThinking, kStepping, kStarting };

  // Slots that are stepped together, and who decides for them.
  struct Group {
    std::size_t number;  // and lane of the environment
    SlotRange slots;
    learn::Policy policy;
    std::vector<Start> starts;  // that are under way
    Phase phase = Phase::kThinking;
    std::size_t step = 0;  // of the rollout

    int lane() const { return static_cast<int>(number); }

    template <class Row>
    auto part(Row&& row) const {
      return std::span(row).subspan(static_cast<std::size_t>(slots.begin),
                                    static_cast<std::size_t>(slots.size()));
    }
    at::Tensor take_obs(learn::Rollout& rollout) const {
      return rollout.take_obs(step, static_cast<std::size_t>(slots.begin),
                              static_cast<std::size_t>(slots.size()));
    }
  };

  bool go_on(Group& group, learn::Rollout& rollout);
  void ask(Group& group, learn::Rollout& rollout);
  void begin_step(Group& group, learn::Rollout& rollout);
  void finish_step(Group& group, learn::Rollout& rollout);
  Clock::time_point wait_since(Clock::time_point begin);
  void score(Group& group, learn::Rollout& rollout);
  void start_next_levels(Group& group, learn::Rollout& rollout);
  void value_the_rest(learn::Rollout& rollout);
  void record_due_results();
  StepBatch batch(learn::Rollout& rollout);

  CollectorParts parts_;
  Random actions_;
  std::vector<Group> groups_;
  std::vector<double> rewards_;           // [N], raw
  std::vector<std::uint8_t> terminated_;  // [N]
  std::vector<std::uint8_t> truncated_;   // [N]
  std::size_t next_to_score_ = 0;         // the group whose turn it is
  std::size_t num_drawn_ = 0;             // steps of the rollout for which uniforms_ were drawn
  std::array<std::vector<double>, 2> uniforms_;  // [step % 2][N]
  std::vector<float> terms_;                     // [N], of the policy
  std::vector<double> returns_;                  // [N], raw, of the open episodes
  std::vector<std::int64_t> lengths_;            // [N], of the open episodes
  std::vector<LevelId> levels_;                  // [N], being played
  EpisodeWindow window_;
  CollectTimes times_;
};

}  // namespace plr::train
