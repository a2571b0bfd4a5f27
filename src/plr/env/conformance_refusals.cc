#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "plr/env/conformance_testing.h"
#include "plr/env/slot_player_testing.h"

namespace plr {
namespace {

constexpr LevelId kFirstLevel = ConformanceRun::kFirstLevel;

// `act` throws an Error and leaves the state of every slot unchanged.
template <class Error>
void expect_refused(ConformanceRun& run, SlotPlayer& player, const std::string& what,
                    const std::function<void()>& act) {
  const std::vector<Bytes> before = player.all_saved();
  bool refused = false;
  try {
    act();
  } catch (const Error&) {
    refused = true;
  } catch (const std::exception& other) {
    run.expect(false, what + " is refused with the right type of error, not: " + other.what());
    return;
  }
  run.expect(refused, what + " is refused");
  run.expect(player.all_saved() == before, "no slot has changed after " + what);
}

// Three slots: running, ended, not started.
SlotPlayer player_in_every_phase(ConformanceRun& run) {
  SlotPlayer three = run.player(3);
  three.start(0, kFirstLevel);
  three.start(1, kFirstLevel);
  three.run(1, run.actions(three.spec(), three.spec().max_steps));
  return three;
}

// Words that are not in the space at a position, and what they are.
std::vector<std::pair<Action, std::string>> words_outside(const ActionSpace& space, std::size_t i) {
  if (!space.is_continuous()) {
    return {{-1, "a negative action"}, {space.counts[i], "an action too high"}};
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<std::pair<Action, std::string>> words = {
      {to_word(std::numeric_limits<float>::quiet_NaN()), "an action that is not a number"}};
  if (space.low[i] > -kInfinity) {
    words.emplace_back(to_word(std::nextafter(space.low[i], -kInfinity)), "an action too low");
  }
  if (space.high[i] < kInfinity) {
    words.emplace_back(to_word(std::nextafter(space.high[i], kInfinity)), "an action too high");
  }
  return words;
}

void invalid_steps_are_refused(ConformanceRun& run) {
  using std::invalid_argument;
  using std::out_of_range;
  SlotPlayer three = player_in_every_phase(run);
  const ActionSpace& space = three.spec().actions;
  const std::vector<Action> good = run.actions(three.spec(), 1);
  const std::vector<Action> two = run.actions(three.spec(), 2);
  const auto step_with = [&](SlotRange slots, const std::vector<Action>& some) {
    return [&three, slots, some] { three.env().step(slots, some, three.batch()); };
  };
  expect_refused<invalid_argument>(run, three, "a step before the first start",
                                   step_with({2, 3}, good));
  expect_refused<invalid_argument>(run, three, "a step after an end", step_with({0, 2}, two));
  for (std::size_t i = 0; i < space.size(); ++i) {
    for (const auto& [word, what] : words_outside(space, i)) {
      std::vector<Action> wrong = good;
      wrong[i] = word;
      expect_refused<invalid_argument>(run, three, what, step_with({0, 1}, wrong));
    }
  }
  expect_refused<invalid_argument>(run, three, "too few actions", step_with({0, 1}, {}));
  expect_refused<invalid_argument>(run, three, "too many actions", step_with({0, 1}, two));
  expect_refused<out_of_range>(run, three, "a step of a negative slot", step_with({-1, 0}, good));
  expect_refused<out_of_range>(run, three, "a step of a slot too high", step_with({3, 4}, good));
  expect_refused<out_of_range>(run, three, "a range that ends before it begins",
                               step_with({1, 0}, {}));
}

void invalid_starts_are_refused(ConformanceRun& run) {
  using std::invalid_argument;
  using std::out_of_range;
  SlotPlayer three = player_in_every_phase(run);
  const auto start_with = [&](const std::vector<Start>& some) {
    return [&three, some] { three.env().start(some, three.batch()); };
  };
  expect_refused<out_of_range>(run, three, "a start of a slot too high",
                               start_with({{0, kFirstLevel}, {3, kFirstLevel}}));
  expect_refused<out_of_range>(run, three, "a start of a negative slot", start_with({{-1, 0}}));
  expect_refused<invalid_argument>(run, three, "a slot started twice",
                                   start_with({{0, 1}, {0, 2}}));
  if (three.spec().last_level == std::numeric_limits<LevelId>::max()) return;
  const LevelId outside = three.spec().last_level + 1;
  expect_refused<out_of_range>(run, three, "a level that does not exist",
                               start_with({{2, kFirstLevel}, {0, outside}}));
  expect_refused<out_of_range>(run, three, "the difficulty of a level that does not exist",
                               [&] { three.env().difficulty(outside); });
}

// Each buffer is one element short, one after the other.
void short_buffers_are_refused(ConformanceRun& run) {
  SlotPlayer three = player_in_every_phase(run);
  const std::vector<Action> good = run.actions(three.spec(), 1);
  const Start start = {0, kFirstLevel + 1};
  for (int which = 0; which < 4; ++which) {
    StepBatch batch = three.batch();
    if (which == 0) batch.observations = batch.observations.subspan(1);
    if (which == 1) batch.rewards = batch.rewards.subspan(1);
    if (which == 2) batch.terminated = batch.terminated.subspan(1);
    if (which == 3) batch.truncated = batch.truncated.subspan(1);
    expect_refused<std::invalid_argument>(run, three, "a step into a buffer too short", [&] {
      three.env().step({0, 1}, good, batch);
    });
    expect_refused<std::invalid_argument>(run, three, "a start into a buffer too short", [&] {
      three.env().start({&start, 1}, batch);
    });
  }
}

void unknown_slots_are_refused(ConformanceRun& run) {
  using std::out_of_range;
  SlotPlayer three = player_in_every_phase(run);
  VectorEnv& env = three.env();
  Bytes bytes;
  for (const int slot : {-1, 3}) {
    expect_refused<out_of_range>(run, three, "saving an unknown slot",
                                 [&] { env.save(slot, bytes); });
    expect_refused<out_of_range>(run, three, "loading an unknown slot",
                                 [&] { env.load(slot, bytes); });
    expect_refused<out_of_range>(run, three, "the level of an unknown slot",
                                 [&] { env.level(slot); });
    expect_refused<out_of_range>(run, three, "the mission of an unknown slot",
                                 [&] { env.mission(slot); });
    expect_refused<out_of_range>(run, three, "the phase of an unknown slot",
                                 [&] { env.is_running(slot); });
  }
}

void damaged_bytes_are_refused(ConformanceRun& run) {
  SlotPlayer two = run.player(2);
  two.start(0, kFirstLevel);
  two.play(0, run.actions(two.spec(), 20));
  two.start(1, kFirstLevel + 1);
  const Bytes saved = two.saved(0);
  const auto expect_load_refused = [&](const Bytes& bytes, const std::string& what) {
    expect_refused<std::runtime_error>(run, two, what, [&] { two.env().load(1, bytes); });
  };
  for (std::size_t size = 0; size < saved.size(); size += 1 + size / 50) {
    expect_load_refused(Bytes(saved.begin(), saved.begin() + static_cast<std::ptrdiff_t>(size)),
                        "loading truncated bytes");
  }
  for (int i = 0; i < 200; ++i) {
    Bytes flipped = saved;
    const std::uint64_t bit = run.random().below(8 * flipped.size());
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    expect_load_refused(flipped, "loading bytes with a flipped bit");
  }
  Bytes longer = saved;
  longer.push_back(std::byte{0});
  expect_load_refused(longer, "loading bytes with one more");
  ByteWriter other;
  other.number(std::uint8_t{0});
  expect_load_refused(other.seal("another environment", 1), "loading another environment's bytes");

  // Bytes that were changed and have a recomputed checksum.  They may be a possible state, but must
  // be loaded completely or not at all.
  for (int i = 0; i < 200; ++i) {
    Bytes forged = saved;
    for (int change = 0; change < 3; ++change) {
      forged[run.random().below(forged.size() - 8)] =
          static_cast<std::byte>(run.random().below(256));
    }
    const std::uint64_t sum = checksum(std::span(forged).first(forged.size() - 8));
    std::memcpy(forged.data() + forged.size() - 8, &sum, 8);
    const std::vector<Bytes> before = two.all_saved();
    try {
      two.env().load(1, forged);
      if (two.env().is_running(1)) two.play(1, run.actions(two.spec(), 20));
      two.env().load(1, before[1]);
    } catch (const std::runtime_error&) {
    }
    run.expect(two.all_saved() == before, "no slot has changed after loading forged bytes");
  }
}

}  // namespace

void check_refusals(ConformanceRun& run) {
  using Rule = ConformanceRun::Rule;
  for (const Rule& rule : {Rule{"invalid steps are refused", invalid_steps_are_refused},
                           Rule{"invalid starts are refused", invalid_starts_are_refused},
                           Rule{"short buffers are refused", short_buffers_are_refused},
                           Rule{"unknown slots are refused", unknown_slots_are_refused},
                           Rule{"damaged bytes are refused", damaged_bytes_are_refused}}) {
    run.check(rule);
  }
}

}  // namespace plr
