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

  static constexpr LevelId kLastLevel = LevelId{1} << 30;

 private:
  static EnvSpec make_spec() {
    EnvSpec spec;
    spec.name = "fragile";
    spec.num_slots = 4;
    spec.observation_shape = {1, 1, 1};
    spec.actions = ActionSpace::discrete(2);
    spec.max_steps = 10;
    spec.last_level = kLastLevel;
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
  // As many bytes as the level's id.
  void save_episode(int slot, ByteWriter& out) const override {
    out.numbers<std::byte>(std::vector<std::byte>(*level(slot)));
  }
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

TEST(VectorEnv, HasAllLevelsAsItsFullDistributionByDefault) {
  const Fragile env(1);
  EXPECT_TRUE(env.spec().full_distribution.is_stream());
  EXPECT_EQ(env.spec().full_distribution.size(), Fragile::kLastLevel + 1);
}

TEST(VectorEnv, SavesNoStateThatCannotBeRead) {
  Fragile env(1);
  StepBuffers buffers(env.spec());
  std::vector<std::byte> saved;
  const std::vector<Start> starts = {{0, kMaxNestedState - 1000}, {1, kMaxNestedState}};
  env.start(starts, buffers.batch());
  env.save(0, saved);
  EXPECT_EQ(runtime_error_of([&] { env.save(1, saved); }),
            "level 16777216 of fragile has a state of " + std::to_string(saved.size() + 1000) +
                " bytes; at most 16777216 can be saved");
}

}  // namespace
}  // namespace plr
