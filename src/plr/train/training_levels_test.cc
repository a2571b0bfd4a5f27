#include "plr/train/training_levels.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

namespace plr::train {
namespace {

EnvSpec spec() {
  EnvSpec spec;
  spec.name = "test/env";
  spec.last_level = 9'999;
  spec.full_distribution = LevelSet::stream(0, 10'000);
  return spec;
}

std::string complaint_about(const std::string& text) {
  return invalid_argument_of([&] { training_levels(text, spec()); });
}

TEST(TrainingLevels, AreANumberARangeOrTheFullDistribution) {
  EXPECT_EQ(training_levels("200", spec())[199], 199U);
  const LevelSet range = training_levels("100-299", spec());
  EXPECT_EQ(range.size(), 200U);
  EXPECT_EQ(range[0], 100U);
  EXPECT_TRUE(training_levels("full", spec()).is_stream());
}

TEST(TrainingLevels, AreReadFromAFile) {
  const TemporaryDirectory folder;
  const auto path = folder / "ids.txt";
  std::ofstream(path) << "7\n\n3\r\n42\n";
  const LevelSet levels = training_levels(path.string(), spec());
  EXPECT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[1], 3U);
  std::ofstream(path) << "7\nseven\n";
  EXPECT_NE(complaint_about(path.string()).find("line 2"), std::string::npos);
}

TEST(TrainingLevels, NameTheInvalidTextOrLine) {
  EXPECT_EQ(complaint_about("300-299"), "levels: the range 300-299 ends before it begins");
  EXPECT_EQ(complaint_about("9999-10000"), "levels: test/env has levels up to 9999, not 10000");
  EXPECT_EQ(complaint_about("0"), "levels: the set is empty; give at least one level");
  EXPECT_NE(complaint_about("no such file").find("there is no file"), std::string::npos);
}

TEST(TestLevels, MustExist) {
  Random random = Streams(1).named("test");
  const auto complaint = [&](const LevelSet& training) {
    return invalid_argument_of([&] { test_levels(spec(), training, 1, random); });
  };
  const std::string expected =
      "levels: the training set has all 10000 levels of test/env, and none is left for "
      "evaluations; "
      "name fewer levels, or another environment by test_env";
  EXPECT_EQ(complaint(LevelSet::range(0, 10'000)), expected);
  EXPECT_EQ(complaint(LevelSet::range(0, 20'000)), expected);
  EXPECT_EQ(test_levels(spec(), LevelSet::range(1, 20'000), 3, random),
            (std::vector<LevelId>{0, 0, 0}));
  EXPECT_EQ(test_levels(spec(), spec().full_distribution, 3, random).size(), 3U);
}

TEST(TestLevels, ExcludeTheTrainingSet) {
  Random random = Streams(1).named("test");
  const LevelSet training = LevelSet::range(0, 9'000);
  const auto test = test_levels(spec(), training, 500, random);
  EXPECT_EQ(test.size(), 500U);
  for (const LevelId level : test) EXPECT_GE(level, 9'000U);
  for (const LevelId level : sample_levels(training, 500, random)) EXPECT_LT(level, 9'000U);
}

}  // namespace
}  // namespace plr::train
