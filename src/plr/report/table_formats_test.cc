#include "plr/report/table_formats.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plr::report {
namespace {

Table example() {
  Cell best{.text = "", .value = {10, 14.32, 2.14}, .is_bold = true, .has_star = true};
  Cell other{.text = "", .value = {10, 3.7, 1.2}};
  return {.id = "returns",
          .title = "Test return",
          .note = "A note.",
          .columns = {"uniform", "ucb-drac+plr", "a_b"},
          .rows = {{.name = "100% <big>", .cells = {other, best, Cell{}}, .decimals = 1}}};
}

TEST(TableFormats, MarkdownHasBoldAndStars) {
  EXPECT_EQ(to_markdown(example()),
            "| | uniform | ucb-drac+plr | a_b |\n"
            "|---|---:|---:|---:|\n"
            "| 100% <big> | 3.7 ± 1.2 | **14.3 ± 2.1** ★ | - |\n"
            "\nA note.\n");
}

TEST(TableFormats, LatexEscapesSpecialCharacters) {
  const std::string latex = to_latex(example());
  EXPECT_NE(latex.find("a\\_b"), std::string::npos) << latex;
  EXPECT_NE(
      latex.find("100\\% <big> & $3.7\\pm1.2$ & $\\mathbf{14.3\\pm2.1}^{\\star}$ & -- \\\\\n"),
      std::string::npos)
      << latex;
}

TEST(TableFormats, CsvHasAllDigits) {
  EXPECT_EQ(to_csv(example()),
            "name,column,mean,deviation,runs,text,bold,star,triangle\n"
            "\"100% <big>\",\"uniform\",3.7,1.2,10,\"\",0,0,0\n"
            "\"100% <big>\",\"ucb-drac+plr\",14.32,2.14,10,\"\",1,1,0\n"
            "\"100% <big>\",\"a_b\",,,0,\"\",0,0,0\n");
}

TEST(TableFormats, HtmlEscapesSpecialCharacters) {
  const std::string html = to_html(example());
  EXPECT_NE(html.find("100% &lt;big&gt;"), std::string::npos) << html;
  EXPECT_NE(html.find("<b>14.3 ± 2.1</b><sup> ★</sup>"), std::string::npos) << html;
}

TEST(TableFormats, ASingleRunHasNoDeviation) {
  Table table = example();
  table.rows[0].cells[0].value = {1, 3.7, 0};
  EXPECT_NE(to_markdown(table).find("| 3.7 |"), std::string::npos);
  EXPECT_NE(to_csv(table).find("\"uniform\",3.7,,1,"), std::string::npos);
  table.rows[0].cells[0].value = {2, std::nan(""), std::nan("")};
  EXPECT_NE(to_csv(table).find("\"uniform\",,,2,"), std::string::npos);
}

}  // namespace
}  // namespace plr::report
