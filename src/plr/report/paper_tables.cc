#include "plr/report/paper_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace plr::report {
namespace {

constexpr std::string_view kBegin = "<!-- paper table:";
constexpr std::string_view kEnd = "<!-- end of paper table -->";
constexpr std::string_view kClose = "-->";
constexpr const char* kExample = "<!-- paper table: 2; uniform, plr; MiniGrid, Procgen (easy) -->";

// What the first comment of a table says.
struct TableRequest {
  std::string table;
  std::vector<std::string> methods;
  std::vector<std::string> families;
};

// The parts of a text between separators, without spaces around them.
std::vector<std::string> parts(std::string_view text, char separator) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    list.emplace_back(part);
    begin = end + 1;
  }
  return list;
}

// Throws std::invalid_argument, without the place, if the comment is wrong.
TableRequest parse_request(std::string_view line, const PaperComparison& comparison) {
  const bool is_closed = line.ends_with(kClose);
  const std::vector<std::string> fields = parts(
      line.substr(0, line.size() - (is_closed ? kClose.size() : 0)).substr(kBegin.size()), ';');
  constexpr std::size_t kNumFields = 3;
  if (!is_closed || fields.size() != kNumFields) {
    throw std::invalid_argument(fmt::format("the comment must be like {}", kExample));
  }
  TableRequest request{fields[0], parts(fields[1], ','), parts(fields[2], ',')};
  for (const std::string& family : request.families) {
    for (const std::string& method : request.methods) {
      const auto is_found = [&](const ComparedNumber& c) {
        return c.paper.table == request.table && c.family() == family && c.paper.method == method;
      };
      if (std::ranges::any_of(comparison.numbers, is_found)) continue;
      throw std::invalid_argument(
          fmt::format("table {} of the paper has no '{}' of '{}'", request.table, method, family));
    }
  }
  return request;
}

std::string rows_of(const std::string& family, const TableRequest& request,
                    const PaperComparison& comparison) {
  const auto find = [&](const std::string& env, const std::string& method) {
    return std::ranges::find_if(comparison.numbers, [&](const ComparedNumber& c) {
      return c.paper.table == request.table && c.paper.env == env && c.paper.method == method;
    });
  };
  std::string text;
  for (const ComparedNumber& first : comparison.numbers) {  // one row for each of the first method
    if (first.paper.table != request.table || first.family() != family ||
        first.paper.method != request.methods.front()) {
      continue;
    }
    text += "| " + (first.is_of_family() ? family + ", " : "") + first.name();
    std::string runs;
    for (const std::string& method : request.methods) {
      const auto c = find(first.paper.env, method);
      if (c == comparison.numbers.end()) {
        text += " | - | -";
        runs += runs.empty() ? "-" : ", -";
        continue;
      }
      const std::string bold = c->is_marked() ? "**" : "";
      text +=
          " | " + c->paper_text() + " | " + (c->is_missing() ? "-" : bold + c->our_text() + bold);
      runs += (runs.empty() ? "" : ", ") + fmt::to_string(c->made);
    }
    text += " | " + runs + " |\n";
  }
  return text;
}

std::string table_text(const TableRequest& request, const PaperComparison& comparison) {
  std::string text = "| |";
  std::string rule = "|---|";
  for (const std::string& method : request.methods) {
    text += fmt::format(" paper: {0} | ours: {0} |", method);
    rule += "---:|---:|";
  }
  text += " runs |\n" + rule + "---:|\n";
  for (const std::string& family : request.families) text += rows_of(family, request, comparison);
  return text;
}

}  // namespace

std::string with_current_tables(std::string_view document, const std::string& source,
                                const PaperComparison& comparison) {
  std::string text;
  bool has_table = false;
  std::size_t begin_line = 0;  // of the table that is replaced; 0: none
  std::size_t number = 0;
  const auto fail = [&](std::size_t line, const std::string& what) {
    throw std::runtime_error(fmt::format("{}:{}: {}", source, line, what));
  };
  const auto require_end = [&] {
    if (begin_line == 0) return;
    fail(begin_line, fmt::format("the paper table has no end; it is {}", kEnd));
  };
  for (std::size_t begin = 0; begin < document.size();) {
    const std::size_t end = std::min(document.find('\n', begin), document.size());
    const std::string_view line = document.substr(begin, end - begin);
    const std::string_view whole = document.substr(begin, end + 1 - begin);  // with its newline
    begin = end + 1;
    ++number;
    if (line == kEnd) {
      if (begin_line == 0) fail(number, "no paper table begins above this end");
      begin_line = 0;
    } else if (line.starts_with(kBegin)) {
      require_end();
      text += whole;
      try {
        text += "\n" + table_text(parse_request(line, comparison), comparison) + "\n";
      } catch (const std::invalid_argument& error) {
        fail(number, error.what());
      }
      has_table = true;
      begin_line = number;
      continue;
    } else if (begin_line != 0) {
      continue;  // the old table
    }
    text += whole;
  }
  require_end();
  if (!has_table) {
    throw std::runtime_error(
        fmt::format("{}: it has no paper table; mark its place by two lines, {} and {}", source,
                    kExample, kEnd));
  }
  return text;
}

}  // namespace plr::report
