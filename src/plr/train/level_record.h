// What does the curriculum think of the levels?
//
// A record for levels.jsonl: how the replay probability is spread, over the levels' difficulty
// where the environment knows it, and which levels lead.  The paper's figure of the curriculum is
// made of these.  And a table of the levels as they stand, for levels.csv.  Not synchronized.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "plr/core/curriculum.h"
#include "plr/env/vector_env.h"

namespace plr::train {

class LevelRecord {
 public:
  // The environment must outlive it.
  explicit LevelRecord(const VectorEnv& env) : env_(env) {}

  nlohmann::ordered_json describe(std::int64_t update, std::int64_t steps,
                                  const std::vector<LevelWeight>& weights);

  // Comma-separated, the most probable first; of very many levels every so-manieth.
  std::string table(std::vector<LevelWeight> weights);

 private:
  int difficulty_of(LevelId level);

  const VectorEnv& env_;
  std::unordered_map<LevelId, int> difficulties_;  // found out once each
};

}  // namespace plr::train
