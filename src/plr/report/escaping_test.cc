#include "plr/report/escaping.h"

#include <gtest/gtest.h>

namespace plr::report {
namespace {

TEST(Escaping, HtmlReplacesSpecialCharactersByEntities) {
  EXPECT_EQ(html_escaped("<a href=\"b\"> & 'c'"), "&lt;a href=&quot;b&quot;&gt; &amp; &#39;c&#39;");
}

TEST(Escaping, LatexPutsABackslashBeforeSpecialCharacters) {
  EXPECT_EQ(latex_escaped("a_b: 100%"), "a\\_b: 100\\%");
}

TEST(Escaping, MarkdownPutsABackslashBeforePipes) { EXPECT_EQ(markdown_escaped("a|b"), "a\\|b"); }

TEST(Escaping, CsvQuotesTextAndDoublesItsQuotes) {
  EXPECT_EQ(csv_quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
}

}  // namespace
}  // namespace plr::report
