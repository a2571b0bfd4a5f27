// The conformance kit detects every mistake of a toy environment that can make each of them.
#include "plr/env/conformance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/error_message.h"

namespace plr {
namespace {

enum class Mistake {
  kNone,
  kOneSlotTooFew,
  kNeverEnds,
  kWritesNoReward,
  kRewardIsNaN,
  kRemembersTheLevelBefore,
  kSharesATotal,
  kWritesOtherSlots,
  kStartWritesRewards,
  kWorkersMatter,
  kHidesDifficulty,
  kForgetsTheClock,
  kLoadsHalf,
  kSharesScratch,
  kRefusesTheLastLevel,
};

struct Spaces {
  ElementType observation_type = ElementType::kByte;
  ActionSpace actions = ActionSpace::discrete(2);
};

// A slot counts up from its level by 1 and the words of the action, a float above 0 being 1; an
// episode ends at an even count from step 40 on.
class Counter final : public VectorEnv {
 public:
  Counter(int num_slots, int num_workers, Mistake mistake, const Spaces& spaces = {})
      : VectorEnv(make_spec(num_slots, mistake, spaces)),
        num_workers_(num_workers),
        mistake_(mistake),
        slots_(static_cast<std::size_t>(num_slots)) {}

 private:
  struct Slot {
    std::uint64_t value = 0;
    std::int32_t clock = 0;
  };
  static constexpr int kMaxSteps = 50;

  static EnvSpec make_spec(int num_slots, Mistake mistake, const Spaces& spaces) {
    EnvSpec spec;
    spec.name = "counter";
    spec.num_slots = num_slots;
    if (mistake == Mistake::kOneSlotTooFew && num_slots > 1) --spec.num_slots;
    spec.observation_shape = {1, 2, 1};
    spec.observation_type = spaces.observation_type;
    spec.actions = spaces.actions;
    spec.max_steps = kMaxSteps;
    spec.last_level = 1000;
    spec.full_distribution = LevelSet::stream(0, 1001);
    spec.num_difficulties = 2;
    return spec;
  }

  void start_level(int number, LevelId level, const StepBatch& out) override {
    const auto i = static_cast<std::size_t>(number);
    if (mistake_ == Mistake::kRefusesTheLastLevel && level == spec().last_level) {
      throw std::runtime_error("no such level");
    }
    const std::uint64_t rest = mistake_ == Mistake::kRemembersTheLevelBefore ? slots_[i].value : 0;
    slots_[i] = {level + rest, 0};
    observe(i, out);
    if (mistake_ == Mistake::kStartWritesRewards) out.rewards[i] = 0;
  }

  void step_slots(SlotRange range, std::span<const Action> actions, const StepBatch& out) override {
    const std::size_t size = spec().actions.size();
    for (int number = range.begin; number < range.end; ++number) {
      const auto i = static_cast<std::size_t>(number);
      Slot& slot = slots_[i];
      slot.value += 1 + amount(actions.subspan((number - range.begin) * size, size));
      if (mistake_ == Mistake::kSharesATotal) slot.value += total_++;
      if (mistake_ == Mistake::kSharesScratch && has_mixed_up_slots(i)) slot.value += 2;
      if (mistake_ == Mistake::kWorkersMatter) {
        slot.value += static_cast<std::uint64_t>(num_workers_);
      }
      ++slot.clock;
      if (mistake_ != Mistake::kWritesNoReward) out.rewards[i] = static_cast<double>(slot.value);
      if (mistake_ == Mistake::kRewardIsNaN) out.rewards[i] = std::nan("");
      out.terminated[i] = slot.value % 2 == 0 && slot.clock >= 40 ? 1 : 0;
      out.truncated[i] = slot.clock >= kMaxSteps ? 1 : 0;
      if (mistake_ == Mistake::kNeverEnds) out.terminated[i] = out.truncated[i] = 0;
      if (mistake_ == Mistake::kWritesOtherSlots) out.rewards[0] = 0;
      observe(i, out);
    }
  }

  // Whether a slot has overwritten the scratch of another one in the middle of its step.  On other
  // threads than that of the environment the first steps of all slots overlap, so that it happens
  // in every run.
  bool has_mixed_up_slots(std::size_t i) {
    scratch_ = i;
    if (std::this_thread::get_id() != thread_) {
      ++num_overlapping_;
      while (num_overlapping_ < slots_.size()) std::this_thread::yield();
    }
    if (scratch_ != i) is_mixed_up_ = true;
    return is_mixed_up_;
  }

  std::uint64_t amount(std::span<const Action> action) const {
    std::uint64_t sum = 0;
    for (const Action word : action) {
      sum += static_cast<std::uint64_t>(spec().actions.is_continuous() ? to_float(word) > 0 : word);
    }
    return sum;
  }

  void observe(std::size_t i, const StepBatch& out) {
    if (spec().observation_type == ElementType::kFloat) {
      const float floats[] = {static_cast<float>(slots_[i].value), 0.5F};
      out.observe(static_cast<int>(i), floats);
      return;
    }
    out.observations[2 * i] = static_cast<std::uint8_t>(slots_[i].value);
    out.observations[2 * i + 1] = static_cast<std::uint8_t>(slots_[i].clock);
  }

  std::optional<int> difficulty_of(LevelId level) const override {
    if (mistake_ == Mistake::kHidesDifficulty) return std::nullopt;
    return static_cast<int>(level % 2);
  }

  void save_episode(int slot, ByteWriter& out) const override {
    const Slot& saved = slots_[static_cast<std::size_t>(slot)];
    out.number(saved.value);
    out.number(mistake_ == Mistake::kForgetsTheClock ? 0 : saved.clock);
  }

  void load_episode(int slot, LevelId, bool has_ended, ByteReader& in) override {
    Slot loaded;
    loaded.value = in.number<std::uint64_t>();
    if (mistake_ == Mistake::kLoadsHalf) slots_[static_cast<std::size_t>(slot)] = loaded;
    loaded.clock = in.number<std::int32_t>();
    in.expect_end();
    in.require(loaded.clock >= 0 && loaded.clock <= kMaxSteps, "wrong clock");
    in.require(has_ended || loaded.clock < kMaxSteps, "wrong end");
    slots_[static_cast<std::size_t>(slot)] = loaded;
  }

  int num_workers_;
  Mistake mistake_;
  std::vector<Slot> slots_;
  std::uint64_t total_ = 0;
  // Atomic, so that the mistake is no data race.
  std::atomic<std::size_t> scratch_ = 0;
  std::atomic<bool> is_mixed_up_ = false;
  std::atomic<std::size_t> num_overlapping_ = 0;
  std::thread::id thread_ = std::this_thread::get_id();
};

std::vector<std::string> violations_of(Mistake mistake) {
  return conformance_violations([mistake](int num_slots, int num_workers) {
    return std::make_unique<Counter>(num_slots, num_workers, mistake);
  });
}

// One of the violated rules contains `part`.
void expect_detected(Mistake mistake, const std::string& part) {
  std::string all;
  for (const std::string& sentence : violations_of(mistake)) all += sentence + "\n";
  EXPECT_NE(all.find(part), all.npos) << "expected '" << part << "' among:\n" << all;
}

TEST(Conformance, FindsNoViolationInAConformingEnvironment) {
  EXPECT_EQ(violations_of(Mistake::kNone), std::vector<std::string>{});
}

TEST(Conformance, CoversEverySpace) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const ActionSpace& actions : {ActionSpace::discrete(2), ActionSpace::multi_discrete({3, 2}),
                                     ActionSpace::continuous({-2, 0.5F}, {2, kInfinity})}) {
    const auto violations = [&](Mistake mistake) {
      return conformance_violations([&](int num_slots, int num_workers) {
        return std::make_unique<Counter>(num_slots, num_workers, mistake,
                                         Spaces{ElementType::kFloat, actions});
      });
    };
    EXPECT_EQ(violations(Mistake::kNone), std::vector<std::string>{}) << to_text(actions);
    EXPECT_NE(violations(Mistake::kSharesATotal), std::vector<std::string>{}) << to_text(actions);
  }
}

TEST(Conformance, DetectsSpacesWithoutActions) {
  for (const ActionSpace& actions :
       {ActionSpace::discrete(0), ActionSpace::multi_discrete({}),
        ActionSpace::continuous({0, 1}, {1, 1}), ActionSpace::continuous({0}, {})}) {
    EXPECT_FALSE(actions.is_valid()) << to_text(actions);
  }
}

TEST(VectorEnv, ErrorsNameThePositionInAnActionOfSeveralWords) {
  const auto message = [](const ActionSpace& space, std::vector<Action> action) {
    Counter env(1, 1, Mistake::kNone, {ElementType::kFloat, space});
    StepBuffers buffers(env.spec());
    const Start start = {0, 1};
    env.start({&start, 1}, buffers.batch());
    return message_of<std::invalid_argument>([&] { env.step({0, 1}, action, buffers.batch()); });
  };
  EXPECT_EQ(message(ActionSpace::multi_discrete({3, 2}), {2, 2}),
            "action of slot 0 at position 1 must be from 0 to 1, not 2");
  EXPECT_EQ(message(ActionSpace::continuous({-2}, {2}), {to_word(2.5F)}),
            "action of slot 0 must be from -2 to 2, not 2.5");
  EXPECT_EQ(message(ActionSpace::multi_discrete({3, 2}), {2}),
            "actions must have 2 elements, not 1");
}

TEST(DrawAction, DrawsFromTheWholeSpaceAndNothingElse) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Random random = Streams(1).named("test");
  const ActionSpace space = ActionSpace::continuous({-2, 3, -kInfinity}, {2, kInfinity, kInfinity});
  std::vector<float> least(3, kInfinity);
  std::vector<float> greatest(3, -kInfinity);
  std::vector<Action> action(3);
  for (int i = 0; i < 1000; ++i) {
    draw_action(space, random, action);
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_TRUE(space.contains(k, action[k]));
      least[k] = std::min(least[k], to_float(action[k]));
      greatest[k] = std::max(greatest[k], to_float(action[k]));
    }
  }
  // Of 1000 uniform numbers none in the outer 2 % of an interval: probability 0.98^1000 < 2e-9.
  EXPECT_LT(least[0], -1.92F);
  EXPECT_GT(greatest[0], 1.92F);
  EXPECT_EQ(least[1], 3);  // [-1, 1] as far as the bounds permit
  EXPECT_EQ(greatest[1], 3);
  EXPECT_LT(least[2], -0.96F);
  EXPECT_GT(greatest[2], 0.96F);
  EXPECT_EQ(to_text(space), "[-2, 2] x [3, inf] x [-inf, inf]");
  EXPECT_EQ(to_text(ActionSpace::multi_discrete({3, 2})), "3 x 2");
  EXPECT_EQ(to_float(space.word_of(0, 3.5F)), 2);
  EXPECT_EQ(to_float(space.word_of(0, -0.5F)), -0.5F);
  EXPECT_EQ(ActionSpace::multi_discrete({3, 2}).word_of(0, 2.0F), 2);
}

TEST(Conformance, DetectsEveryKindOfMistake) {
  expect_detected(Mistake::kOneSlotTooFew, "requested number of slots");
  expect_detected(Mistake::kNeverEnds, "no episode is longer than max_steps");
  expect_detected(Mistake::kWritesNoReward, "a step writes the reward");
  expect_detected(Mistake::kRewardIsNaN, "of counter gave the reward nan");
  expect_detected(Mistake::kRemembersTheLevelBefore, "after another level was played");
  expect_detected(Mistake::kSharesATotal, "slots do not influence each other");
  expect_detected(Mistake::kWritesOtherSlots, "a step writes only the data of its slots");
  expect_detected(Mistake::kStartWritesRewards, "a start writes nothing but the observation");
  expect_detected(Mistake::kWorkersMatter, "the number of workers does not matter");
  expect_detected(Mistake::kHidesDifficulty,
                  "levels have a difficulty if and only if the spec says so");
  expect_detected(Mistake::kForgetsTheClock, "continues identically after load");
  expect_detected(Mistake::kLoadsHalf, "no slot has changed after loading forged bytes");
  expect_detected(Mistake::kSharesScratch,
                  "threads that play different slots do not influence each other");
  expect_detected(Mistake::kRefusesTheLastLevel, "valid calls succeed, but one threw: no such level");
}

TEST(VectorEnv, ErrorsNameTheFieldTheValueAndTheBound) {
  Counter env(2, 1, Mistake::kNone);
  StepBuffers buffers(env.spec());
  const StepBatch batch = buffers.batch();
  const std::vector<Start> starts = {{0, 1}};
  const std::vector<Start> outside = {{0, 1001}};
  const std::vector<Action> good = {0};
  const std::vector<Action> wrong = {2};
  using std::invalid_argument;
  using std::out_of_range;
  EXPECT_EQ(message_of<invalid_argument>([&] {
              env.step({0, 1}, good, batch);
            }),
            "slot 0 has not been started; start a level there before it steps");
  env.start(starts, batch);
  EXPECT_EQ(message_of<invalid_argument>([&] {
              env.step({0, 1}, wrong, batch);
            }),
            "action of slot 0 must be from 0 to 1, not 2");
  EXPECT_EQ(message_of<invalid_argument>([&] {
              env.step({0, 2}, good, batch);
            }),
            "actions must have 2 elements, not 1");
  EXPECT_EQ(message_of<out_of_range>([&] {
              env.step({1, 3}, good, batch);
            }),
            "slots must lie in 0..2, not 1..3");
  EXPECT_EQ(message_of<out_of_range>([&] { env.level(2); }), "slot must be from 0 to 1, not 2");
  EXPECT_EQ(message_of<out_of_range>([&] { env.start(outside, batch); }),
            "level must be from 0 to 1000, not 1001");
  while (env.is_running(0)) env.step({0, 1}, good, batch);
  EXPECT_EQ(message_of<invalid_argument>([&] {
              env.step({0, 1}, good, batch);
            }),
            "slot 0 has ended its episode; start a level there before it steps");
}

}  // namespace
}  // namespace plr
