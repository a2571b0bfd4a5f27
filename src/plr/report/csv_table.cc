#include "plr/report/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace plr::report {
namespace {

// Takes the cells of the first row from the text. A cell in quotes may have line breaks.
std::vector<std::string> take_row(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (is_quoted || text[i] != '\n'); ++i) {
    const char c = text[i];
    if (c == '"' && is_quoted && i + 1 < text.size() && text[i + 1] == '"') {
      cells.back() += text[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return cells;
}

}  // namespace

CsvTable::CsvTable(std::string_view text, std::string source) : source_(std::move(source)) {
  std::size_t next_line = 1;
  while (!text.empty()) {
    const std::size_t line = next_line;
    const std::string_view rest = text;
    std::vector<std::string> cells = take_row(text);
    const std::string_view row = rest.substr(0, rest.size() - text.size());
    next_line += static_cast<std::size_t>(std::ranges::count(row, '\n'));
    if (line == 1) {
      columns_ = std::move(cells);
      continue;
    }
    if (cells.size() != columns_.size()) {
      throw std::runtime_error(
          fmt::format("{}:{}: {} cells, not {}", source_, line, cells.size(), columns_.size()));
    }
    rows_.push_back({line, std::move(cells)});
  }
}

std::size_t CsvTable::index_of(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) {
    throw std::runtime_error(fmt::format("{}: no column {}", source_, column));
  }
  return static_cast<std::size_t>(found - columns_.begin());
}

std::string CsvTable::place(std::size_t row) const {
  return fmt::format("{}:{}", source_, rows_[row].line);
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
  return rows_[row].cells[index_of(column)];
}

template <class Number>
Number CsvTable::parse(std::size_t row, std::string_view column, std::string_view kind) const {
  const std::string& cell = text(row, column);
  Number value = 0;
  const char* end = cell.data() + cell.size();
  const auto parsed = std::from_chars(cell.data(), end, value);
  bool is_valid = parsed.ec == std::errc() && parsed.ptr == end;
  if constexpr (std::is_floating_point_v<Number>) is_valid = is_valid && std::isfinite(value);
  if (!is_valid) {
    throw std::runtime_error(
        fmt::format("{}: {} must be {}, not '{}'", place(row), column, kind, cell));
  }
  return value;
}

double CsvTable::number(std::size_t row, std::string_view column) const {
  return parse<double>(row, column, "a number");
}

std::int64_t CsvTable::integer(std::size_t row, std::string_view column) const {
  return parse<std::int64_t>(row, column, "a whole number");
}

std::map<std::string, std::string> CsvTable::cells_after(std::size_t row,
                                                         std::string_view column) const {
  std::map<std::string, std::string> cells;
  for (std::size_t i = index_of(column) + 1; i < columns_.size(); ++i) {
    cells.emplace(columns_[i], rows_[row].cells[i]);
  }
  return cells;
}

}  // namespace plr::report
