#include "plr/run/records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "plr/base/files.h"
#include "plr/run/json_lines.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::run {
namespace {

using Json = nlohmann::json;

LogRecord log_record() {
  return {.update = 3,
          .steps = 24576,
          .seconds = 1.5,
          .steps_per_second = 16384,
          .episodes = 40,
          .episode_return = 0.25,
          .success = 0.5,
          .length = 12,
          .policy_loss = -0.01,
          .value_loss = 0.02,
          .entropy = 1.9,
          .grad_norm = 0.4,
          .clip_fraction = 0.1,
          .approx_kl = 0.003,
          .explained_variance = 0.7,
          .advantage_deviation = 0.6,
          .return_deviation = 0.8,
          .drac_loss = 0.05,
          .augmentation = "crop",
          .levels_seen = 200,
          .draws = 260,
          .replay_probability = 0.5};
}

EvalRecord eval_record() {
  return {.update = 3,
          .steps = 24576,
          .episodes = 2,
          .stream = "evaluate/3",
          .behavior_version = 2,
          .test_return = 0.5,
          .test_error = 0.25,
          .test_success = 1,
          .test_length = 9,
          .train_return = 0.75,
          .train_error = 0,
          .train_success = 1,
          .train_length = 8,
          .gap = 0.25,
          .is_final = true,
          .test_returns = {0.25, 0.75},
          .test_levels = {{.name = "Maze", .episodes = 2, .solved = 1, .mean_return = 0.5}}};
}

// The files of existing runs hold these names in this order.
constexpr const char* kLogLine =
    R"({"update":3,"steps":24576,"seconds":1.5,"steps_per_second":16384.0,"episodes":40,)"
    R"("return":0.25,"success":0.5,"length":12.0,"policy_loss":-0.01,"value_loss":0.02,)"
    R"("entropy":1.9,"grad_norm":0.4,"clip_fraction":0.1,"approx_kl":0.003,)"
    R"("explained_variance":0.7,"advantage_deviation":0.6,"return_deviation":0.8,)"
    R"("drac_loss":0.05,"augmentation":"crop",)"
    R"("levels_seen":200,"draws":260,"replay_probability":0.5})";
constexpr const char* kEvalLine =
    R"({"update":3,"steps":24576,"episodes":2,"stream":"evaluate/3","behavior_version":2,)"
    R"("test_return":0.5,)"
    R"("test_error":0.25,"test_success":1.0,"test_length":9.0,"train_return":0.75,)"
    R"("train_error":0.0,"train_success":1.0,"train_length":8.0,"gap":0.25,"final":true,)"
    R"("test_returns":[0.25,0.75],)"
    R"("test_levels":[{"name":"Maze","episodes":2,"solved":1,"return":0.5}]})";
constexpr const char* kLevelsLine =
    R"({"update":3,"steps":24576,"levels":2,"effective_levels":1.5,"mean_score":0.1,)"
    R"("by_difficulty":[0.25,0.75],"expected_difficulty":0.75,)"
    R"("leading":[{"level":7,"probability":0.9,"score":0.5,"staleness":1.0}]})";

TEST(Records, AreWrittenWithTheNamesAndOrderOfExistingRuns) {
  EXPECT_EQ(record_to_json(log_record()).dump(), kLogLine);
  EXPECT_EQ(record_to_json(eval_record()).dump(), kEvalLine);
  const LevelsRecord levels{.update = 3,
                            .steps = 24576,
                            .levels = 2,
                            .effective_levels = 1.5,
                            .mean_score = 0.1,
                            .by_difficulty = {0.25, 0.75},
                            .expected_difficulty = 0.75,
                            .leading = {{7, 0.9, 0.5, 1}}};
  EXPECT_EQ(record_to_json(levels).dump(), kLevelsLine);
}

TEST(Records, RoundTrip) {
  EXPECT_EQ(record_to_json(record_from_json<LogRecord>(Json::parse(kLogLine))).dump(), kLogLine);
  EXPECT_EQ(record_to_json(record_from_json<EvalRecord>(Json::parse(kEvalLine))).dump(), kEvalLine);
  EXPECT_EQ(record_to_json(record_from_json<LevelsRecord>(Json::parse(kLevelsLine))).dump(),
            kLevelsLine);
}

TEST(Records, OmitOptionalFieldsThatAreNotSet) {
  LogRecord log = log_record();
  log.drac_loss = {};
  log.augmentation = {};
  log.levels_seen = {};
  log.draws = {};
  log.replay_probability = {};
  const std::string line = record_to_json(log).dump();
  EXPECT_TRUE(line.ends_with("\"return_deviation\":0.8}")) << line;
  const Json evaluation = record_to_json(EvalRecord{});
  EXPECT_FALSE(evaluation.contains("final"));
  EXPECT_FALSE(evaluation.contains("test_returns"));
  EXPECT_FALSE(evaluation.contains("test_levels"));
  // A list that is expected is written even if it is empty.
  EXPECT_EQ(record_to_json(LevelsRecord{}).at("leading"), Json::array());
}

TEST(Records, IgnoreUnknownFieldsAndTakeDefaultsForMissingOnes) {
  const auto record =
      record_from_json<LogRecord>(Json::parse(R"({"steps":7,"color":"red","nested":{"a":[1]}})"));
  EXPECT_EQ(record.steps, 7);
  EXPECT_EQ(record.update, 0);
  EXPECT_TRUE(std::isnan(record.episode_return));
  EXPECT_FALSE(record.draws);
}

TEST(Records, ReadNullAsNan) {
  LogRecord record = log_record();
  record.explained_variance = std::numeric_limits<double>::quiet_NaN();
  record.grad_norm = std::numeric_limits<double>::infinity();
  const Json json = Json::parse(record_to_json(record).dump());
  EXPECT_TRUE(json.at("explained_variance").is_null());
  EXPECT_TRUE(std::isnan(record_from_json<LogRecord>(json).explained_variance));
  EXPECT_TRUE(std::isnan(record_from_json<LogRecord>(json).grad_norm));
}

TEST(Records, NameTheFieldThatIsMissingOrOfAWrongType) {
  const auto message = [](const char* line) {
    return runtime_error_of([&] { record_from_json<EvalRecord>(Json::parse(line)); });
  };
  EXPECT_EQ(message(R"({"steps":7})"), "test_return is missing");
  EXPECT_EQ(message(R"({"steps":7,"test_return":null})"), "test_return is not a number");
  EXPECT_EQ(message(R"({"steps":7,"test_return":1,"gap":"wide"})"), "gap is not a number");
  for (const std::string steps : {"1e23", "7.5", "9223372036854775808", "-1e300"}) {
    EXPECT_EQ(message((R"({"test_return":1,"steps":)" + steps + "}").c_str()),
              "steps is not a whole number in range");
  }
  EXPECT_EQ(record_from_json<EvalRecord>(Json::parse(R"({"test_return":1,"steps":7e3})")).steps,
            7000);
  EXPECT_EQ(message(R"({"steps":7,"test_return":1,"final":1})"), "final is not true or false");
  EXPECT_EQ(message(R"({"steps":7,"test_return":1,"stream":1})"), "stream is not a string");
  EXPECT_EQ(message(R"({"steps":7,"test_return":1,"test_returns":1})"),
            "test_returns is not a list");
  EXPECT_EQ(message("[7]"), "not a JSON object");
}

TEST(Records, GiveTensorBoardEveryNumberButTheSteps) {
  std::set<std::string> tags;
  for (const Scalar& scalar : record_scalars(eval_record())) {
    tags.insert(scalar.tag);
    if (scalar.tag == "eval/gap") {
      EXPECT_EQ(scalar.value, 0.25F);
    }
  }
  EXPECT_EQ(tags,
            (std::set<std::string>{"eval/update", "eval/behavior_version", "eval/episodes",
                                   "eval/test_return", "eval/test_error", "eval/test_success",
                                   "eval/test_length", "eval/train_return", "eval/train_error",
                                   "eval/train_success", "eval/train_length", "eval/gap"}));
  LogRecord log = log_record();
  EXPECT_EQ(record_scalars(log).size(), 20U);  // 21 fields without steps and augmentation
  EXPECT_EQ(record_scalars(log).front().tag, "train/update");
  log.draws.reset();
  EXPECT_EQ(record_scalars(log).size(), 19U);
}

TEST(RecordFiles, AreReadLineByLine) {
  const TemporaryDirectory temporary;
  const std::filesystem::path file = temporary / layout::kEvaluations;
  JsonLines(file).append(record_to_json(eval_record()));
  std::ofstream(file, std::ios::app) << R"({"steps":8,"test_ret)";  // is being written
  const ReadRecords<EvalRecord> read = read_records<EvalRecord>(file);
  ASSERT_EQ(read.records.size(), 1U);
  EXPECT_EQ(read.records[0].test_returns, eval_record().test_returns);
  EXPECT_EQ(read.problem, "");
}

TEST(RecordFiles, NameFileLineAndFieldOfTheFirstDamage) {
  const TemporaryDirectory temporary;
  const std::filesystem::path file = temporary / layout::kEvaluations;
  write_text(file, R"({"steps":1,"test_return":1}
{"steps":2}
nonsense
{"steps":3,"test_return":1}
)");
  const ReadRecords<EvalRecord> read = read_records<EvalRecord>(file);
  EXPECT_EQ(read.records.size(), 2U);
  EXPECT_EQ(read.problem,
            "eval.jsonl: 2 damaged lines left out, the first is line 2 (test_return is missing)");
  EXPECT_EQ(read_records<EvalRecord>(temporary / "none.jsonl").problem, "none.jsonl is missing");
}

TEST(RecordFiles, GiveTheLastCompleteLineHoweverLong) {
  const TemporaryDirectory temporary;
  const std::filesystem::path file = temporary / layout::kEvaluations;
  EXPECT_FALSE(read_last_record<EvalRecord>(file));
  write_text(file, "");
  EXPECT_FALSE(read_last_record<EvalRecord>(file));
  for (const std::size_t num_returns : {0, 1, 1000, 50'000}) {
    JsonLines lines(file);
    EvalRecord record = eval_record();
    record.steps = static_cast<std::int64_t>(num_returns);
    record.test_returns.assign(num_returns, 0.125);
    lines.append(record_to_json(record));
    const auto last = read_last_record<EvalRecord>(file);
    ASSERT_TRUE(last) << num_returns;
    EXPECT_EQ(last->steps, record.steps);
    EXPECT_EQ(last->test_returns, record.test_returns);
  }
  std::ofstream(file, std::ios::app) << R"({"steps":8,"test_ret)";
  EXPECT_EQ(read_last_record<EvalRecord>(file)->steps, 50'000);
}

TEST(LevelTable, RoundTrips) {
  const TemporaryDirectory temporary;
  const std::string text = level_table_to_csv({{7, 0.9, 0.5, 1, 0}, {3, 0.1, 0.25, 4, {}, "0a1b"}});
  EXPECT_EQ(text,
            "level,probability,score,staleness,difficulty,data\n"
            "7,0.9,0.5,1,0,\n3,0.1,0.25,4,,0a1b\n");
  write_text(temporary / layout::kLevelTable, text);
  const ReadRecords<LevelRow> read = read_level_table(temporary / layout::kLevelTable);
  EXPECT_EQ(read.problem, "");
  EXPECT_EQ(level_table_to_csv(read.records), text);
}

TEST(Cvar, RoundTrips) {
  const TemporaryDirectory temporary;
  const std::string text = cvar_to_csv({{7, 10, 3, 11, 4}, {9, 12, 0, 10, 1}});
  EXPECT_EQ(text,
            "level,episodes_a,successes_a,episodes_b,successes_b\n"
            "7,10,3,11,4\n9,12,0,10,1\n");
  write_text(temporary / layout::kCvar, text);
  EXPECT_EQ(cvar_to_csv(read_cvar(temporary / layout::kCvar).records), text);
}

TEST(LevelTable, HasItsColumnsByName) {
  const TemporaryDirectory temporary;
  write_text(temporary / layout::kLevelTable,
             "staleness,color,level,score,probability\n4,red,3,0.25,0.1\n5,red,1,2\n");
  const ReadRecords<LevelRow> read = read_level_table(temporary / layout::kLevelTable);
  ASSERT_EQ(read.records.size(), 1U);
  EXPECT_EQ(read.records[0].level, 3U);
  EXPECT_EQ(read.records[0].staleness, 4);
  EXPECT_FALSE(read.records[0].difficulty);
  EXPECT_EQ(read.problem,
            "levels.csv: 1 damaged line left out, the first is line 3 (4 cells, not 5)");
  write_text(temporary / layout::kLevelTable, "level,probability,score\n1,2,3\n");
  EXPECT_EQ(read_level_table(temporary / layout::kLevelTable).problem,
            "levels.csv: 1 damaged line left out, the first is line 2 (staleness is missing)");
}

TEST(IsFinished, NeedsAFinalEvaluationOfTheLastUpdate) {
  const LogRecord update = log_record();
  EvalRecord evaluation = eval_record();
  EXPECT_TRUE(is_finished(update, evaluation));
  evaluation.steps -= 1;  // resumed with more steps
  EXPECT_FALSE(is_finished(update, evaluation));
}

TEST(IsFinished, AcceptsRunsOfOlderVersionsWithoutTheFinalField) {
  const LogRecord update = log_record();
  EvalRecord evaluation = eval_record();
  evaluation.is_final = false;  // the list of returns tells
  EXPECT_TRUE(is_finished(update, evaluation));
  evaluation.test_returns.clear();
  EXPECT_FALSE(is_finished(update, evaluation));
}

TEST(RunSchema, IsWhatPythonReads) {
  EXPECT_EQ(read_text(PLR_RUN_SCHEMA), run_schema().dump(2) + "\n")
      << "the second text belongs into " << PLR_RUN_SCHEMA;
}

}  // namespace
}  // namespace plr::run
