#include "plr/train/level_summary.h"

#include <algorithm>

#include "plr/base/evenly.h"

namespace plr::train {
namespace {

constexpr std::size_t kMaxRows = 10'000;
constexpr std::ptrdiff_t kMaxLeading = 10;

bool is_before(const LevelWeight& a, const LevelWeight& b) {
  return a.probability != b.probability ? a.probability > b.probability : a.level < b.level;
}

}  // namespace

run::LevelsRecord LevelSummary::record(std::int64_t update, std::int64_t steps,
                                       const std::vector<LevelWeight>& weights) {
  run::LevelsRecord record{.update = update, .steps = steps, .levels = weights.size()};
  double squares = 0;
  double score = 0;
  for (const LevelWeight& w : weights) {
    squares += w.probability * w.probability;
    score += w.score / static_cast<double>(weights.size());
  }
  record.effective_levels = squares > 0 ? 1 / squares : 0;
  record.mean_score = score;

  if (env_.spec().num_difficulties > 0) {
    std::vector<double> mass(static_cast<std::size_t>(env_.spec().num_difficulties), 0.0);
    double expected = 0;
    for (const LevelWeight& w : weights) {
      const int d = difficulty(w.level);
      mass.at(static_cast<std::size_t>(d)) += w.probability;
      expected += w.probability * d;
    }
    record.by_difficulty = mass;
    record.expected_difficulty = expected;
  }

  std::vector<LevelWeight> leading = weights;
  const auto end = leading.begin() + std::min(kMaxLeading, std::ssize(leading));
  std::partial_sort(leading.begin(), end, leading.end(), is_before);
  for (auto w = leading.begin(); w != end; ++w) {
    record.leading.push_back({w->level, w->probability, w->score, w->staleness});
    if (is_stored(w->level)) record.leading.back().data = to_hex(store_.bytes(w->level));
  }
  return record;
}

std::vector<run::LevelRow> LevelSummary::table(std::vector<LevelWeight> weights) {
  std::sort(weights.begin(), weights.end(), is_before);
  std::vector<run::LevelRow> rows;
  const std::size_t num_rows = std::min(weights.size(), kMaxRows);
  for (std::size_t row = 0; row < num_rows; ++row) {
    const LevelWeight& w = weights[even_position(row, num_rows, weights.size())];
    rows.push_back({w.level, w.probability, w.score, w.staleness});
    if (env_.spec().num_difficulties > 0) rows.back().difficulty = difficulty(w.level);
    if (is_stored(w.level)) rows.back().data = to_hex(store_.bytes(w.level));
  }
  return rows;
}

int LevelSummary::difficulty(LevelId level) {
  const auto cached = difficulties_.find(level);
  if (cached != difficulties_.end()) return cached->second;
  return difficulties_[level] = env_.difficulty(level).value();
}

}  // namespace plr::train
