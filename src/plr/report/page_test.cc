#include "plr/report/page.h"

#include <gtest/gtest.h>

#include "plr/report/runs_testing.h"
#include "tests/support/temporary_directory.h"

namespace plr::report {
namespace {

std::string make_page(const std::filesystem::path& folder, const PageOptions& options = {}) {
  const FoundRuns found = find_runs({folder});
  return html_page(found, analyze(found.runs), options);
}

TEST(Page, RefersToNoOtherFile) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}});
  const std::string page = make_page(temporary.path());
  EXPECT_EQ(page.find(" src=\"http"), std::string::npos);
  EXPECT_EQ(page.find(" href=\"http"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST(Page, ShowsTheMostAndTheLeastProbableLevels) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}});
  const std::string page = make_page(temporary.path());
  EXPECT_NE(page.find("level 7, 90 %"), std::string::npos);
  EXPECT_NE(page.find("level 3, 10 %"), std::string::npos);
}

TEST(Page, ListsUnreadableAndUnfinishedRuns) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}, .is_finished = false});
  write_run(temporary / "b", {.test = {}});
  const std::string page = make_page(temporary.path());
  EXPECT_NE(page.find("b has no records yet"), std::string::npos);
  EXPECT_NE(page.find("a: not finished, 200 of 200 steps"), std::string::npos);
}

TEST(Page, WarnsIfBehaviorVersionsAreMixed) {
  const TemporaryDirectory temporary;
  write_run(temporary / "a", {.test = {0.1, 0.5}});
  EXPECT_EQ(make_page(temporary.path()).find("behavior versions are mixed"), std::string::npos);
  write_run(temporary / "b", {.seed = 2, .test = {0.1, 0.5}, .behavior_version = 2});
  EXPECT_NE(make_page(temporary.path())
                .find("behavior versions are mixed: DoorKey-6x6 (version 1: 1 run, version 2: 1 "
                      "run)</li>"),
            std::string::npos);
}

TEST(Page, EscapesNamesOfRuns) {
  const TemporaryDirectory temporary;
  // A folder "<" with a folder "script><b>" in it.
  write_run(temporary / "</script><b>", {.test = {0.1, 0.5}});
  const std::string page = make_page(temporary.path(), {.title = "<b>"});
  std::size_t num_ends = 0;
  for (std::size_t at = 0; (at = page.find("</script>", at)) != std::string::npos; ++at) ++num_ends;
  EXPECT_EQ(num_ends, 3U);  // the data, the charting library and report.js
  EXPECT_NE(page.find("&lt;/script&gt;&lt;b&gt;"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;b&gt;</title>"), std::string::npos);
}

// Inside "<!--<script>", a browser ignores the next end of the script element.
TEST(Page, HasNoOtherElementInItsData) {
  const TemporaryDirectory temporary;
  write_run(temporary / "<!--<script>'", {.test = {0.1, 0.5}});
  const std::string page = make_page(temporary.path());
  const std::size_t begin = page.find("id=\"data\">");
  const std::string data = page.substr(begin, page.find("</script>", begin) - begin);
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_NE(data.find("\\u003c!--\\u003cscript>"), std::string::npos);
  EXPECT_NE(page.find("&lt;!--&lt;script&gt;&#39;"), std::string::npos);
}

}  // namespace
}  // namespace plr::report
