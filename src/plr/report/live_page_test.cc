#include "plr/report/live_page.h"

#include <gtest/gtest.h>

#include "plr/report/runs_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

LiveOptions options() {
  return {.page = {.title = "<runs>", .refresh_seconds = 2}, .max_share = 1};
}

TEST(LivePage, WaitsForTheFirstRecord) {
  const TemporaryDirectory temporary;
  LivePage page({temporary.path()}, options());
  const std::string waiting = page.newest().html;
  EXPECT_NE(waiting.find("Waiting for the first record"), std::string::npos);
  EXPECT_NE(waiting.find("holds no run"), std::string::npos);
  EXPECT_EQ(waiting.find("<runs>"), std::string::npos);
  write_run(temporary / "a", {.test = {0.1}});
  EXPECT_NE(page.newest().html.find("<meta name=\"plr-live\" content=\"2\">"), std::string::npos);
}

TEST(LivePage, IsMadeAgainOnlyIfAFileHasChanged) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1}});
  LivePage page({temporary.path()}, options());
  const std::string first = page.newest().etag;
  EXPECT_EQ(page.newest().etag, first);
  write_text(temporary / "a/unrelated.txt", "x");
  EXPECT_EQ(page.newest().etag, first);
  run::JsonLines log(temporary / "a" / run::layout::kLog);
  log.append(record_to_json(run::LogRecord{.update = 2, .steps = 1234500}));
  const LivePage::Version& second = page.newest();
  EXPECT_NE(second.etag, first);
  EXPECT_NE(second.html.find("1234500"), std::string::npos);
}

TEST(LivePage, FindsNewRuns) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1}});
  LivePage page({temporary.path()}, options());
  EXPECT_NE(page.newest().html.find("1 run, "), std::string::npos);
  write_run(temporary / "b", {.seed = 2, .test = {0.1}});
  EXPECT_NE(page.newest().html.find("2 runs, "), std::string::npos);
}

TEST(LivePage, AFileOfARunHasNoRefresh) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1}});
  const FoundRuns found = find_runs({temporary.path()});
  EXPECT_EQ(html_page(found, analyze(found.runs), {}).find("<meta name=\"plr-live\""),
            std::string::npos);
}

}  // namespace
}  // namespace plr::report
