#include "plr/report/settings_table.h"

#include <gtest/gtest.h>

namespace plr::report {
namespace {

RunData run_of(const std::string& curriculum, const std::map<std::string, std::string>& further) {
  RunData run;
  run.settings = {{"env", "procgen/bigfish"}, {"curriculum", curriculum}, {"seed", "1"}};
  run.settings.insert(further.begin(), further.end());
  return run;
}

std::string table_of(const std::vector<RunData>& runs) {
  return settings_html(runs, analyze(runs));
}

TEST(SettingsTable, MarksDifferencesAndPutsThemFirst) {
  const std::string html = table_of({run_of("plr", {{"alpha", "1"}, {"steps", "5"}}),
                                     run_of("uniform", {{"alpha", "1"}, {"steps", "5"}})});
  EXPECT_NE(html.find("<tr class=\"differs\"><th scope=\"row\">curriculum</th><td>uniform</td>"
                      "<td>plr</td></tr>\n<tr class=\"same\"><th scope=\"row\">alpha</th>"),
            std::string::npos);
  EXPECT_EQ(html.find(">seed<"), std::string::npos);
}

TEST(SettingsTable, ListsAllSettingsOfOneRun) {
  const std::string html = table_of({run_of("plr", {{"note", "<b>"}, {"empty", ""}})});
  EXPECT_EQ(html.find("class=\"differs\""), std::string::npos);
  for (const char* row : {">env</th><td>procgen/bigfish<", ">note</th><td>&lt;b&gt;<",
                          ">empty</th><td>–<", ">curriculum</th><td>plr<"}) {
    EXPECT_NE(html.find(row), std::string::npos) << row;
  }
}

TEST(SettingsTable, ShortensALongListOfValues) {
  std::vector<RunData> runs;
  for (const char* threads : {"1", "2", "3", "4", "5"}) {
    runs.push_back(run_of("plr", {{"num_workers", threads}}));
  }
  EXPECT_NE(table_of(runs).find(">num_workers</th><td>1, 2, 3 more</td>"), std::string::npos);
}

}  // namespace
}  // namespace plr::report
