#include "plr/report/paper_page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "plr/base/files.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

constexpr const char* kNumbers =
    "table,env,method,mean,deviation,runs\n"
    "2,procgen/bigfish,uniform,4.0,1.0,10\n"
    "2,procgen/bigfish,plr,8.0,2.0,10\n"
    "2,procgen/coinrun,uniform,8.0,0.5,10\n"
    "2,procgen/coinrun,plr,9.0,0.5,10\n"
    "2,Procgen (easy),uniform,100.0,5.0,10\n"
    "2,Procgen (easy),plr,130.0,5.0,10\n"
    "2,minigrid/MultiRoom-N4-Random,uniform,0.80,0.04,3\n";
constexpr const char* kSources =
    "table,envs,plan,planned,results\n"
    "2,Procgen (easy),procgen/easy,2,a b nowhere\n"
    "2,minigrid/MultiRoom-N4-Random,minigrid/multiroom,4,m\n";
constexpr const char* kColumns = "run,env,method,seed,behavior_version,finished,test_return\n";

// Writes the folder of experiments of the tests; `bigfish` and `coinrun` are rows of runs.csv.
void write_experiments(const std::filesystem::path& folder, const std::string& bigfish,
                       const std::string& coinrun) {
  for (const char* name : {"paper", "a", "b"}) make_directories(folder / name);
  write_text(folder / "paper" / "returns.csv", kNumbers);
  write_text(folder / "paper" / "sources.csv", kSources);
  write_text(folder / "a" / "runs.csv", kColumns + bigfish);
  write_text(folder / "b" / "runs.csv", kColumns + coinrun);
}

constexpr const char* kBigfish =
    "\"r\",procgen/bigfish,\"uniform\",1,1,1,3\n"
    "\"r\",procgen/bigfish,\"uniform\",2,1,1,5\n"
    "\"r\",procgen/bigfish,\"plr\",1,1,1,12\n"
    "\"r\",procgen/bigfish,\"plr\",2,1,0,40\n"              // not finished
    "\"r\",procgen/bigfish,\"plr, pool false\",2,1,1,40\n"  // another method
    "\"r\",procgen/bigfish-hard,\"plr\",2,1,1,40\n";        // another environment

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PaperPage, MeasuresDifferencesInStandardErrors) {
  // Variances of the means: 4 / 4 and 9 / 9; the difference is 3.
  EXPECT_NEAR(*difference_in_errors({4, 8, 2}, {9, 5, 3}), 3 / std::sqrt(2), 1e-12);
  // A single run has the paper's deviation: 9 + 9 / 9.
  EXPECT_NEAR(*difference_in_errors({1, 8, 0}, {9, 5, 3}), 3 / std::sqrt(10), 1e-12);
  EXPECT_FALSE(difference_in_errors({}, {9, 5, 3}));
  EXPECT_FALSE(difference_in_errors({1, 8, 0}, {9, 5, 0}));
}

TEST(PaperPage, PutsOurNumbersBesideThePapers) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfish, "");
  const std::string page = paper_page(temporary.path());
  EXPECT_TRUE(contains(page, "## Table 2, Procgen (easy)\n\n| | uniform | plr |\n")) << page;
  // uniform: 4 +- 1.4, the paper's mean. plr: one run, 4 above, error 2 * sqrt(1.1).
  EXPECT_TRUE(contains(page,
                       "| bigfish | 4.0 ± 1.0<br>4.0 ± 1.4<br>0.0 SE, 2 of 2 runs | 8.0 ± "
                       "2.0<br>12.0<br>+1.9 SE, 1 of 2 runs |\n"))
      << page;
  EXPECT_TRUE(contains(page, "\n| | uniform |\n|---|---|\n| MultiRoom-N4-Random | 0.80 ± 0.04"));
}

TEST(PaperPage, BeginsWithWhatIsMissing) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfish, "");
  const std::string page = paper_page(temporary.path());
  EXPECT_TRUE(
      contains(page,
               "**Missing here: 5 of the paper's 7 numbers.** From fewer runs than planned: "
               "1. From all planned\nruns: 1."))
      << page;
  EXPECT_TRUE(contains(page, "8.0 ± 0.5<br>missing<br>0 of 2 runs"));
  EXPECT_TRUE(contains(page, "130.0 ± 5.0<br>missing (1 of 2 environments)<br>1 of 4 runs |\n"));
}

TEST(PaperPage, ComputesRelativeReturnsIfAllEnvironmentsAreThere) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfish,
                    "\"r\",procgen/coinrun,\"uniform\",1,1,1,8\n"
                    "\"r\",procgen/coinrun,\"plr\",1,1,1,8\n");
  // bigfish 12 / 4, coinrun 8 / 8.
  EXPECT_TRUE(contains(paper_page(temporary.path()),
                       "| 130.0 ± 5.0<br>200.0<br>**+13.3 SE**, 2 of 4 runs |\n"));
}

TEST(PaperPage, MarksAndListsLargeDifferences) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), "\"r\",procgen/bigfish,\"plr\",1,1,1,14\n", "");
  const std::string page = paper_page(temporary.path());
  EXPECT_TRUE(contains(page, "14.0<br>**+2.9 SE**, 1 of 2 runs")) << page;
  EXPECT_TRUE(contains(page, "more than two standard errors from the paper (bold): 1."));
  EXPECT_TRUE(contains(page,
                       "- bigfish, plr: 14.0 against 8.0 ± 2.0 in the paper, +2.9 standard errors, "
                       "1 of 2 runs\n"));
}

TEST(PaperPage, RejectsARunThatTwoFoldersHave) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfish, "\"r\",procgen/bigfish,\"plr\",1,1,1,8\n");
  try {
    paper_page(temporary.path());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(contains(error.what(), "b/runs.csv: procgen/bigfish, plr, seed 1 is also in"))
        << error.what();
  }
}

TEST(PaperPage, WarnsIfBehaviorVersionsAreMixed) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfish, "\"r\",procgen/bigfish,\"plr\",5,2,1,8\n");
  EXPECT_TRUE(contains(paper_page(temporary.path()),
                       "Warning: behavior versions are mixed: bigfish (version 1: 3 runs, version "
                       "2: 1 run)."));
}

}  // namespace
}  // namespace plr::report
