// Fills rollouts: plays N slots and reports finished episodes to the curriculum.
//
// A step of a group of slots:
//
//   inference -> environment step -> scoring -> start levels in place of those that ended
//
// Scoring records finished episodes with the curriculum; only then are the next levels drawn, in
// slot order.
//
//   Collector collector({env, curriculum, scorer, normalizer, *backend}, stream, 1);
//   collector.begin(rollout);    // once: first levels, first observations
//   collector.fill(rollout);     // T steps of every slot
//
// Groups advance independently, so that environment and network work at the same time.  Results are
// scored and recorded in a fixed order, by step and group, so the run does not depend on timing.
//
// The parts must outlive the collector.  Movable.  Not thread-safe.
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
  learn::Backend& backend;
  ScoreFunction score_function =
      ScoreFunction::kValueL1;  // selects the policy term that the scorer needs
};

class Collector {
 public:
  // Divides the slots into `num_groups` groups.
  // REQUIRES: 1 <= num_groups <= VectorEnv::kNumLanes.
  Collector(const CollectorParts& parts, Random actions, int num_groups);

  // Starts the first levels.  From then on the rollout's host_obs() holds the current observations.
  void begin(learn::Rollout& rollout);
  // Plays T steps.  Does not compute advantages.
  void fill(learn::Rollout& rollout);

  // The most recent training episodes.
  const EpisodeWindow& episodes() const { return window_; }

  // Seconds spent so far, by activity.
  const CollectTimes& times() const { return times_; }

  // The complete state, including the environments and the current observations.
  std::vector<std::byte> save(learn::Rollout& rollout) const;
  void load(std::span<const std::byte> bytes, learn::Rollout& rollout);

 private:
  using Clock = std::chrono::steady_clock;
  // What a group waits for.
  enum class Phase : std::uint8_t { kInference, kStepping, kStarting };

  // Slots that are stepped together, with their policy.
  struct Group {
    std::size_t number;  // also its lane of the environment
    SlotRange slots;
    learn::Policy policy;
    std::vector<Start> starts;  // collected while scoring, then submitted
    Phase phase = Phase::kInference;
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

  bool advance(Group& group, learn::Rollout& rollout);
  void submit(Group& group, learn::Rollout& rollout);
  void submit_step(Group& group, learn::Rollout& rollout);
  void collect_step(Group& group, learn::Rollout& rollout);
  Clock::time_point idle(Clock::time_point begin);
  void score(Group& group, learn::Rollout& rollout);
  void start_next_levels(Group& group, learn::Rollout& rollout);
  void bootstrap_values(learn::Rollout& rollout);
  void record_due_results();
  StepBatch batch(learn::Rollout& rollout);

  CollectorParts parts_;
  Random actions_;
  std::vector<Group> groups_;
  std::vector<double> rewards_;                  // [N], raw
  std::vector<std::uint8_t> terminated_;         // [N]
  std::vector<std::uint8_t> truncated_;          // [N]
  std::size_t next_to_score_ = 0;                // the only group that may be scored now
  std::size_t num_drawn_ = 0;                    // steps whose uniforms_ have been drawn
  std::array<std::vector<double>, 2> uniforms_;  // [step % 2][N]
  std::vector<float> terms_;                     // [N], policy terms of the current step
  std::vector<double> returns_;                  // [N], raw, of the open episodes
  std::vector<std::int64_t> lengths_;            // [N], of the open episodes
  std::vector<LevelId> levels_;                  // [N], being played
  EpisodeWindow window_;
  CollectTimes times_;
};

}  // namespace plr::train
