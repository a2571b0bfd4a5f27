// Compares the level buffer with recorded inserts, draws and updates of JaxUED's.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "plr/core/level_buffer.h"
#include "tests/support/golden.h"

namespace plr {
namespace {

using nlohmann::json;
using testing::golden_lines;

LevelBufferConfig config_of(const json& recorded) {
  LevelBufferConfig config{.capacity = recorded.at("capacity"),
                           .staleness_coef = recorded.at("staleness_coeff"),
                           .min_fill_ratio = recorded.at("minimum_fill_ratio"),
                           .duplicate_check = recorded.at("duplicate_check"),
                           .keep_unmeasured = false};
  if (recorded.at("prioritization") == "rank") {
    config.temperature = recorded.at("param");
  } else {
    config.prioritization = Prioritization::kTopk;
    config.topk = recorded.at("param");
  }
  return config;
}

// A number of float32; null is minus infinity.
double number(const json& recorded) {
  return recorded.is_null() ? kUnmeasuredScore : static_cast<double>(recorded.get<float>());
}

constexpr double kTolerance = 2e-6;

void expect_state(const LevelBuffer& buffer, const json& state) {
  ASSERT_EQ(buffer.size(), state.at("size").get<std::size_t>());
  ASSERT_EQ(buffer.clock(), state.at("episode_count").get<std::int64_t>());
  ASSERT_EQ(buffer.can_replay(), state.at("may_replay").get<bool>());
  const std::vector<LevelWeight> weights = buffer.weights();
  for (LevelBuffer::Slot slot = 0; slot < buffer.size(); ++slot) {
    SCOPED_TRACE("slot " + std::to_string(slot));
    const LevelBuffer::Entry entry = buffer.at(slot);
    ASSERT_EQ(entry.level, state.at("levels")[slot].get<LevelId>());
    ASSERT_EQ(entry.score, number(state.at("scores")[slot]));
    ASSERT_EQ(entry.timestamp, state.at("timestamps")[slot].get<std::int64_t>());
    ASSERT_EQ(entry.best_return, number(state.at("max_returns")[slot]));
    ASSERT_NEAR(weights[slot].probability, number(state.at("weights")[slot]), kTolerance);
  }
}

void insert(LevelBuffer& buffer, const json& event) {
  for (std::size_t i = 0; i < event.at("levels").size(); ++i) {
    const auto slot = buffer.insert(event.at("levels")[i], number(event.at("scores")[i]),
                                    number(event.at("max_returns")[i]));
    ASSERT_EQ(slot ? static_cast<std::int64_t>(*slot) : -1,
              event.at("slots")[i].get<std::int64_t>());
  }
}

void replay(LevelBuffer& buffer, const json& event) {
  for (const json& draw : event.at("draws")) {
    const LevelBuffer::Slot slot = draw.at("slot");
    ASSERT_EQ(buffer.at(slot).level, draw.at("level").get<LevelId>());
    ASSERT_NEAR(buffer.weights()[slot].probability, number(draw.at("probability")), kTolerance);
    buffer.choose(slot);
  }
  ASSERT_NO_FATAL_FAILURE(expect_state(buffer, event.at("before_update")));
  for (std::size_t i = 0; i < event.at("draws").size(); ++i) {
    buffer.update(event.at("draws")[i].at("slot"), number(event.at("scores")[i]),
                  number(event.at("max_returns")[i]));
  }
}

TEST(LevelBuffer, FollowsGoldenInsertsDrawsAndUpdates) {
  for (const json& line : golden_lines("maze/buffer.jsonl.gz")) {
    SCOPED_TRACE(line.at("config").dump());
    LevelBuffer buffer(config_of(line.at("config")));
    for (std::size_t i = 0; i < line.at("events").size(); ++i) {
      SCOPED_TRACE("event " + std::to_string(i));
      const json& event = line.at("events")[i];
      const auto follow = event.at("do") == "insert" ? insert : replay;
      ASSERT_NO_FATAL_FAILURE(follow(buffer, event));
      ASSERT_NO_FATAL_FAILURE(expect_state(buffer, event.at("after")));
    }
  }
}

}  // namespace
}  // namespace plr
