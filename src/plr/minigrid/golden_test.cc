// Every level and every step equals the records of minigrid 3.1.0 and of the authors' environments.

#include "tests/support/golden.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plr/minigrid/observe.h"
#include "plr/minigrid/step.h"
#include "plr/minigrid/tasks.h"

namespace plr::minigrid {
namespace {

using nlohmann::json;
using plr::testing::golden_lines;

// The records name the paper's tasks by their gym ids, and one by its parameters.
Task recorded_task(const std::string& id, Seeding seeding) {
  if (id == "PLR-MultiRoom-N4-Random(pcg64)") {
    return with_seeding(find_task("MultiRoom-N4-Random"), seeding);
  }
  for (const Task& task : tasks()) {
    if (id == "MiniGrid-" + task.name + "-v0") return with_seeding(task, seeding);
  }
  return with_seeding(find_task(id), seeding);
}

std::vector<std::uint8_t> full_image(const State& state) {
  std::vector<std::uint8_t> image(full_size(state.grid));
  observe_full(state, image);
  return image;
}

std::vector<std::uint8_t> view_image(const Level& level, const State& state) {
  std::vector<std::uint8_t> image(kViewBytes);
  observe_view(level, state, image);
  return image;
}

std::uint32_t checksum(const std::vector<std::uint8_t>& bytes) {
  return static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

std::string hex(const std::uint8_t* bytes, std::size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

json position_of(const NumpyRandom& random) {
  return {random.position().outputs, random.position().half_waiting ? 1 : 0};
}

// The level as a record with the same fields.
json described(const Level& level, const json& record) {
  const State& state = level.start;
  const auto view = view_image(level, state);
  json actual = {{"env", record["env"]},
                 {"seed", record["seed"]},
                 {"w", state.grid.width()},
                 {"h", state.grid.height()},
                 {"max_steps", level.max_steps},
                 {"pos", {state.agent.x, state.agent.y}},
                 {"dir", static_cast<int>(state.direction)},
                 {"mission", level.mission.text()},
                 {"part", checksum(view)},
                 {"full", checksum(full_image(state))}};
  if (record.contains("rng")) actual["rng"] = position_of(state.random);
  if (record.contains("rooms")) actual["rooms"] = level.difficulty.value() + 1;
  if (record.contains("grid")) actual["grid"] = hex(state.grid.bytes(), full_size(state.grid));
  if (record.contains("image")) actual["image"] = hex(view.data(), view.size());
  return actual;
}

void expect_levels(const std::string& file, Seeding seeding) {
  for (const json& record : golden_lines(file)) {
    const Task task = recorded_task(record["env"], seeding);
    const auto seed = record["seed"].get<std::uint64_t>();
    const Level level = make_level(task, seed);
    ASSERT_EQ(described(level, record), record);
    ASSERT_EQ(task.width, level.start.grid.width());
    ASSERT_EQ(task.height, level.start.grid.height());
    ASSERT_GE(task.max_steps, level.max_steps);
    ASSERT_TRUE(task.num_variants == 1 || level.difficulty == seed % task.num_variants);
  }
}

// The fields of a record about its steps.
struct Played {
  json reward = json::object();  // step -> the number's bits, where it is not zero
  json terminated = json::array();
  json truncated = json::array();
  json done = json::array();
  json part = json::array();
  json full = json::array();
  json rng;
};

double parsed(const json& hex_float) {
  return std::strtod(hex_float.get<std::string>().c_str(), nullptr);
}

// Plays the record's actions.  After an end it continues with the next level of the same stream.
Played play(const Task& task, const json& record) {
  Played played;
  const auto seed = record["seed"].get<std::uint64_t>();
  const int variant = variant_of(task, seed);
  LevelRandom random(task.seeding, seed);
  Level level = make_level(task, variant, random);
  State state = level.start;
  const auto actions = record["actions"].get<std::string>();
  for (std::size_t t = 0; t < actions.size(); ++t) {
    const StepResult result = step(level, state, static_cast<Action>(actions[t] - '0'));
    if (result.reward != 0) played.reward[std::to_string(t)] = result.reward;
    if (result.terminated) played.terminated.push_back(t);
    if (result.truncated) played.truncated.push_back(t);
    if (result.done()) played.done.push_back(t);
    played.part.push_back(checksum(view_image(level, state)));
    played.full.push_back(checksum(full_image(state)));
    if (!result.done()) continue;
    if (task.seeding == Seeding::kPcg64) random = LevelRandom(state.random);
    level = make_level(task, variant, random);
    state = level.start;
  }
  played.rng = position_of(state.random);
  return played;
}

void expect_same_rewards(const json& actual, const json& recorded) {
  ASSERT_EQ(actual.size(), recorded.size());
  for (const auto& [step, value] : recorded.items()) {
    ASSERT_TRUE(actual.contains(step)) << "no reward at step " << step;
    ASSERT_EQ(actual[step].get<double>(), parsed(value)) << "step " << step;
  }
}

// The steps at which episodes ended: a list, or the last step of a scripted episode, or null where
// the script failed.
std::optional<json> ends_of(const json& record) {
  if (!record.contains("done")) return std::nullopt;
  const json& done = record["done"];
  if (done.is_array()) return std::make_optional<json>(done);
  return std::make_optional<json>(done.is_null() ? json::array() : json::array({done}));
}

void expect_trajectories(const std::string& file, Seeding seeding) {
  for (const json& record : golden_lines(file)) {
    SCOPED_TRACE(record["env"].get<std::string>() + " seed " + record["seed"].dump());
    const Played played = play(recorded_task(record["env"], seeding), record);
    ASSERT_NO_FATAL_FAILURE(expect_same_rewards(played.reward, record["reward"]));
    ASSERT_EQ(played.part, record["part"]);
    ASSERT_EQ(played.full, record["full"]);
    // Not every file has every field.
    ASSERT_EQ(played.terminated, record.value("term", played.terminated));
    ASSERT_EQ(played.truncated, record.value("trunc", played.truncated));
    ASSERT_EQ(played.rng, record.value("rng", played.rng));
    ASSERT_EQ(played.done, ends_of(record).value_or(played.done));
  }
}

TEST(GoldenMinigrid, LevelsEqualThoseOfMinigrid) {
  expect_levels("minigrid/levels_minigrid_3.1.0.jsonl.gz", Seeding::kPcg64);
}

TEST(GoldenMinigrid, LevelsCoverEveryRegisteredTask) {
  std::set<std::string> recorded;
  for (const char* file : {"levels_minigrid_3.1.0", "levels_plr_legacy"}) {
    for (const json& record : golden_lines(std::string("minigrid/") + file + ".jsonl.gz")) {
      recorded.insert(recorded_task(record["env"], Seeding::kPcg64).name);
    }
  }
  for (const Task& task : tasks()) EXPECT_TRUE(recorded.contains(task.name)) << task.name;
}

TEST(GoldenMinigrid, TrajectoriesEqualThoseOfMinigrid) {
  expect_trajectories("minigrid/traj_minigrid_3.1.0.jsonl.gz", Seeding::kPcg64);
}

TEST(GoldenMinigrid, LevelsOfThePaperEqualThoseOfTheAuthors) {
  expect_levels("minigrid/levels_plr_legacy.jsonl.gz", Seeding::kLegacy);
}

TEST(GoldenMinigrid, TrajectoriesOfThePaperEqualThoseOfTheAuthors) {
  expect_trajectories("minigrid/traj_plr_legacy.jsonl.gz", Seeding::kLegacy);
  expect_trajectories("minigrid/solved_plr_legacy.jsonl.gz", Seeding::kLegacy);
}

TEST(GoldenMinigrid, LevelsOfThePaperAreReproducedWithPcg64Seeding) {
  expect_levels("minigrid/levels_plr_pcg64.jsonl.gz", Seeding::kPcg64);
}

TEST(GoldenMinigrid, TrajectoriesOfThePaperAreReproducedWithPcg64Seeding) {
  expect_trajectories("minigrid/traj_plr_pcg64.jsonl.gz", Seeding::kPcg64);
  expect_trajectories("minigrid/solved_plr_pcg64.jsonl.gz", Seeding::kPcg64);
}

}  // namespace
}  // namespace plr::minigrid
