#include "plr/train/level_record.h"

#include <algorithm>

namespace plr {

nlohmann::ordered_json LevelRecord::describe(std::int64_t update, std::int64_t steps,
                                             const std::vector<LevelWeight>& weights) {
  nlohmann::ordered_json record = {
      {"update", update}, {"steps", steps}, {"levels", weights.size()}};
  double squares = 0;
  double score = 0;
  for (const LevelWeight& w : weights) {
    squares += w.probability * w.probability;
    score += w.score / static_cast<double>(weights.size());
  }
  // As many equally likely levels would be as concentrated.
  record["effective_levels"] = squares > 0 ? 1 / squares : 0;
  record["mean_score"] = score;

  if (env_.spec().num_difficulties > 0) {
    std::vector<double> mass(static_cast<std::size_t>(env_.spec().num_difficulties), 0.0);
    double expected = 0;
    for (const LevelWeight& w : weights) {
      const int difficulty = difficulty_of(w.level);
      mass.at(static_cast<std::size_t>(difficulty)) += w.probability;
      expected += w.probability * difficulty;
    }
    record["by_difficulty"] = mass;
    record["expected_difficulty"] = expected;
  }

  std::vector<LevelWeight> leading = weights;
  const auto end = leading.begin() + std::min<std::ptrdiff_t>(10, std::ssize(leading));
  std::partial_sort(leading.begin(), end, leading.end(), [](const auto& a, const auto& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.level < b.level;
  });
  record["leading"] = nlohmann::ordered_json::array();
  for (auto w = leading.begin(); w != end; ++w) {
    record["leading"].push_back({{"level", w->level},
                                 {"probability", w->probability},
                                 {"score", w->score},
                                 {"staleness", w->staleness}});
  }
  return record;
}

int LevelRecord::difficulty_of(LevelId level) {
  const auto known = difficulties_.find(level);
  if (known != difficulties_.end()) return known->second;
  return difficulties_[level] = env_.difficulty(level).value();
}

}  // namespace plr
