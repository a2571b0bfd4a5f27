// What do tests of whole training runs share?
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plr/base/files.h"
#include "plr/run/checkpoint.h"
#include "plr/train/trainer.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {

namespace fs = std::filesystem;

class TrainerTest : public ::testing::Test {
 protected:
  fs::path run(const std::string& name) const { return folder_ / name; }

  TemporaryDirectory folder_;
};

// The records of a log without what the clock says.
inline std::vector<nlohmann::json> records(const fs::path& file) {
  std::vector<nlohmann::json> list;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    nlohmann::json record = nlohmann::json::parse(line);
    record.erase("seconds");
    record.erase("steps_per_second");
    list.push_back(record);
  }
  return list;
}

inline void expect_same_run(const fs::path& a, const fs::path& b) {
  const run::Checkpoint x = run::load_checkpoint(a / "checkpoint");
  const run::Checkpoint y = run::load_checkpoint(b / "checkpoint");
  EXPECT_EQ(x.update, y.update);
  EXPECT_EQ(x.tensors, y.tensors);
  EXPECT_EQ(x.states, y.states);
  for (const char* file : {"log.jsonl", "eval.jsonl", "levels.jsonl"}) {
    EXPECT_EQ(records(a / file), records(b / file)) << file;
  }
  EXPECT_EQ(read_text(a / "levels.csv"), read_text(b / "levels.csv"));
}

// Trains and stops after this many updates.
inline void train_for(Trainer& trainer, int updates) {
  trainer.run({.should_stop = [&] { return --updates == 0; }});
}

}  // namespace plr::train
