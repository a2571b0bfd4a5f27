#include "plr/env/conformance.h"

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "plr/env/conformance_testing.h"
#include "plr/env/slot_player_testing.h"

namespace plr {

std::vector<Action> ConformanceRun::actions(const EnvSpec& spec, int count) {
  const std::size_t size = spec.actions.size();
  std::vector<Action> words(static_cast<std::size_t>(count) * size);
  for (std::size_t i = 0; i < words.size(); i += size) {
    draw_action(spec.actions, random_, std::span(words).subspan(i, size));
  }
  return words;
}

void ConformanceRun::expect(bool holds, const std::string& rule) {
  if (holds || std::ranges::find(violations_, rule) != violations_.end()) return;
  violations_.push_back(rule);
}

void ConformanceRun::check(const Rule& rule) {
  const auto num_before = static_cast<std::ptrdiff_t>(violations_.size());
  try {
    rule.check(*this);
  } catch (const std::exception& error) {
    expect(false, std::string("valid calls succeed, but one threw: ") + error.what());
  }
  if (checked_) checked_({rule.name, {violations_.begin() + num_before, violations_.end()}});
}

void ConformanceRun::skip(const Rule& rule) {
  if (checked_) checked_({rule.name, {}, false});
}

namespace {

constexpr int kSteps = ConformanceRun::kSteps;
constexpr LevelId kFirstLevel = ConformanceRun::kFirstLevel;
constexpr LevelId kMinLevels = 100;

void spec_is_valid(ConformanceRun& run) {
  for (const int num_slots : {1, 5}) {
    SlotPlayer some = run.player(num_slots);
    const EnvSpec& spec = some.spec();
    run.expect(spec.num_slots == num_slots, "it has the requested number of slots");
    run.expect(!spec.name.empty(), "its spec has a name");
    run.expect(spec.actions.is_valid(), "its spec has actions");
    run.expect(spec.max_steps > 0, "its spec has a step limit");
    run.expect(spec.observation_size() > 0, "its observations are not empty");
    run.expect(spec.last_level >= kMinLevels - 1, "it has at least a hundred levels");
    const LevelSet& all = spec.full_distribution;
    run.expect(all.size() >= kMinLevels, "its full distribution has at least a hundred levels");
    run.expect(all[0] <= spec.last_level && all[all.size() - 1] <= spec.last_level,
               "its full distribution lies in its level space");
  }
}

void episodes_end_in_time(ConformanceRun& run) {
  SlotPlayer one = run.player(1);
  for (LevelId level = 0; level < 3; ++level) {
    one.start(0, level);
    one.run(0, run.actions(one.spec(), one.spec().max_steps));
    run.expect(!one.env().is_running(0), "no episode is longer than max_steps");
    run.expect(one.env().level(0) == level, "a slot reports the level that it played");
  }
}

// The other rules compare outputs, which this one checks: NaN does not equal itself.
void steps_write_all_outputs(ConformanceRun& run) {
  constexpr double kUnwritten = -1.25e300;
  SlotPlayer one = run.player(1);
  const StepBatch out = one.batch();
  const std::size_t size = one.spec().actions.size();
  std::vector<Action> action;
  for (LevelId level = 0; level < 3; ++level) {
    std::ranges::fill(out.observations, std::uint8_t{255});  // floats: not a number
    one.start(0, level);
    for (int t = 0; t < kSteps && one.env().is_running(0); ++t) {
      std::ranges::fill(out.observations, std::uint8_t{255});
      out.rewards[0] = kUnwritten;
      out.terminated[0] = out.truncated[0] = 255;
      action = run.actions(one.spec(), 1);
      one.step(0, std::span(action).first(size));
      run.expect(out.rewards[0] != kUnwritten, "a step writes the reward");
      run.expect(out.terminated[0] <= 1 && out.truncated[0] <= 1,
                 "a step writes both ends, as 0 or 1");
    }
  }
}

void equal_levels_give_equal_episodes(ConformanceRun& run) {
  SlotPlayer first = run.player(2);
  const std::vector<Action> played = run.actions(first.spec());
  const LevelId levels[] = {kFirstLevel, first.spec().last_level};
  for (const LevelId level : levels) {
    const Episode episode = first.play_level(0, level, played);
    first.play_level(0, kFirstLevel + 1, run.actions(first.spec()));
    run.expect(first.play_level(0, level, played) == episode,
               "a level gives the same episode after another level was played in its slot");
    first.play_level(0, level, run.actions(first.spec(), 7));
    run.expect(first.play_level(0, level, played) == episode,
               "a level gives the same episode when it is started in the middle of another");
    run.expect(first.play_level(1, level, played) == episode,
               "a level gives the same episode in another slot");
    SlotPlayer second = run.player(1);
    run.expect(second.play_level(0, level, played) == episode,
               "a level gives the same episode in another instance");
  }
}

// Steps all slots at once, then in two halves, and compares with each slot alone in an environment.
void slots_are_independent(ConformanceRun& run) {
  constexpr int kSlots = 5;
  SlotPlayer together = run.player(kSlots);
  SlotPlayer halves = run.player(kSlots);
  std::vector<Start> starts;
  std::vector<SlotPlayer> alone;
  alone.reserve(kSlots);
  for (int slot = 0; slot < kSlots; ++slot) {
    alone.push_back(run.player(1));
    alone.back().start(0, kFirstLevel + static_cast<LevelId>(slot));
    starts.push_back({slot, kFirstLevel + static_cast<LevelId>(slot)});
  }
  together.env().start(starts, together.batch());
  halves.env().start(starts, halves.batch());
  bool equal = true;
  for (int t = 0; t < kSteps && equal; ++t) {
    const std::vector<Action> now = run.actions(together.spec(), kSlots);
    together.env().step({0, kSlots}, now, together.batch());
    const std::size_t size = together.spec().actions.size();
    halves.env().step({2, kSlots}, std::span(now).subspan(2 * size), halves.batch());
    halves.env().step({0, 2}, std::span(now).first(2 * size), halves.batch());
    for (int slot = 0; slot < kSlots; ++slot) {
      SlotPlayer& single = alone[static_cast<std::size_t>(slot)];
      const SlotOutput output =
          single.step(0, std::span(now).subspan(static_cast<std::size_t>(slot) * size, size));
      equal = equal && output == together.last(slot) && output == halves.last(slot);
      if (!together.batch().ended(slot)) continue;
      const LevelId next = (kFirstLevel + 10 + static_cast<LevelId>(t)) % kMinLevels;
      together.start(slot, next);
      halves.start(slot, next);
      single.start(0, next);
    }
  }
  run.expect(equal, "slots do not influence each other");
}

void start_and_step_write_only_where_they_should(ConformanceRun& run) {
  SlotPlayer three = run.player(3);
  for (int slot = 0; slot < 3; ++slot) three.start(slot, kFirstLevel);
  const auto fill = [&] {
    std::ranges::fill(three.batch().observations, std::uint8_t{255});
    std::ranges::fill(three.batch().rewards, 255.0);
    std::ranges::fill(three.batch().terminated, std::uint8_t{255});
    std::ranges::fill(three.batch().truncated, std::uint8_t{255});
  };
  fill();
  const SlotOutput untouched = three.last(0);
  three.step(1, run.actions(three.spec(), 1));
  run.expect(three.last(0) == untouched && three.last(2) == untouched,
             "a step writes only the data of its slots");
  fill();
  const SlotOutput started = three.start(1, kFirstLevel);
  SlotOutput expected = untouched;
  expected.observation = started.observation;
  run.expect(three.last(0) == untouched && three.last(2) == untouched,
             "a start writes only the data of its slots");
  run.expect(three.last(1) == expected, "a start writes nothing but the observation");
}

void worker_count_does_not_matter(ConformanceRun& run) {
  constexpr int kSlots = 8;
  SlotPlayer one = run.player(kSlots, 1);
  SlotPlayer many = run.player(kSlots, 3);
  std::vector<Start> starts;
  starts.reserve(kSlots);
  for (int slot = 0; slot < kSlots; ++slot) {
    starts.push_back({slot, kFirstLevel + static_cast<LevelId>(slot)});
  }
  bool equal = true;
  for (int t = 0; t < kSteps && equal; ++t) {
    const std::vector<Action> now = run.actions(one.spec(), kSlots);
    for (SlotPlayer* player : {&one, &many}) {
      if (!starts.empty()) player->env().start(starts, player->batch());
      player->env().step({0, kSlots}, now, player->batch());
    }
    starts.clear();
    for (int slot = 0; slot < kSlots; ++slot) {
      equal = equal && one.last(slot) == many.last(slot);
      if (one.batch().ended(slot)) starts.push_back({slot, static_cast<LevelId>(t) % kMinLevels});
    }
  }
  run.expect(equal, "the number of workers does not matter");
}

// Slots that several threads start and step at the same time, each its own, give the same outputs
// as one after the other.
void slots_run_on_any_thread(ConformanceRun& run) {
  constexpr int kSlots = 4;
  constexpr int kPlayedSteps = 200;
  SlotPlayer serial = run.player(kSlots);
  SlotPlayer threaded = run.player(kSlots);
  const std::vector<Action> played = run.actions(serial.spec(), kPlayedSteps);
  const auto play = [&](SlotPlayer& player, int slot) {
    LevelId level = kFirstLevel + static_cast<LevelId>(slot) % 2;  // two slots share a level
    player.env().start_slot({slot, level}, player.batch());
    const std::size_t size = player.spec().actions.size();
    for (std::size_t i = 0; i < played.size(); i += size) {
      player.env().step_slot(slot, std::span(played).subspan(i, size), player.batch());
      if (player.env().is_running(slot)) continue;
      level = (level + 1) % kMinLevels;
      player.env().start_slot({slot, level}, player.batch());
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
  run.expect(equal, "threads that play different slots do not influence each other");
}

void difficulties_match_the_spec(ConformanceRun& run) {
  SlotPlayer one = run.player(1);
  const int count = one.spec().num_difficulties;
  for (LevelId level = 0; level < 20; ++level) {
    const std::optional<int> difficulty = one.env().difficulty(level);
    run.expect(difficulty.has_value() == (count > 0),
               "levels have a difficulty if and only if the spec says so");
    if (difficulty)
      run.expect(*difficulty >= 0 && *difficulty < count,
                 "difficulties are below the number in the spec");
  }
}

void continues_identically_after_load(ConformanceRun& run) {
  SlotPlayer original = run.player(2);
  for (const int num_steps : {0, 1, 40}) {
    original.start(0, kFirstLevel);
    original.play(0, run.actions(original.spec(), num_steps));
    const Bytes bytes = original.saved(0);
    const bool is_running = original.env().is_running(0);
    const std::string mission(original.env().mission(0));
    const std::vector<Action> rest = run.actions(original.spec());
    const Episode episode = original.play(0, rest);

    const auto expect_same = [&](SlotPlayer& other, int slot, const std::string& where) {
      other.env().load(slot, bytes);
      run.expect(other.env().is_running(slot) == is_running &&
                     other.env().level(slot) == kFirstLevel && other.env().mission(slot) == mission,
                 "a loaded slot has the level, mission and phase of the saved one, in " + where);
      run.expect(other.saved(slot) == bytes, "a loaded slot saves the same bytes, in " + where);
      run.expect(other.play(slot, rest) == episode,
                 "an episode continues identically after load, in " + where);
    };
    expect_same(original, 0, "the same slot");
    original.play_level(1, kFirstLevel + 1, run.actions(original.spec(), 9));
    expect_same(original, 1, "another slot");
    SlotPlayer fresh = run.player(1);
    expect_same(fresh, 0, "another instance");
  }
}

void any_phase_can_be_saved(ConformanceRun& run) {
  SlotPlayer two = run.player(2);
  const Bytes not_started = two.saved(0);
  two.start(0, kFirstLevel);
  two.play(0, run.actions(two.spec(), two.spec().max_steps));
  const Bytes ended = two.saved(0);
  two.env().load(1, ended);
  run.expect(!two.env().is_running(1) && two.env().level(1) == kFirstLevel,
             "an ended episode can be saved and loaded");
  two.env().load(1, not_started);
  run.expect(!two.env().is_running(1) && !two.env().level(1),
             "a slot that has not been started can be saved and loaded");
}

}  // namespace

std::vector<std::string> conformance_violations(const MakeEnv& make, const RuleChecked& checked) {
  using Rule = ConformanceRun::Rule;
  ConformanceRun run(make, checked);
  run.check({"its spec is valid", spec_is_valid});
  if (!run.violations().empty()) return run.violations();
  run.check({"steps write all their outputs", steps_write_all_outputs});
  if (!run.violations().empty()) return run.violations();
  for (const Rule& rule :
       {Rule{"episodes end within the step limit", episodes_end_in_time},
        Rule{"equal levels give equal episodes", equal_levels_give_equal_episodes},
        Rule{"slots are independent", slots_are_independent},
        Rule{"starts and steps write only their data", start_and_step_write_only_where_they_should},
        Rule{"the number of workers changes nothing", worker_count_does_not_matter},
        Rule{"difficulties match the spec", difficulties_match_the_spec},
        Rule{"a loaded episode continues identically", continues_identically_after_load},
        Rule{"slots can be saved in every phase", any_phase_can_be_saved}}) {
    run.check(rule);
  }
  check_refusals(run);
  // Slots that influence each other are not played by several threads.
  const Rule threads = {"slots can be played by any threads", slots_run_on_any_thread};
  run.violations().empty() ? run.check(threads) : run.skip(threads);
  return run.violations();
}

}  // namespace plr
