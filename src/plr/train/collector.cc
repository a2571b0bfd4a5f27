#include "plr/train/collector.h"

#include <algorithm>

#include "plr/core/bytes.h"

namespace plr {

Collector::Collector(const CollectorParts& parts, Random actions, int num_groups)
    : parts_(parts), actions_(actions) {
  const int num_slots = parts.env.spec().num_slots;
  num_groups = std::min(num_groups, num_slots);
  for (int g = 0; g < num_groups; ++g) {
    const SlotRange slots{num_slots * g / num_groups, num_slots * (g + 1) / num_groups};
    const auto size = static_cast<std::size_t>(slots.size());
    Policy policy(parts.network, {.score_function = parts.score_function}, size);
    groups_.push_back({g, slots, std::move(policy), {}});
    groups_.back().starts.reserve(size);
  }
  const auto n = static_cast<std::size_t>(num_slots);
  rewards_.resize(n);
  terminated_.resize(n);
  truncated_.resize(n);
  uniforms_.resize(n);
  terms_.resize(n);
  returns_.resize(n);
  lengths_.resize(n);
  levels_.resize(n);
}

StepBatch Collector::batch(Rollout& rollout) {
  return {rollout.host_obs(), rewards_, terminated_, truncated_};
}

void Collector::begin(Rollout& rollout) {
  levels_ = parts_.curriculum.first(rollout.num_slots());
  std::vector<Start> starts;
  for (std::size_t slot = 0; slot < levels_.size(); ++slot) {
    starts.push_back({static_cast<int>(slot), levels_[slot]});
    parts_.scorer.begin(slot, levels_[slot]);
  }
  parts_.env.start(starts, batch(rollout));
}

void Collector::fill(Rollout& rollout) {
  for (Group& group : groups_) {
    group.policy.refresh();
    ask(group, rollout, 0);
  }
  const std::size_t num_turns = rollout.num_steps() * groups_.size();
  // How many turns later a step is finished, and those slots are thought about again.
  const std::size_t finish_lag = groups_.size() > 2 ? 1 : 0;
  const std::size_t ask_lag = groups_.size() > 1 ? finish_lag + 1 : 0;
  for (std::size_t turn = 0; turn < num_turns + ask_lag; ++turn) {
    if (turn < num_turns) begin_step(turn, rollout);
    if (ask_lag > 0 && turn >= ask_lag) ask_again(turn - ask_lag, rollout);
    const std::size_t begun = turn - finish_lag;  // wraps around, far away, in the first turn
    if (begun < num_turns) finish_step(begun, rollout);
    if (ask_lag == 0) ask_again(turn, rollout);
  }
  value_the_rest(rollout);
}

void Collector::ask_again(std::size_t turn, Rollout& rollout) {
  ask(group_of(turn), rollout, turn / groups_.size() + 1);
}

// Shows the network what the slots show once their levels have started; after the last step, it is
// asked for the value alone.
void Collector::ask(Group& group, Rollout& rollout, std::size_t step) {
  finish_starts(group);
  for (double& u : group.part(uniforms_)) u = step < rollout.num_steps() ? actions_.uniform() : 0;
  const Stopwatch watch(times_.acting);
  group.policy.ask(group.take_obs(rollout, step), group.part(uniforms_));
}

void Collector::begin_step(std::size_t turn, Rollout& rollout) {
  Group& group = group_of(turn);
  const std::size_t step = turn / groups_.size();
  std::ranges::copy(group.part(levels_), group.part(rollout.levels[step]).begin());
  const auto actions = group.part(rollout.actions[step]);
  {
    const Stopwatch watch(times_.acting);
    group.policy.answer({actions, group.part(rollout.log_probs[step]),
                         group.part(rollout.values[step]), group.part(terms_)});
  }
  const Stopwatch watch(times_.environment);
  parts_.env.begin_step(group.lane, group.slots, actions, batch(rollout));
}

void Collector::finish_step(std::size_t turn, Rollout& rollout) {
  Group& group = group_of(turn);
  {
    const Stopwatch watch(times_.environment);
    parts_.env.finish_step(group.lane, group.slots, batch(rollout));
  }
  score(group, rollout, turn / groups_.size());
  start_next_levels(group, rollout);
}

void Collector::finish_starts(Group& group) {
  if (group.starts.empty()) return;
  const Stopwatch watch(times_.environment);
  parts_.env.finish_start(group.lane, group.starts);
  group.starts.clear();
}

// What goes on past the end of the rollout is worth what the network thinks of it.
void Collector::value_the_rest(Rollout& rollout) {
  const std::size_t last = rollout.num_steps();
  {
    const Stopwatch watch(times_.acting);
    for (Group& group : groups_) group.policy.answer_values(group.part(rollout.values[last]));
  }
  const Stopwatch watch(times_.sampler);
  parts_.scorer.end_rollout(rollout.values[last]);
  record_due_results();
}

void Collector::score(Group& group, Rollout& rollout, std::size_t step) {
  const Stopwatch watch(times_.sampler);
  const auto first = static_cast<std::size_t>(group.slots.begin);
  const auto end = static_cast<std::size_t>(group.slots.end);
  const auto done = rollout.done[step];
  for (std::size_t slot = first; slot < end; ++slot) {
    done[slot] = terminated_[slot] | truncated_[slot];
    returns_[slot] += rewards_[slot];
    ++lengths_[slot];
  }
  parts_.normalizer.normalize(group.part(rewards_), group.part(done),
                              group.part(rollout.rewards[step]), first);
  for (std::size_t slot = first; slot < end; ++slot) {
    parts_.scorer.step(slot, rollout.rewards[step][slot], rollout.values[step][slot], terms_[slot]);
    if (done[slot] == 0) continue;
    parts_.scorer.end(slot, returns_[slot]);
    window_.add(returns_[slot], lengths_[slot], parts_.env.has_solved(static_cast<int>(slot)));
    returns_[slot] = 0;
    lengths_[slot] = 0;
    group.starts.push_back({.slot = static_cast<int>(slot)});
  }
  record_due_results();
}

void Collector::record_due_results() {
  parts_.scorer.drain([&](const EpisodeResult& result) { parts_.curriculum.record(result); });
}

void Collector::start_next_levels(Group& group, Rollout& rollout) {
  if (group.starts.empty()) return;
  {
    const Stopwatch watch(times_.sampler);
    for (Start& start : group.starts) {
      start.level = parts_.curriculum.next();
      const auto slot = static_cast<std::size_t>(start.slot);
      levels_[slot] = start.level;
      parts_.scorer.begin(slot, start.level);
    }
  }
  const Stopwatch watch(times_.environment);
  parts_.env.begin_start(group.lane, group.starts, batch(rollout));
}

std::vector<std::byte> Collector::save(Rollout& rollout) const {
  ByteWriter writer;
  writer.random(actions_);
  writer.numbers<double>(returns_);
  writer.numbers<std::int64_t>(lengths_);
  writer.numbers<LevelId>(levels_);
  window_.save(writer);
  writer.numbers<std::uint8_t>(rollout.host_obs());
  std::vector<std::byte> episode;
  for (int slot = 0; slot < parts_.env.spec().num_slots; ++slot) {
    parts_.env.save(slot, episode);
    writer.numbers<std::byte>(episode);
  }
  return writer.seal("collector", 2);
}

void Collector::load(std::span<const std::byte> bytes, Rollout& rollout) {
  ByteReader reader(bytes, "collector", 2);
  const std::size_t n = levels_.size();
  actions_ = reader.random();
  returns_ = reader.numbers<double>(n);
  lengths_ = reader.numbers<std::int64_t>(n);
  levels_ = reader.numbers<LevelId>(n);
  reader.require(returns_.size() == n && lengths_.size() == n && levels_.size() == n,
                 "made for another number of slots");
  window_.load(reader);
  const auto obs = reader.numbers<std::uint8_t>(rollout.host_obs().size());
  reader.require(obs.size() == rollout.host_obs().size(), "of other observations");
  std::ranges::copy(obs, rollout.host_obs().begin());
  for (int slot = 0; slot < parts_.env.spec().num_slots; ++slot) {
    parts_.env.load(slot, reader.numbers<std::byte>(1 << 24));
  }
  reader.expect_end();
}

}  // namespace plr
