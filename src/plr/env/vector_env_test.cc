#include "plr/env/vector_env.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/support/error_message.h"

namespace plr {
namespace {

// Level 7 cannot be started, and action 1 cannot be taken.
class Fragile final : public VectorEnv {
 public:
  explicit Fragile(int num_workers) : VectorEnv(make_spec(), num_workers) {}

 private:
  static EnvSpec make_spec() {
    EnvSpec spec;
    spec.name = "fragile";
    spec.num_slots = 4;
    spec.observation_shape = {1, 1, 1};
    spec.actions = ActionSpace::discrete(2);
    spec.max_steps = 10;
    spec.last_level = 100;
    return spec;
  }
  void start_level(int, LevelId level, const StepBatch&) override {
    if (level == 7) throw std::runtime_error("level 7");
  }
  void step_slots(SlotRange slots, std::span<const Action> actions, const StepBatch& out) override {
    for (int slot = slots.begin; slot < slots.end; ++slot) {
      const auto i = static_cast<std::size_t>(slot);
      if (actions[i - static_cast<std::size_t>(slots.begin)] == 1) {
        throw std::runtime_error("action 1");
      }
      out.rewards[i] = 0;
      out.terminated[i] = out.truncated[i] = 0;
    }
  }
  void save_episode(int, ByteWriter&) const override {}
  void load_episode(int, LevelId, bool, ByteReader&) override {}
};

TEST(VectorEnv, PassesOnExceptionsOfTheImplementationFromAnyThread) {
  for (const int num_workers : {1, 3}) {
    Fragile env(num_workers);
    StepBuffers buffers(env.spec());
    const std::vector<Start> starts = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    const std::vector<Start> fragile = {{0, 1}, {1, 2}, {2, 3}, {3, 7}};
    EXPECT_EQ(runtime_error_of([&] { env.start(fragile, buffers.batch()); }), "level 7");
    env.start(starts, buffers.batch());
    const std::vector<Action> actions = {0, 0, 0, 1};
    EXPECT_EQ(runtime_error_of([&] { env.step({0, 4}, actions, buffers.batch()); }), "action 1");
  }
}

}  // namespace
}  // namespace plr
