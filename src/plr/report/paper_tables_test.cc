#include "plr/report/paper_tables.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

namespace plr::report {
namespace {

constexpr const char* kRequest =
    "<!-- paper table: 2; uniform, plr; MiniGrid, Procgen (easy) -->\n";
constexpr const char* kEnd = "<!-- end of paper table -->\n";

ComparedNumber number(const std::string& env, const std::string& method, const Summary& paper,
                      const Summary& ours) {
  return {.paper = {.table = "2", .env = env, .method = method, .value = paper},
          .ours = ours,
          .made = ours.count};
}

// The numbers of one table of the paper; coinrun has no number of PLR.
PaperComparison comparison() {
  return {.numbers = {number("procgen/bigfish", "uniform", {10, 4, 1}, {2, 5, 1}),
                      number("procgen/bigfish", "plr", {10, 8, 2}, {1, 16, 0}),
                      number("procgen/coinrun", "uniform", {10, 8, 0.5}, {}),
                      number("Procgen (easy)", "uniform", {10, 100, 5}, {}),
                      number("Procgen (easy)", "plr", {10, 130, 5}, {}),
                      number("minigrid/MultiRoom-N4-Random", "uniform", {3, 0.8, 0.5}, {4, 1, 0.2}),
                      number("minigrid/MultiRoom-N4-Random", "plr", {3, 0.8, 0.5}, {4, 1, 0.2})},
          .versions = {}};
}

std::string current(const std::string& document) {
  return with_current_tables(document, "a.md", comparison());
}

std::string error_of(const std::string& document) {
  try {
    current(document);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(PaperTables, HaveTheRowsOfEachFamilyAndAPairOfColumnsForEachMethod) {
  EXPECT_EQ(
      current(std::string("above\n") + kRequest + kEnd + "below\n"),
      std::string("above\n") + kRequest +
          "\n"
          "| | paper: uniform | ours: uniform | paper: plr | ours: plr | runs |\n"
          "|---|---:|---:|---:|---:|---:|\n"
          "| MultiRoom-N4-Random | 0.8 ± 0.5 | 1.0 ± 0.2 | 0.8 ± 0.5 | 1.0 ± 0.2 | 4, 4 |\n"
          "| bigfish | 4.0 ± 1.0 | 5.0 ± 1.0 | 8.0 ± 2.0 | **16.0** | 2, 1 |\n"
          "| coinrun | 8.0 ± 0.5 | - | - | - | 0, - |\n"
          "| Procgen (easy), relative to uniform (%) | 100.0 ± 5.0 | - | 130.0 ± 5.0 | - | 0, 0 |\n"
          "\n" +
          kEnd + "below\n");
}

TEST(PaperTables, ReplaceOldTablesAndNothingElse) {
  const std::string one = std::string("<!-- paper table: 2; plr; MiniGrid -->\n") + kEnd;
  const std::string document =
      current("# Title\n\n" + one + "text\n" + one + "no newline at the end");
  EXPECT_EQ(current(document), document);
  std::string old = document;
  old.replace(old.find("1.0 ± 0.2"), 1, "7");
  EXPECT_NE(old, document);
  EXPECT_EQ(current(old), document);
}

TEST(PaperTables, RefuseWrongCommentsAndNameTheirLine) {
  const std::string request = kRequest;
  const std::string other = "\n<!-- paper table: 2; ucb; MiniGrid -->\n";
  const std::string example = "the comment must be like " + request.substr(0, request.size() - 1);
  for (const auto& [document, message] : {
           std::pair<std::string, std::string>{
               "text\n", "a.md: it has no paper table; mark its place by two lines, " +
                             request.substr(0, request.size() - 1) +
                             " and <!-- end of paper table -->"},
           {"\n" + request + "text\n",
            "a.md:2: the paper table has no end; it is <!-- end of paper table -->"},
           {request + "text\n" + request + kEnd,
            "a.md:1: the paper table has no end; it is <!-- end of paper table -->"},
           {std::string("\n\n") + kEnd, "a.md:3: no paper table begins above this end"},
           {other + kEnd, "a.md:2: table 2 of the paper has no 'ucb' of 'MiniGrid'"},
           {"<!-- paper table: 4; plr; MiniGrid -->\n",
            "a.md:1: table 4 of the paper has no 'plr' of 'MiniGrid'"},
           {"<!-- paper table: 2; plr -->\n", "a.md:1: " + example},
           {"<!-- paper table: 2; plr; MiniGrid\n", "a.md:1: " + example},
           {"<!-- paper table:-->\n", "a.md:1: " + example},
       }) {
    EXPECT_EQ(error_of(document), message);
  }
}

}  // namespace
}  // namespace plr::report
