#include "plr/core/rollout_replay.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "plr/base/bytes.h"
#include "plr/base/saved_settings.h"

namespace plr {
namespace {

constexpr const char* kStateName = "rollout replay";
constexpr int kStateVersion = 1;
constexpr std::size_t kMaxSlots = 1 << 20;

// Limit for the bytes of a saved buffer.
std::size_t max_bytes(const LevelBufferConfig& config) { return 4096 + 64 * config.capacity; }

}  // namespace

RolloutReplay::RolloutReplay(LevelSet levels, const RolloutReplayConfig& config, LevelTools tools,
                             const Random& random)
    : levels_(std::move(levels)),
      config_(config),
      tools_(std::move(tools)),
      random_(random),
      buffer_(config.buffer) {
  check_fields(config_);
  if (config_.num_edits > 0 && !tools_.edit) {
    throw std::invalid_argument(
        "num_edits must be 0: the levels of this environment have no edits");
  }
  if (config_.score == RolloutScore::kRegret && !tools_.optimal_return) {
    throw std::invalid_argument(
        "rollout_score must not be regret: this environment has no solver of its levels");
  }
}

const RolloutPlan& RolloutReplay::plan(std::size_t num_slots) {
  if (!parents_.empty()) {
    plan_edited(num_slots);
  } else if (buffer_.can_replay() && random_.uniform() < config_.replay_probability) {
    plan_replay(num_slots);
  } else {
    plan_new(num_slots);
  }
  return plan_;
}

// A plan without levels.
void RolloutReplay::begin_plan(RolloutKind kind, std::size_t num_slots) {
  plan_.levels.assign(num_slots, 0);
  plan_.best_returns.assign(num_slots, 0.0);
  plan_.kind = kind;
  plan_.learn = kind == RolloutKind::kReplay || config_.learn_on_new;
}

void RolloutReplay::plan_new(std::size_t num_slots) {
  begin_plan(RolloutKind::kNew, num_slots);
  for (LevelId& level : plan_.levels) level = levels_[random_.below(levels_.size())];
}

void RolloutReplay::plan_replay(std::size_t num_slots) {
  begin_plan(RolloutKind::kReplay, num_slots);
  drawn_.resize(num_slots);
  for (std::size_t slot = 0; slot < num_slots; ++slot) {
    const LevelBuffer::Draw draw = buffer_.draw(random_);
    drawn_[slot] = draw.slot;
    plan_.levels[slot] = draw.level;
    plan_.best_returns[slot] = buffer_.at(draw.slot).best_return;
  }
}

// Each parent is edited equally often, in turn.
void RolloutReplay::plan_edited(std::size_t num_slots) {
  begin_plan(RolloutKind::kEdited, num_slots);
  for (std::size_t slot = 0; slot < num_slots; ++slot) {
    const LevelId parent = parents_[slot * parents_.size() / num_slots];
    plan_.levels[slot] = tools_.edit(parent, config_.num_edits, random_);
  }
  parents_.clear();
}

void RolloutReplay::record(std::span<const RolloutResult> results) {
  check_results(plan_, results);
  for (std::size_t slot = 0; slot < results.size(); ++slot) {
    const LevelId level = plan_.levels[slot];
    const double value = score(results[slot], level);
    if (plan_.kind == RolloutKind::kReplay) {
      buffer_.update(drawn_[slot], value, results[slot].best_return);
    } else {
      buffer_.insert(level, value, results[slot].best_return);
    }
  }
  const bool is_replay = plan_.kind == RolloutKind::kReplay;
  if (is_replay && config_.num_edits > 0) parents_ = parents(results);
}

double RolloutReplay::score(const RolloutResult& result, LevelId level) const {
  const bool needs_solution = config_.score == RolloutScore::kRegret;
  return result.score(config_.score, needs_solution ? tools_.optimal_return(level) : 0);
}

// The replayed levels to edit, in slot order.
std::vector<LevelId> RolloutReplay::parents(std::span<const RolloutResult> results) const {
  const auto count = static_cast<std::size_t>(config_.num_parents);
  if (count == 0 || count >= results.size()) return plan_.levels;
  std::vector<std::size_t> slots(results.size());
  std::iota(slots.begin(), slots.end(), 0);
  const auto return_minus_score = [&](std::size_t slot) {
    return results[slot].mean_return - score(results[slot], plan_.levels[slot]);
  };
  std::ranges::stable_sort(slots, {}, return_minus_score);
  slots.resize(count);
  std::ranges::sort(slots);
  std::vector<LevelId> chosen;
  for (const std::size_t slot : slots) chosen.push_back(plan_.levels[slot]);
  return chosen;
}

std::vector<LevelId> RolloutReplay::levels_in_use() const {
  std::vector<LevelId> levels = parents_;
  for (LevelBuffer::Slot slot = 0; slot < buffer_.size(); ++slot) {
    levels.push_back(buffer_.at(slot).level);
  }
  return levels;
}

std::optional<ReplaySummary> RolloutReplay::replay_summary() const {
  const bool may_replay = parents_.empty() && buffer_.can_replay();
  return ReplaySummary{.num_seen = buffer_.size(),
                       .num_draws = buffer_.clock(),
                       .replay_probability = may_replay ? config_.replay_probability : 0};
}

std::vector<std::byte> RolloutReplay::save() const {
  ByteWriter writer;
  writer.text(fields_text(config_));
  writer.number(levels_.fingerprint());
  writer.random(random_);
  writer.numbers<LevelId>(parents_);
  writer.numbers<std::byte>(buffer_.save());
  return writer.seal(kStateName, kStateVersion);
}

void RolloutReplay::load(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, kStateName, kStateVersion);
  expect_settings(reader, config_);
  reader.require(reader.number<std::uint64_t>() == levels_.fingerprint(),
                 "saved with another set of levels");
  const Random random = reader.random();
  std::vector<LevelId> parents = reader.numbers<LevelId>(kMaxSlots);
  const std::vector<std::byte> buffer = reader.numbers<std::byte>(max_bytes(config_.buffer));
  reader.expect_end();
  reader.require(parents.empty() || config_.num_edits > 0, "levels to edit, without edits");
  buffer_.load(buffer);
  random_ = random;
  parents_ = std::move(parents);
  plan_ = {};
}

}  // namespace plr
