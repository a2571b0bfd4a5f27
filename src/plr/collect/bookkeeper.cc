#include "plr/collect/bookkeeper.h"

#include <algorithm>

namespace plr::collect {

Bookkeeper::Bookkeeper(const Parts& parts, std::size_t num_slots)
    : parts_(parts),
      levels_(num_slots),
      returns_(num_slots),
      lengths_(num_slots),
      rewards_(num_slots) {
  starts_.reserve(num_slots);
}

std::span<const LevelId> Bookkeeper::draw_first_levels() {
  levels_ = parts_.curriculum->first(levels_.size());
  for (std::size_t slot = 0; slot < levels_.size(); ++slot) {
    parts_.scorer->begin(slot, levels_[slot]);
  }
  return levels_;
}

void Bookkeeper::begin_rollout(std::span<const LevelId> levels) {
  std::ranges::copy(levels, levels_.begin());
  std::ranges::fill(returns_, 0);
  std::ranges::fill(lengths_, 0);
}

std::span<const Start> Bookkeeper::book(std::span<const StepRecord> records, std::size_t step,
                                        StepTables& rollout) {
  for (std::size_t slot = 0; slot < records.size(); ++slot) {
    const StepRecord& record = records[slot];
    rollout.actions[step][slot] = static_cast<std::int32_t>(record.result.action);
    rollout.log_probs[step][slot] = record.result.log_prob;
    rollout.values[step][slot] = record.result.value;
    rollout.levels[step][slot] = levels_[slot];
    rollout.begins[step][slot] = begins_episode(slot) ? 1 : 0;
    rollout.done[step][slot] = record.has_ended ? 1 : 0;
    rewards_[slot] = record.reward;
    returns_[slot] += record.reward;
    ++lengths_[slot];
  }
  parts_.normalizer.normalize(rewards_, rollout.done[step], rollout.rewards[step]);

  starts_.clear();
  for (std::size_t slot = 0; slot < records.size(); ++slot) {
    const StepRecord& record = records[slot];
    if (parts_.scorer != nullptr) {
      parts_.scorer->step(slot, rollout.rewards[step][slot], record.result.value,
                          record.result.term);
    }
    if (record.has_ended) end_episode(slot, record.is_solved);
  }
  record_due_results();
  for (Start& start : starts_) {
    const auto slot = static_cast<std::size_t>(start.slot);
    start.level = levels_[slot] = parts_.curriculum->next();
    parts_.scorer->begin(slot, start.level);
  }
  return starts_;
}

void Bookkeeper::end_episode(std::size_t slot, bool is_solved) {
  window_.add(returns_[slot], lengths_[slot], is_solved);
  if (parts_.scorer != nullptr) {
    parts_.scorer->end(slot, returns_[slot]);
    starts_.push_back({.slot = static_cast<int>(slot)});
  }
  returns_[slot] = 0;
  lengths_[slot] = 0;
}

void Bookkeeper::end_rollout(std::span<const StepRecord> records, StepTables& rollout) {
  const std::span<float> values = rollout.values.last_row();
  for (std::size_t slot = 0; slot < records.size(); ++slot) {
    values[slot] = records[slot].result.value;
  }
  if (parts_.scorer != nullptr) parts_.scorer->end_rollout(values);
  record_due_results();
}

void Bookkeeper::record_due_results() {
  if (parts_.scorer == nullptr) return;
  parts_.scorer->drain([&](const EpisodeResult& result) { parts_.curriculum->record(result); });
}

void Bookkeeper::save(ByteWriter& writer) const {
  writer.numbers<double>(returns_);
  writer.numbers<std::int64_t>(lengths_);
  writer.numbers<LevelId>(levels_);
  window_.save(writer);
}

void Bookkeeper::load(ByteReader& reader) {
  const std::size_t n = levels_.size();
  returns_ = reader.numbers<double>(n);
  lengths_ = reader.numbers<std::int64_t>(n);
  levels_ = reader.numbers<LevelId>(n);
  reader.require(returns_.size() == n && lengths_.size() == n && levels_.size() == n,
                 "it was saved with another number of slots");
  window_.load(reader);
}

}  // namespace plr::collect
