// The codes D1, D2, ... F14 of docs/algorithm.md, by which help texts refer to the differences
// between the paper and the released code.
//
//   const std::optional<Code> code = find_code("D6");
//   code->cells[0].text;          // "episodes across rollouts"
//   linked_codes("pieces (D6)");  // "pieces ([D6](../algorithm.md#d6))"
//
// Copyable values; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plr::reference {

struct Code {
  struct Cell {
    std::string heading;
    std::string text;
  };
  std::string name;         // "D6", or "D12, D13" where codes share a row
  std::vector<Cell> cells;  // the row of the table; empty ones are left out
};

// All rows of the tables whose first cell is one or more codes.
std::vector<Code> codes();

// The row of this code; nothing if there is none.
std::optional<Code> find_code(std::string_view name);

// The text with every code as a link to its row, seen from docs/reference/.
std::string linked_codes(std::string_view text);

}  // namespace plr::reference
