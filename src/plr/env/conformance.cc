#include "plr/env/conformance.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <thread>

#include "plr/base/random.h"
#include "plr/env/slot_player_testing.h"

namespace plr {
namespace {

// Long enough that objects are picked up, doors open and some episodes end.
constexpr int kSteps = 120;
constexpr LevelId kFirstLevel = 3;

class Conformance {
 public:
  explicit Conformance(const MakeEnv& make) : make_(make), random_(Streams(1).named("test")) {}

  std::vector<std::string> run();

 private:
  SlotPlayer player(int num_slots, int num_workers = 1) {
    return SlotPlayer(make_(num_slots, num_workers));
  }

  // Adds `rule` to the violations unless it holds; once.
  void expect(bool holds, const std::string& rule) {
    if (holds || std::ranges::find(violations_, rule) != violations_.end()) return;
    violations_.push_back(rule);
  }
  SlotPlayer player_in_every_phase();
  std::vector<Action> actions(const EnvSpec& spec, int count = kSteps);

  void spec_is_valid();
  void episodes_end_in_time();
  void equal_levels_give_equal_episodes();
  void slots_are_independent();
  void start_and_step_write_only_where_they_should();
  void worker_count_does_not_matter();
  void difficulties_match_the_spec();
  void continues_identically_after_load();
  void any_phase_can_be_saved();
  void slots_run_on_any_thread();
  void invalid_steps_are_refused();
  void invalid_starts_are_refused();
  void short_buffers_are_refused();
  void unknown_slots_are_refused();
  void damaged_bytes_are_refused();

  template <class Error>
  void expect_refused(SlotPlayer& player, const std::string& what,
                      const std::function<void()>& act);

  const MakeEnv& make_;
  Random random_;
  std::vector<std::string> violations_;
};

std::vector<std::string> Conformance::run() {
  const auto run_check = [this](auto check) {
    try {
      (this->*check)();
    } catch (const std::exception& error) {
      expect(false, std::string("valid calls are never refused: ") + error.what());
    }
  };
  spec_is_valid();
  if (!violations_.empty()) return violations_;
  for (const auto check :
       {&Conformance::episodes_end_in_time, &Conformance::equal_levels_give_equal_episodes,
        &Conformance::slots_are_independent,
        &Conformance::start_and_step_write_only_where_they_should,
        &Conformance::worker_count_does_not_matter, &Conformance::difficulties_match_the_spec,
        &Conformance::continues_identically_after_load, &Conformance::any_phase_can_be_saved,
        &Conformance::invalid_steps_are_refused, &Conformance::invalid_starts_are_refused,
        &Conformance::short_buffers_are_refused, &Conformance::unknown_slots_are_refused,
        &Conformance::damaged_bytes_are_refused}) {
    run_check(check);
  }
  // Slots that influence each other are not played by several threads.
  if (violations_.empty()) run_check(&Conformance::slots_run_on_any_thread);
  return violations_;
}

std::vector<Action> Conformance::actions(const EnvSpec& spec, int count) {
  std::vector<Action> drawn(static_cast<std::size_t>(count));
  for (Action& action : drawn) {
    action = static_cast<Action>(random_.below(static_cast<std::uint64_t>(spec.num_actions)));
  }
  return drawn;
}

void Conformance::spec_is_valid() {
  for (const int num_slots : {1, 5}) {
    SlotPlayer some = player(num_slots);
    const EnvSpec& spec = some.spec();
    expect(spec.num_slots == num_slots, "it has the requested number of slots");
    expect(!spec.name.empty(), "its spec has a name");
    expect(spec.num_actions > 0, "its spec has actions");
    expect(spec.max_steps > 0, "its spec has a step limit");
    expect(spec.observation_size() > 0, "its observations are not empty");
    expect(spec.last_level > kFirstLevel + 100, "it has at least a hundred levels");
    const LevelSet& all = spec.full_distribution;
    expect(all[0] <= spec.last_level && all[all.size() - 1] <= spec.last_level,
           "its full distribution lies in its level space");
  }
}

void Conformance::episodes_end_in_time() {
  SlotPlayer one = player(1);
  for (LevelId level = 0; level < 3; ++level) {
    const Episode episode = one.play_level(0, level, actions(one.spec(), one.spec().max_steps));
    expect(!one.env().is_running(0), "no episode is longer than max_steps");
    expect(one.env().level(0) == level, "a slot reports the level that it played");
  }
}

void Conformance::equal_levels_give_equal_episodes() {
  SlotPlayer first = player(2);
  const std::vector<Action> played = actions(first.spec());
  const LevelId levels[] = {kFirstLevel, first.spec().last_level};
  for (const LevelId level : levels) {
    const Episode episode = first.play_level(0, level, played);
    first.play_level(0, kFirstLevel + 1, actions(first.spec()));
    expect(first.play_level(0, level, played) == episode,
           "a level gives the same episode after another level was played in its slot");
    first.play_level(0, level, actions(first.spec(), 7));
    expect(first.play_level(0, level, played) == episode,
           "a level gives the same episode when it is started in the middle of another");
    expect(first.play_level(1, level, played) == episode,
           "a level gives the same episode in another slot");
    SlotPlayer second = player(1);
    expect(second.play_level(0, level, played) == episode,
           "a level gives the same episode in another instance");
  }
}

// Steps all slots at once, then in two halves, and compares with each slot alone in an environment.
void Conformance::slots_are_independent() {
  constexpr int kSlots = 5;
  SlotPlayer together = player(kSlots);
  SlotPlayer halves = player(kSlots);
  std::vector<Start> starts;
  std::vector<SlotPlayer> alone;
  alone.reserve(kSlots);
  for (int slot = 0; slot < kSlots; ++slot) {
    alone.push_back(player(1));
    alone.back().start(0, kFirstLevel + static_cast<LevelId>(slot));
    starts.push_back({slot, kFirstLevel + static_cast<LevelId>(slot)});
  }
  together.env().start(starts, together.batch());
  halves.env().start(starts, halves.batch());
  bool equal = true;
  for (int t = 0; t < kSteps && equal; ++t) {
    const std::vector<Action> now = actions(together.spec(), kSlots);
    together.env().step({0, kSlots}, now, together.batch());
    halves.env().step({2, kSlots}, std::span(now).subspan(2), halves.batch());
    halves.env().step({0, 2}, std::span(now).first(2), halves.batch());
    for (int slot = 0; slot < kSlots; ++slot) {
      SlotPlayer& single = alone[static_cast<std::size_t>(slot)];
      const SlotOutput output = single.step(0, now[static_cast<std::size_t>(slot)]);
      equal = equal && output == together.last(slot) && output == halves.last(slot);
      if (!together.batch().ended(slot)) continue;
      const LevelId next = kFirstLevel + 10 + static_cast<LevelId>(t);
      together.start(slot, next);
      halves.start(slot, next);
      single.start(0, next);
    }
  }
  expect(equal, "slots do not influence each other");
}

void Conformance::start_and_step_write_only_where_they_should() {
  SlotPlayer three = player(3);
  for (int slot = 0; slot < 3; ++slot) three.start(slot, kFirstLevel);
  const auto fill = [&] {
    std::ranges::fill(three.batch().observations, std::uint8_t{255});
    std::ranges::fill(three.batch().rewards, 255.0);
    std::ranges::fill(three.batch().terminated, std::uint8_t{255});
    std::ranges::fill(three.batch().truncated, std::uint8_t{255});
  };
  fill();
  const SlotOutput untouched = three.last(0);
  three.step(1, 0);
  expect(three.last(0) == untouched && three.last(2) == untouched,
         "a step writes only the data of its slots");
  expect(three.batch().terminated[1] <= 1 && three.batch().truncated[1] <= 1,
         "ends are written as 0 or 1");
  fill();
  const SlotOutput started = three.start(1, kFirstLevel);
  SlotOutput expected = untouched;
  expected.observation = started.observation;
  expect(three.last(0) == untouched && three.last(2) == untouched,
         "a start writes only the data of its slots");
  expect(three.last(1) == expected, "a start writes nothing but the observation");
}

void Conformance::worker_count_does_not_matter() {
  constexpr int kSlots = 8;
  SlotPlayer one = player(kSlots, 1);
  SlotPlayer many = player(kSlots, 3);
  std::vector<Start> starts;
  starts.reserve(kSlots);
  for (int slot = 0; slot < kSlots; ++slot) {
    starts.push_back({slot, kFirstLevel + static_cast<LevelId>(slot)});
  }
  bool equal = true;
  for (int t = 0; t < kSteps && equal; ++t) {
    const std::vector<Action> now = actions(one.spec(), kSlots);
    for (SlotPlayer* player : {&one, &many}) {
      if (!starts.empty()) player->env().start(starts, player->batch());
      player->env().step({0, kSlots}, now, player->batch());
    }
    starts.clear();
    for (int slot = 0; slot < kSlots; ++slot) {
      equal = equal && one.last(slot) == many.last(slot);
      if (one.batch().ended(slot)) starts.push_back({slot, static_cast<LevelId>(t)});
    }
  }
  expect(equal, "the number of workers does not matter");
}

void Conformance::difficulties_match_the_spec() {
  SlotPlayer one = player(1);
  const int count = one.spec().num_difficulties;
  for (LevelId level = 0; level < 20; ++level) {
    const std::optional<int> difficulty = one.env().difficulty(level);
    expect(difficulty.has_value() == (count > 0),
           "levels have a difficulty if and only if the spec says so");
    if (difficulty)
      expect(*difficulty >= 0 && *difficulty < count,
             "difficulties are below the number in the spec");
  }
}

void Conformance::continues_identically_after_load() {
  SlotPlayer original = player(2);
  for (const int num_steps : {0, 1, 40}) {
    original.start(0, kFirstLevel);
    original.play(0, actions(original.spec(), num_steps));
    const Bytes bytes = original.saved(0);
    const bool is_running = original.env().is_running(0);
    const std::string mission(original.env().mission(0));
    const std::vector<Action> rest = actions(original.spec());
    const Episode episode = original.play(0, rest);

    const auto expect_same = [&](SlotPlayer& other, int slot, const std::string& where) {
      other.env().load(slot, bytes);
      expect(other.env().is_running(slot) == is_running && other.env().level(slot) == kFirstLevel &&
                 other.env().mission(slot) == mission,
             "a loaded slot has the level, mission and phase of the saved one, in " + where);
      expect(other.saved(slot) == bytes, "a loaded slot saves the same bytes, in " + where);
      expect(other.play(slot, rest) == episode,
             "an episode continues identically after load, in " + where);
    };
    expect_same(original, 0, "the same slot");
    original.play_level(1, kFirstLevel + 1, actions(original.spec(), 9));
    expect_same(original, 1, "another slot");
    SlotPlayer fresh = player(1);
    expect_same(fresh, 0, "another instance");
  }
}

void Conformance::any_phase_can_be_saved() {
  SlotPlayer two = player(2);
  const Bytes not_started = two.saved(0);
  two.start(0, kFirstLevel);
  two.play(0, actions(two.spec(), two.spec().max_steps));
  const Bytes ended = two.saved(0);
  two.env().load(1, ended);
  expect(!two.env().is_running(1) && two.env().level(1) == kFirstLevel,
         "an ended episode can be saved and loaded");
  two.env().load(1, not_started);
  expect(!two.env().is_running(1) && !two.env().level(1),
         "a slot that has not been started can be saved and loaded");
}

// `act` throws an Error and leaves the state of every slot unchanged.
template <class Error>
void Conformance::expect_refused(SlotPlayer& player, const std::string& what,
                                 const std::function<void()>& act) {
  const std::vector<Bytes> before = player.all_saved();
  bool refused = false;
  try {
    act();
  } catch (const Error&) {
    refused = true;
  } catch (const std::exception& other) {
    expect(false, what + " is refused with the right type of error, not: " + other.what());
    return;
  }
  expect(refused, what + " is refused");
  expect(player.all_saved() == before, "no slot has changed after " + what);
}

// Three slots: running, ended, not started.
SlotPlayer Conformance::player_in_every_phase() {
  SlotPlayer three = player(3);
  three.start(0, kFirstLevel);
  three.start(1, kFirstLevel);
  three.play(1, actions(three.spec(), three.spec().max_steps));
  return three;
}

void Conformance::invalid_steps_are_refused() {
  using std::invalid_argument;
  using std::out_of_range;
  SlotPlayer three = player_in_every_phase();
  const Action good = 0;
  const Action too_high = three.spec().num_actions;
  const auto step_with = [&](SlotRange slots, const std::vector<Action>& some) {
    return [&three, slots, some] { three.env().step(slots, some, three.batch()); };
  };
  expect_refused<invalid_argument>(three, "a step before the first start",
                                   step_with({2, 3}, {good}));
  expect_refused<invalid_argument>(three, "a step after an end", step_with({0, 2}, {good, good}));
  expect_refused<invalid_argument>(three, "a negative action", step_with({0, 1}, {-1}));
  expect_refused<invalid_argument>(three, "an action too high", step_with({0, 1}, {too_high}));
  expect_refused<invalid_argument>(three, "too few actions", step_with({0, 1}, {}));
  expect_refused<invalid_argument>(three, "too many actions", step_with({0, 1}, {good, good}));
  expect_refused<out_of_range>(three, "a step of a negative slot", step_with({-1, 0}, {good}));
  expect_refused<out_of_range>(three, "a step of a slot too high", step_with({3, 4}, {good}));
  expect_refused<out_of_range>(three, "a range that ends before it begins", step_with({1, 0}, {}));
}

void Conformance::invalid_starts_are_refused() {
  using std::invalid_argument;
  using std::out_of_range;
  SlotPlayer three = player_in_every_phase();
  const auto start_with = [&](const std::vector<Start>& some) {
    return [&three, some] { three.env().start(some, three.batch()); };
  };
  expect_refused<out_of_range>(three, "a start of a slot too high",
                               start_with({{0, kFirstLevel}, {3, kFirstLevel}}));
  expect_refused<out_of_range>(three, "a start of a negative slot", start_with({{-1, 0}}));
  expect_refused<invalid_argument>(three, "a slot started twice", start_with({{0, 1}, {0, 2}}));
  if (three.spec().last_level == std::numeric_limits<LevelId>::max()) return;
  const LevelId outside = three.spec().last_level + 1;
  expect_refused<out_of_range>(three, "a level that does not exist",
                               start_with({{2, kFirstLevel}, {0, outside}}));
  expect_refused<out_of_range>(three, "the difficulty of a level that does not exist",
                               [&] { three.env().difficulty(outside); });
}

// Each buffer is one element short, one after the other.
void Conformance::short_buffers_are_refused() {
  SlotPlayer three = player_in_every_phase();
  const Action good = 0;
  const Start start = {0, kFirstLevel + 1};
  for (int which = 0; which < 4; ++which) {
    StepBatch batch = three.batch();
    if (which == 0) batch.observations = batch.observations.subspan(1);
    if (which == 1) batch.rewards = batch.rewards.subspan(1);
    if (which == 2) batch.terminated = batch.terminated.subspan(1);
    if (which == 3) batch.truncated = batch.truncated.subspan(1);
    expect_refused<std::invalid_argument>(three, "a step into a buffer too short", [&] {
      three.env().step({0, 1}, {&good, 1}, batch);
    });
    expect_refused<std::invalid_argument>(three, "a start into a buffer too short", [&] {
      three.env().start({&start, 1}, batch);
    });
  }
}

void Conformance::unknown_slots_are_refused() {
  using std::out_of_range;
  SlotPlayer three = player_in_every_phase();
  VectorEnv& env = three.env();
  Bytes bytes;
  for (const int slot : {-1, 3}) {
    expect_refused<out_of_range>(three, "saving an unknown slot", [&] { env.save(slot, bytes); });
    expect_refused<out_of_range>(three, "loading an unknown slot", [&] { env.load(slot, bytes); });
    expect_refused<out_of_range>(three, "the level of an unknown slot", [&] { env.level(slot); });
    expect_refused<out_of_range>(three, "the mission of an unknown slot",
                                 [&] { env.mission(slot); });
    expect_refused<out_of_range>(three, "the phase of an unknown slot",
                                 [&] { env.is_running(slot); });
  }
}

// Slots that several threads start and step at the same time, each its own, give the same outputs
// as one after the other.
void Conformance::slots_run_on_any_thread() {
  constexpr int kSlots = 4;
  constexpr int kPlayedSteps = 200;
  SlotPlayer serial = player(kSlots);
  SlotPlayer threaded = player(kSlots);
  const std::vector<Action> played = actions(serial.spec(), kPlayedSteps);
  const auto play = [&](SlotPlayer& player, int slot) {
    LevelId level = kFirstLevel + static_cast<LevelId>(slot) % 2;  // two slots share a level
    player.env().start_slot({slot, level}, player.batch());
    for (const Action action : played) {
      player.env().step_slot(slot, action, player.batch());
      if (!player.env().is_running(slot)) player.env().start_slot({slot, ++level}, player.batch());
    }
  };
  for (int slot = 0; slot < kSlots; ++slot) play(serial, slot);
  {
    std::vector<std::jthread> threads;
    for (int slot = 0; slot < kSlots; ++slot) {
      threads.emplace_back([&, slot] { play(threaded, slot); });
    }
  }
  bool equal = true;
  for (int slot = 0; slot < kSlots; ++slot) {
    equal = equal && serial.last(slot) == threaded.last(slot) &&
            serial.saved(slot) == threaded.saved(slot);
  }
  expect(equal, "threads that play different slots do not influence each other");
}

void Conformance::damaged_bytes_are_refused() {
  SlotPlayer two = player(2);
  two.start(0, kFirstLevel);
  two.play(0, actions(two.spec(), 20));
  two.start(1, kFirstLevel + 1);
  const Bytes saved = two.saved(0);
  const auto expect_load_refused = [&](const Bytes& bytes, const std::string& what) {
    expect_refused<std::runtime_error>(two, what, [&] { two.env().load(1, bytes); });
  };
  for (std::size_t size = 0; size < saved.size(); size += 1 + size / 50) {
    expect_load_refused(Bytes(saved.begin(), saved.begin() + static_cast<std::ptrdiff_t>(size)),
                        "loading truncated bytes");
  }
  for (int i = 0; i < 200; ++i) {
    Bytes flipped = saved;
    const std::uint64_t bit = random_.below(8 * flipped.size());
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
      forged[random_.below(forged.size() - 8)] = static_cast<std::byte>(random_.below(256));
    }
    const std::uint64_t sum = checksum(std::span(forged).first(forged.size() - 8));
    std::memcpy(forged.data() + forged.size() - 8, &sum, 8);
    const std::vector<Bytes> before = two.all_saved();
    try {
      two.env().load(1, forged);
      if (two.env().is_running(1)) two.play(1, actions(two.spec(), 20));
      two.env().load(1, before[1]);
    } catch (const std::runtime_error&) {
    }
    expect(two.all_saved() == before, "no slot has changed after loading forged bytes");
  }
}

}  // namespace

std::vector<std::string> conformance_violations(const MakeEnv& make) {
  return Conformance(make).run();
}

}  // namespace plr
