#include "plr/env/vector_env.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/support/error_message.h"

namespace plr {
namespace {

// Level 7 cannot be started, and action 1 cannot be taken.  The reward and the observation of level
// 8 and 9 are infinite after a step.
class Fragile final : public VectorEnv {
 public:
  explicit Fragile(int num_workers) : Fragile(make_spec(), num_workers) {}
  Fragile(const EnvSpec& spec, int num_workers) : VectorEnv(spec, num_workers) {}

  static constexpr LevelId kLastLevel = LevelId{1} << 30;
  static EnvSpec make_spec() {
    EnvSpec spec;
    spec.name = "fragile";
    spec.num_slots = 4;
    spec.observation_shape = {1, 1, 2};
    spec.observation_type = ElementType::kFloat;
    spec.actions = ActionSpace::discrete(2);
    spec.max_steps = 10;
    spec.last_level = kLastLevel;
    return spec;
  }

 private:
  void start_level(int slot, LevelId level, const StepBatch& out) override {
    if (level == 7) throw std::runtime_error("level 7");
    out.observe(slot, std::vector<float>{0, -1e38F});
  }
  void step_slots(SlotRange slots, std::span<const Action> actions, const StepBatch& out) override {
    for (int slot = slots.begin; slot < slots.end; ++slot) {
      const auto i = static_cast<std::size_t>(slot);
      if (actions[i - static_cast<std::size_t>(slots.begin)] == 1) {
        throw std::runtime_error("action 1");
      }
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      out.rewards[i] = *level(slot) == 8 ? -kInfinity : 0;
      out.observe(slot,
                  std::vector<float>{0, *level(slot) == 9 ? static_cast<float>(kInfinity) : 0});
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

TEST(VectorEnv, RefusesNumbersThatAreNotFinite) {
  const auto message = [](LevelId level) {
    Fragile env(1);
    StepBuffers buffers(env.spec());
    const Start start = {2, level};
    env.start({&start, 1}, buffers.batch());
    const Action action = 0;
    return runtime_error_of([&] { env.step({2, 3}, {&action, 1}, buffers.batch()); });
  };
  EXPECT_EQ(message(8), "level 8 of fragile gave the reward -inf; rewards must be finite numbers");
  EXPECT_EQ(message(9),
            "level 9 of fragile gave an observation with an element that is not finite; "
            "observations must be finite numbers");
}

TEST(VectorEnv, RefusesInvalidSpecs) {
  const auto message = [](auto change) {
    EnvSpec spec = Fragile::make_spec();
    change(spec);
    return invalid_argument_of([&] { Fragile(spec, 1); });
  };
  EXPECT_EQ(message([](EnvSpec& spec) {
              spec.observation_shape = {4, -3, 1};
            }),
            "the spec of fragile: the lengths of observation_shape must be at least 1, not "
            "{4, -3, 1}");
  EXPECT_EQ(message([](EnvSpec& spec) { spec.max_steps = 0; }),
            "the spec of fragile: max_steps must be at least 1, not 0");
  EXPECT_EQ(message([](EnvSpec& spec) { spec.num_slots = 0; }),
            "the spec of fragile: num_slots must be at least 1, not 0");
  EXPECT_EQ(message([](EnvSpec& spec) { spec.actions = {}; }),
            "the spec of fragile: actions must be a space with actions");
}

TEST(VectorEnv, NumbersLevelsAgainAfterTheLastOne) {
  EnvSpec spec;
  spec.last_level = 9;
  EXPECT_EQ(spec.level_modulo(9), 9U);
  EXPECT_EQ(spec.level_modulo(1'000'000'013), 3U);
  spec.last_level = std::numeric_limits<LevelId>::max();
  EXPECT_EQ(spec.level_modulo(spec.last_level), spec.last_level);
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
