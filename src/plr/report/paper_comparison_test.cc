#include "plr/report/paper_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "plr/report/paper_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

TEST(PaperComparison, MeasuresDifferencesInStandardErrors) {
  // Variances of the means: 4 / 4 and 9 / 9; the difference is 3.
  EXPECT_NEAR(*difference_in_errors({4, 8, 2}, {9, 5, 3}), 3 / std::sqrt(2), 1e-12);
  // A single run has the paper's deviation: 9 + 9 / 9.
  EXPECT_NEAR(*difference_in_errors({1, 8, 0}, {9, 5, 3}), 3 / std::sqrt(10), 1e-12);
  EXPECT_FALSE(difference_in_errors({}, {9, 5, 3}));
  EXPECT_FALSE(difference_in_errors({1, 8, 0}, {9, 5, 0}));
}

TEST(PaperComparison, NamesFinishedRunsThatItLeavesOut) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfishRuns, "");
  EXPECT_EQ(compare_with_paper(temporary.path()).left_out,
            (std::vector<std::string>{"1 finished run of 'plr, pool false' in " +
                                      (temporary / "a/runs.csv").string() +
                                      ": table 2 of the paper has no such method"}));
}

TEST(PaperComparison, RejectsARunThatTwoFoldersHave) {
  const TemporaryDirectory temporary;
  write_experiments(temporary.path(), kBigfishRuns, "\"r\",procgen/bigfish,\"plr\",1,1,1,8\n");
  try {
    compare_with_paper(temporary.path());
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("b/runs.csv: procgen/bigfish, plr, seed 1 is also in"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace plr::report
