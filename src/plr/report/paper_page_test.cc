#include "plr/report/paper_page.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "plr/report/paper_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string page_of(const std::filesystem::path& experiments) {
  return paper_page(compare_with_paper(experiments));
}

TEST(PaperPage, PutsOurNumbersBesideThePapers) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfishRuns, "");
  const std::string page = page_of(temporary.path());
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
  write_experiments(temporary.path(), kBigfishRuns, "");
  const std::string page = page_of(temporary.path());
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
  write_experiments(temporary.path(), kBigfishRuns,
                    "\"r\",procgen/coinrun,\"uniform\",1,1,1,8\n"
                    "\"r\",procgen/coinrun,\"plr\",1,1,1,8\n");
  // bigfish 12 / 4, coinrun 8 / 8.
  EXPECT_TRUE(contains(page_of(temporary.path()),
                       "| 130.0 ± 5.0<br>200.0<br>**+13.3 SE**, 2 of 4 runs |\n"));
}

TEST(PaperPage, MarksAndListsLargeDifferences) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), "\"r\",procgen/bigfish,\"plr\",1,1,1,14\n", "");
  const std::string page = page_of(temporary.path());
  EXPECT_TRUE(contains(page, "14.0<br>**+2.9 SE**, 1 of 2 runs")) << page;
  EXPECT_TRUE(contains(page, "more than two standard errors from the paper (bold): 1."));
  EXPECT_TRUE(contains(page,
                       "- bigfish, plr: 14.0 against 8.0 ± 2.0 in the paper, +2.9 standard errors, "
                       "1 of 2 runs\n"));
}

TEST(PaperPage, WarnsIfBehaviorVersionsAreMixed) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfishRuns, "\"r\",procgen/bigfish,\"plr\",5,2,1,8\n");
  EXPECT_TRUE(contains(page_of(temporary.path()),
                       "Warning: behavior versions are mixed: bigfish (version 1: 3 runs, version "
                       "2: 1 run)."));
}

}  // namespace
}  // namespace plr::report
