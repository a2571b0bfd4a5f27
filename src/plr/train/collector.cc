#include "plr/train/collector.h"

#include <algorithm>

#include "plr/base/bytes.h"

namespace plr::train {

Collector::Collector(const CollectorParts& parts, Random actions, int num_groups)
    : parts_(parts), actions_(actions) {
  const int num_slots = parts.env.spec().num_slots;
  num_groups = std::min(num_groups, num_slots);
  for (int g = 0; g < num_groups; ++g) {
    const SlotRange slots = part_of_slots(num_slots, g, num_groups);
    const auto size = static_cast<std::size_t>(slots.size());
    learn::Policy policy(parts.backend, {.score_function = parts.score_function}, size);
    groups_.push_back({static_cast<std::size_t>(g), slots, std::move(policy), {}});
    groups_.back().starts.reserve(size);
  }
  const auto n = static_cast<std::size_t>(num_slots);
  rewards_.resize(n);
  terminated_.resize(n);
  truncated_.resize(n);
  for (std::vector<double>& row : uniforms_) row.resize(n);
  terms_.resize(n);
  returns_.resize(n);
  lengths_.resize(n);
  levels_.resize(n);
}

StepBatch Collector::batch(learn::Rollout& rollout) {
  return {rollout.host_obs(), rewards_, terminated_, truncated_};
}

void Collector::begin(learn::Rollout& rollout) {
  levels_ = parts_.curriculum.first(rollout.num_slots());
  std::vector<Start> starts;
  for (std::size_t slot = 0; slot < levels_.size(); ++slot) {
    starts.push_back({static_cast<int>(slot), levels_[slot]});
    parts_.scorer.begin(slot, levels_[slot]);
  }
  parts_.env.start(starts, batch(rollout));
}

void Collector::fill(learn::Rollout& rollout) {
  num_drawn_ = 0;
  for (Group& group : groups_) {
    group.policy.refresh();
    group.step = 0;
    submit(group, rollout);
  }
  const auto is_complete = [&](const Group& group) {
    return group.step == rollout.num_steps() && group.phase == Phase::kInference;
  };
  auto begin = Clock::now();
  while (!std::ranges::all_of(groups_, is_complete)) {
    bool has_advanced = false;
    for (Group& group : groups_) has_advanced |= advance(group, rollout);
    begin = has_advanced ? Clock::now() : idle(begin);
  }
  bootstrap_values(rollout);
}

// Whether the group could advance.
bool Collector::advance(Group& group, learn::Rollout& rollout) {
  switch (group.phase) {
    case Phase::kInference:
      if (group.step == rollout.num_steps() || !group.policy.ready()) return false;
      submit_step(group, rollout);
      return true;
    case Phase::kStepping:
      if (group.number != next_to_score_ || !parts_.env.ready(group.lane())) return false;
      next_to_score_ = (next_to_score_ + 1) % groups_.size();
      collect_step(group, rollout);
      return true;
    case Phase::kStarting:
      if (!parts_.env.ready(group.lane())) return false;
      parts_.env.collect(group.lane());
      group.starts.clear();
      submit(group, rollout);
      return true;
  }
  return false;
}

// Submits the current observations to the policy; after the last step only the values are used.
void Collector::submit(Group& group, learn::Rollout& rollout) {
  const Stopwatch watch(times_.acting);
  // Numbers are drawn for all slots at once.  Groups are at most one step apart, hence two rows.
  std::vector<double>& uniforms = uniforms_[group.step % 2];
  if (group.step == num_drawn_ && group.step < rollout.num_steps()) {
    for (double& u : uniforms) u = actions_.uniform();
    ++num_drawn_;
  }
  group.policy.submit(group.take_obs(rollout), group.part(uniforms));
  group.phase = Phase::kInference;
}

void Collector::submit_step(Group& group, learn::Rollout& rollout) {
  std::ranges::copy(group.part(levels_), group.part(rollout.levels[group.step]).begin());
  const auto actions = group.part(rollout.actions[group.step]);
  {
    const Stopwatch watch(times_.acting);
    group.policy.collect({actions, group.part(rollout.log_probs[group.step]),
                          group.part(rollout.values[group.step]), group.part(terms_)});
  }
  const Stopwatch watch(times_.environment);
  parts_.env.submit_step(group.lane(), group.slots, actions, batch(rollout));
  group.phase = Phase::kStepping;
}

void Collector::collect_step(Group& group, learn::Rollout& rollout) {
  {
    const Stopwatch watch(times_.environment);
    parts_.env.collect(group.lane());
  }
  score(group, rollout);
  ++group.step;
  if (group.starts.empty()) {
    submit(group, rollout);
  } else {
    start_next_levels(group, rollout);
  }
}

// No group can advance: attributes the time since `begin` to what they all wait for.  Returns the
// current time.
Collector::Clock::time_point Collector::idle(Clock::time_point begin) {
  parts_.env.run_one_task();
  const auto is_acting = [](const Group& group) { return group.phase == Phase::kInference; };
  Seconds& time = std::ranges::all_of(groups_, is_acting) ? times_.acting : times_.environment;
  const Clock::time_point end = Clock::now();
  time += end - begin;
  return end;
}

// Bootstraps unfinished episodes with the value estimate.
void Collector::bootstrap_values(learn::Rollout& rollout) {
  const std::size_t last = rollout.num_steps();
  {
    const Stopwatch watch(times_.acting);
    for (Group& group : groups_) group.policy.collect_values(group.part(rollout.values[last]));
  }
  const Stopwatch watch(times_.sampler);
  parts_.scorer.end_rollout(rollout.values[last]);
  record_due_results();
}

void Collector::score(Group& group, learn::Rollout& rollout) {
  const Stopwatch watch(times_.sampler);
  const auto first = static_cast<std::size_t>(group.slots.begin);
  const auto end = static_cast<std::size_t>(group.slots.end);
  const std::size_t step = group.step;
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

void Collector::start_next_levels(Group& group, learn::Rollout& rollout) {
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
  parts_.env.submit_start(group.lane(), group.starts, batch(rollout));
  group.phase = Phase::kStarting;
}

std::vector<std::byte> Collector::save(learn::Rollout& rollout) const {
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

void Collector::load(std::span<const std::byte> bytes, learn::Rollout& rollout) {
  ByteReader reader(bytes, "collector", 2);
  const std::size_t n = levels_.size();
  actions_ = reader.random();
  returns_ = reader.numbers<double>(n);
  lengths_ = reader.numbers<std::int64_t>(n);
  levels_ = reader.numbers<LevelId>(n);
  reader.require(returns_.size() == n && lengths_.size() == n && levels_.size() == n,
                 "it was saved with another number of slots");
  window_.load(reader);
  const auto obs = reader.numbers<std::uint8_t>(rollout.host_obs().size());
  reader.require(obs.size() == rollout.host_obs().size(), "its observations have another shape");
  std::ranges::copy(obs, rollout.host_obs().begin());
  for (int slot = 0; slot < parts_.env.spec().num_slots; ++slot) {
    parts_.env.load(slot, reader.numbers<std::byte>(kMaxNestedState));
  }
  reader.expect_end();
}

}  // namespace plr::train
