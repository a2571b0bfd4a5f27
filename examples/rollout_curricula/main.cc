// ACCEL and SFL choose the mazes of an agent. The agent acts at random; a real one would learn from
// the rollouts for which plan.learn is true.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <vector>

#include "plr/catalog/make_env.h"
#include "plr/core/rollout_replay.h"
#include "plr/core/sfl.h"

namespace {

constexpr const char* kEnv = "maze/random-25";
constexpr std::size_t kSlots = 32;    // N
constexpr std::size_t kSteps = 1000;  // T, at least four episodes of 250 steps

class RandomAgent {
 public:
  explicit RandomAgent(const plr::EnvOptions& options)
      : env_(plr::catalog::make_env(kEnv, options)), buffers_(env_->spec()) {}

  const plr::EnvSpec& spec() const { return env_->spec(); }

  // A rollout, in which each slot repeats its level.
  std::vector<plr::RolloutResult> play(std::span<const plr::LevelId> levels,
                                       std::span<const double> best_returns) {
    const plr::StepBatch batch = buffers_.batch();
    std::vector<float> rewards;                           // [T, N]
    std::vector<float> values((kSteps + 1) * kSlots, 0);  // [T + 1, N], those of the network
    std::vector<std::uint8_t> done;                       // [T, N]
    std::vector<plr::Action> actions(kSlots);
    std::vector<plr::Start> starts;
    for (int slot = 0; const plr::LevelId level : levels) starts.push_back({slot++, level});
    for (std::size_t t = 0; t < kSteps; ++t) {
      env_->start(starts, batch);
      starts.clear();
      for (plr::Action& action : actions) plr::draw_action(spec().actions, random_, {&action, 1});
      env_->step({0, static_cast<int>(kSlots)}, actions, batch);
      rewards.insert(rewards.end(), batch.rewards.begin(), batch.rewards.end());
      for (int slot = 0; const plr::LevelId level : levels) {
        done.push_back(batch.ended(slot));
        if (batch.ended(slot)) starts.push_back({slot, level});
        ++slot;
      }
    }
    std::vector<plr::RolloutResult> results(kSlots);
    score_rollout({.num_slots = kSlots, .rewards = rewards, .values = values, .done = done},
                  {.gamma = 0.995, .lambda = 0.98}, best_returns, results);
    return results;
  }

 private:
  std::unique_ptr<plr::VectorEnv> env_;
  plr::StepBuffers buffers_;
  plr::Random random_ = plr::Streams(1).named("actions");
};

void run_accel() {
  // Edited levels are data in a store, which the environment reads.
  const auto store = std::make_shared<plr::LevelStore>();
  const plr::EnvOptions options = {.num_slots = kSlots, .store = store};
  RandomAgent agent(options);
  plr::RolloutReplay accel(agent.spec().full_distribution,
                           {.num_edits = 5, .buffer = {.capacity = 100}},
                           plr::catalog::level_tools(kEnv, options, store),
                           plr::Streams(1).named("levels"));
  for (int i = 0; i < 20; ++i) {
    const plr::RolloutPlan& plan = accel.plan(kSlots);
    std::cout << enum_names(plan.kind)[static_cast<std::size_t>(plan.kind)] << ' ';
    accel.record(agent.play(plan.levels, plan.best_returns));
    store->keep(accel.levels_in_use());  // drops edited levels that are not in the buffer
  }
  std::cout << "\naccel: " << store->size() << " of " << accel.buffer().size()
            << " levels in the buffer are edited\n";
}

void run_sfl() {
  RandomAgent agent({.num_slots = kSlots});
  plr::Sfl sfl(agent.spec().full_distribution,
               {.interval = 5, .num_surveyed = 4 * kSlots, .num_kept = 16},
               plr::Streams(2).named("levels"));
  for (int i = 0; i < 10; ++i) {
    if (const auto surveyed = sfl.levels_to_survey(); !surveyed.empty()) {
      std::vector<double> rates;
      while (rates.size() < surveyed.size()) {
        const auto levels = std::span(surveyed).subspan(rates.size(), kSlots);
        for (const plr::RolloutResult& result : agent.play(levels, std::vector<double>(kSlots))) {
          rates.push_back(result.success_rate());
        }
      }
      sfl.record_survey(rates);
      const std::vector<plr::LevelWeight> kept = sfl.weights();
      std::cout << "sfl: learnability of " << kept.size() << " kept levels " << kept.front().score
                << " to " << kept.back().score << '\n';
    }
    const plr::RolloutPlan& plan = sfl.plan(kSlots);
    sfl.record(agent.play(plan.levels, plan.best_returns));
  }
}

}  // namespace

int main() {
  run_accel();
  run_sfl();
}
