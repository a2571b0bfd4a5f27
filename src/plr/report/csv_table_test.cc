#include "plr/report/csv_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "plr/report/escaping.h"

namespace plr::report {
namespace {

std::string message_of(const auto& act) {
  try {
    act();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(CsvTable, ReadsCellsByTheirColumn) {
  const CsvTable table("a,b,a\n1,x,3\n-2.5,y,4\n", "t.csv");
  ASSERT_EQ(table.num_rows(), 2U);
  EXPECT_EQ(table.text(0, "b"), "x");
  EXPECT_EQ(table.number(1, "a"), -2.5);
  EXPECT_EQ(table.integer(0, "a"), 1);
}

TEST(CsvTable, ReadsQuotedCells) {
  const std::string name = "plr, \"fast\", steps 50M";
  const CsvTable table("method,seed\n" + csv_quoted(name) + ",1\r\n\"\",2", "t.csv");
  EXPECT_EQ(table.text(0, "method"), name);
  EXPECT_EQ(table.text(0, "seed"), "1");
  EXPECT_EQ(table.text(1, "method"), "");
}

TEST(CsvTable, ReadsCellsWithLineBreaks) {
  const CsvTable table("a,b\n" + csv_cell("x\n\ny, z") + "," + csv_cell("plain") + "\n2,3\n",
                       "t.csv");
  ASSERT_EQ(table.num_rows(), 2U);
  EXPECT_EQ(table.text(0, "a"), "x\n\ny, z");
  EXPECT_EQ(table.text(0, "b"), "plain");
  EXPECT_EQ(table.place(1), "t.csv:5");
  EXPECT_EQ(csv_cell("plain"), "plain");
}

TEST(CsvTable, HasTheCellsAfterAColumn) {
  const CsvTable table("a,b,a,c\n1,2,3,4\n", "t.csv");
  EXPECT_EQ(table.cells_after(0, "b"),
            (std::map<std::string, std::string>{{"a", "3"}, {"c", "4"}}));
  EXPECT_TRUE(table.cells_after(0, "c").empty());
  EXPECT_EQ(message_of([&] { table.cells_after(0, "e"); }), "t.csv: no column e");
}

TEST(CsvTable, NamesFileAndLineOfAnError) {
  EXPECT_EQ(message_of([] { CsvTable("a,b\n1,2\n3\n", "t.csv"); }), "t.csv:3: 1 cells, not 2");
  EXPECT_EQ(message_of([] { CsvTable("a,b\n1,2\n\"3,4\n5,6\n", "t.csv"); }),
            "t.csv:3: 1 cells, not 2");  // the quote has no end
  const CsvTable table("a,b\n1,x\n", "t.csv");
  EXPECT_EQ(message_of([&] { table.text(0, "c"); }), "t.csv: no column c");
  EXPECT_EQ(message_of([&] { table.number(0, "b"); }), "t.csv:2: b must be a number, not 'x'");
  for (const char* cell : {"nan", "-inf", "1e400", ""}) {
    const CsvTable odd(std::string("a,b\n1,") + cell + "\n", "t.csv");
    EXPECT_EQ(message_of([&] { odd.number(0, "b"); }),
              std::string("t.csv:2: b must be a number, not '") + cell + "'");
  }
  const CsvTable large("a,b\n1.5,1e300\n", "t.csv");
  EXPECT_EQ(message_of([&] { large.integer(0, "a"); }),
            "t.csv:2: a must be a whole number, not '1.5'");
  EXPECT_EQ(message_of([&] { large.integer(0, "b"); }),
            "t.csv:2: b must be a whole number, not '1e300'");
}

}  // namespace
}  // namespace plr::report
