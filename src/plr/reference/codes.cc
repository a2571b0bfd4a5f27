#include "plr/reference/codes.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "plr/reference/algorithm_text.h"

namespace plr::reference {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The cells of a table's line "| a | b |"; empty if it is none.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("|")) return cells;
  bool is_code = false;  // a | between backticks belongs to the cell
  std::string cell;
  for (const char c : line.substr(1)) {
    if (c == '`') is_code = !is_code;
    if (c != '|' || is_code) {
      cell += c;
      continue;
    }
    cells.push_back(trimmed(cell));
    cell.clear();
  }
  return cells;
}

// "D12, D13" of a first cell such as `<a id="d12"></a>D12, D13`; empty if it has no code.
std::string code_name(const std::string& cell) {
  static const std::regex tag("<[^>]*>");
  static const std::regex name("[DEF][0-9]+(, [DEF][0-9]+)*");
  const std::string text = std::regex_replace(cell, tag, "");
  return std::regex_match(text, name) ? text : "";
}

}  // namespace

std::vector<Code> codes() {
  std::vector<Code> found;
  std::vector<std::string> headings;
  std::istringstream lines{std::string(kAlgorithmText)};
  std::vector<std::string> last;
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (line.starts_with("|---")) headings = last;
    last = cells;
    if (cells.size() != headings.size() || cells.empty()) continue;
    const std::string name = code_name(cells[0]);
    if (name.empty()) continue;
    Code& code = found.emplace_back(Code{name, {}});
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (!cells[i].empty()) code.cells.push_back({headings[i], cells[i]});
    }
  }
  return found;
}

std::optional<Code> find_code(std::string_view name) {
  const std::string wanted = ", " + std::string(name) + ",";
  for (const Code& code : codes()) {
    if ((", " + code.name + ",").find(wanted) != std::string::npos) return code;
  }
  return std::nullopt;
}

std::string linked_codes(std::string_view text) {
  static const std::regex word("\\b[DEF][0-9]+\\b");
  std::string linked;
  const std::string all(text);
  auto rest = all.begin();
  for (std::sregex_iterator match(all.begin(), all.end(), word), end; match != end; ++match) {
    const std::string name = match->str();
    linked.append(rest, all.begin() + match->position());
    rest = all.begin() + match->position() + match->length();
    if (!find_code(name)) {
      linked += name;
      continue;
    }
    std::string anchor = name;
    std::ranges::transform(anchor, anchor.begin(), [](unsigned char c) { return std::tolower(c); });
    linked += "[" + name + "](../algorithm.md#" + anchor + ")";
  }
  return linked.append(rest, all.end());
}

}  // namespace plr::reference
