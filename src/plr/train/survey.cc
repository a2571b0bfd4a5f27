#include "plr/train/survey.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "plr/learn/policy.h"

namespace plr::train {
namespace {

// The slots of an environment with the arrays of a step.
class SurveySlots {
 public:
  SurveySlots(VectorEnv& env, learn::Backend& backend)
      : env_(env),
        num_slots_(static_cast<std::size_t>(env.spec().num_slots)),
        policy_(backend, {}, num_slots_),
        rewards_(num_slots_),
        terminated_(num_slots_),
        truncated_(num_slots_),
        returns_(num_slots_),
        uniforms_(num_slots_),
        actions_(num_slots_),
        log_probs_(num_slots_),
        values_(num_slots_) {}

  std::size_t num_slots() const { return num_slots_; }

  // Starts a level per result; slots without one play the last level and are not counted.
  void start(std::span<const SurveyedLevel> results) {
    starts_.clear();
    for (std::size_t slot = 0; slot < num_slots_; ++slot) {
      begin_episode(slot, results[std::min(slot, results.size() - 1)].level);
    }
    env_.start(starts_, batch());
  }

  // One step of all slots. Counts the episodes that end and starts their levels again.
  void step(Random& random, std::span<SurveyedLevel> results) {
    for (double& u : uniforms_) u = random.uniform();
    policy_.act(uniforms_, {actions_, log_probs_, values_, {}});
    const StepBatch out = batch();
    env_.step({0, env_.spec().num_slots}, actions_, out);
    starts_.clear();
    for (std::size_t slot = 0; slot < num_slots_; ++slot) {
      returns_[slot] += rewards_[slot];
      if (!out.ended(static_cast<int>(slot))) continue;
      if (slot < results.size()) {
        SurveyedLevel& result = results[slot];
        ++result.episodes;
        if (returns_[slot] > 0) ++result.successes;
        result.return_sum += returns_[slot];
      }
      begin_episode(slot, *env_.level(static_cast<int>(slot)));
    }
    env_.start(starts_, out);
  }

 private:
  StepBatch batch() { return {policy_.observations(), rewards_, terminated_, truncated_}; }

  void begin_episode(std::size_t slot, LevelId level) {
    starts_.push_back({static_cast<int>(slot), level});
    policy_.begin_episode(slot);
    returns_[slot] = 0;
  }

  VectorEnv& env_;
  std::size_t num_slots_;
  learn::Policy policy_;
  std::vector<double> rewards_;
  std::vector<std::uint8_t> terminated_;
  std::vector<std::uint8_t> truncated_;
  std::vector<double> returns_;  // of the episodes that are played
  std::vector<double> uniforms_;
  std::vector<Action> actions_;
  std::vector<float> log_probs_;
  std::vector<float> values_;
  std::vector<Start> starts_;
};

}  // namespace

std::vector<SurveyedLevel> survey(VectorEnv& env, learn::Backend& backend,
                                  std::span<const LevelId> levels, std::int64_t num_steps,
                                  Random random, const std::function<bool()>& should_stop) {
  assert(num_steps >= 1);
  std::vector<SurveyedLevel> results;
  results.reserve(levels.size());
  for (const LevelId level : levels) results.push_back({.level = level});

  SurveySlots slots(env, backend);
  for (std::size_t begin = 0; begin < results.size(); begin += slots.num_slots()) {
    const std::size_t count = std::min(slots.num_slots(), results.size() - begin);
    const std::span<SurveyedLevel> part = std::span(results).subspan(begin, count);
    slots.start(part);
    for (std::int64_t step = 0; step < num_steps; ++step) {
      if (should_stop && should_stop()) return {};
      slots.step(random, part);
    }
  }
  return results;
}

}  // namespace plr::train
