#include "plr/train/level_record.h"

#include <algorithm>

#include "plr/base/fields.h"

namespace plr::train {
namespace {

// Rows of a table: as many as anyone will look at, and quick to write.
constexpr std::size_t kMaxRows = 10'000;

bool is_before(const LevelWeight& a, const LevelWeight& b) {
  return a.probability != b.probability ? a.probability > b.probability : a.level < b.level;
}

}  // namespace

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
  std::partial_sort(leading.begin(), end, leading.end(), is_before);
  record["leading"] = nlohmann::ordered_json::array();
  for (auto w = leading.begin(); w != end; ++w) {
    record["leading"].push_back({{"level", w->level},
                                 {"probability", w->probability},
                                 {"score", w->score},
                                 {"staleness", w->staleness}});
  }
  return record;
}

std::string LevelRecord::table(std::vector<LevelWeight> weights) {
  std::sort(weights.begin(), weights.end(), is_before);
  std::string text = "level,probability,score,staleness,difficulty\n";
  const std::size_t num_rows = std::min(weights.size(), kMaxRows);
  for (std::size_t row = 0; row < num_rows; ++row) {
    // The first and the last are always there.
    const std::size_t i = num_rows > 1 ? row * (weights.size() - 1) / (num_rows - 1) : 0;
    const LevelWeight& w = weights[i];
    text += to_text(w.level) + "," + to_text(w.probability) + "," + to_text(w.score) + "," +
            to_text(w.staleness) + ",";
    if (env_.spec().num_difficulties > 0) text += to_text(difficulty_of(w.level));
    text += "\n";
  }
  return text;
}

int LevelRecord::difficulty_of(LevelId level) {
  const auto known = difficulties_.find(level);
  if (known != difficulties_.end()) return known->second;
  return difficulties_[level] = env_.difficulty(level).value();
}

}  // namespace plr::train
