// Tables read from CSV files such as those of csv_files.h.
//
// The first line has the names of the columns; cells may be in quotes and then have line breaks. Of
// columns with equal names the first counts.
//
//   const CsvTable runs(read_text(file), file.string());
//   runs.text(0, "method");
//
// Copyable; concurrent reads are safe. A look-up takes time linear in the number of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plr::report {

class CsvTable {
 public:
  // `source` names the file in messages. Throws std::runtime_error "SOURCE:LINE: what is wrong" if
  // a row has more or fewer cells than the first line.
  CsvTable(std::string_view text, std::string source);

  // "SOURCE:LINE" of a row, for messages.
  std::string place(std::size_t row) const;
  std::size_t num_rows() const { return rows_.size(); }  // without the first line

  // Throw std::runtime_error "SOURCE: no column NAME", and number() and integer() "SOURCE:LINE:
  // ..." if the cell is not one, or not finite. REQUIRES: `row` is below num_rows().
  const std::string& text(std::size_t row, std::string_view column) const;
  double number(std::size_t row, std::string_view column) const;
  std::int64_t integer(std::size_t row, std::string_view column) const;
  // The cells of the columns after `column`, by name.
  std::map<std::string, std::string> cells_after(std::size_t row, std::string_view column) const;

 private:
  struct Row {
    std::size_t line = 0;  // on which it begins, from 1 on
    std::vector<std::string> cells;
  };

  std::size_t index_of(std::string_view column) const;
  template <class Number>
  Number parse(std::size_t row, std::string_view column, std::string_view kind) const;

  std::string source_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace plr::report
