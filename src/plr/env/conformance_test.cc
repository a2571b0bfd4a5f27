// The conformance kit detects every mistake of a toy environment that can make each of them.
#include "plr/env/conformance.h"

#include <gtest/gtest.h>

#include <atomic>
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

// A slot counts up from its level by 1 or 2; an episode ends at an even count from step 40 on.
class Counter final : public VectorEnv {
 public:
  Counter(int num_slots, int num_workers, Mistake mistake)
      : VectorEnv(make_spec(num_slots, mistake)),
        num_workers_(num_workers),
        mistake_(mistake),
        slots_(static_cast<std::size_t>(num_slots)) {}

 private:
  struct Slot {
    std::uint64_t value = 0;
    std::int32_t clock = 0;
  };
  static constexpr int kMaxSteps = 50;

  static EnvSpec make_spec(int num_slots, Mistake mistake) {
    EnvSpec spec;
    spec.name = "counter";
    spec.num_slots = num_slots;
    if (mistake == Mistake::kOneSlotTooFew && num_slots > 1) --spec.num_slots;
    spec.observation_shape = {1, 2, 1};
    spec.num_actions = 2;
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
    const auto first = static_cast<std::size_t>(range.begin);
    for (std::size_t k = 0; k < actions.size(); ++k) {
      const std::size_t i = first + k;
      Slot& slot = slots_[i];
      slot.value += 1 + static_cast<std::uint64_t>(actions[k]);
      if (mistake_ == Mistake::kSharesATotal) slot.value += total_++;
      if (mistake_ == Mistake::kSharesScratch && has_mixed_up_slots(i)) slot.value += 2;
      if (mistake_ == Mistake::kWorkersMatter) {
        slot.value += static_cast<std::uint64_t>(num_workers_);
      }
      ++slot.clock;
      out.rewards[i] = static_cast<double>(slot.value);
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

  void observe(std::size_t i, const StepBatch& out) {
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

TEST(Conformance, DetectsEveryKindOfMistake) {
  expect_detected(Mistake::kOneSlotTooFew, "requested number of slots");
  expect_detected(Mistake::kNeverEnds, "no episode is longer than max_steps");
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
  expect_detected(Mistake::kRefusesTheLastLevel, "valid calls are never refused: no such level");
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
  for (int t = 0; env.is_running(0); ++t) env.step({0, 1}, good, batch);
  EXPECT_EQ(message_of<invalid_argument>([&] {
              env.step({0, 1}, good, batch);
            }),
            "slot 0 has ended its episode; start a level there before it steps");
}

}  // namespace
}  // namespace plr
