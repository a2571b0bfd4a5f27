#include "plr/maze/text_form.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "plr/base/files.h"

namespace plr::maze {
namespace {

constexpr std::string_view kAgents = ">v<^";  // by direction
constexpr std::string_view kNamePrefix = "name:";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Collects the lines of one level after another.
class LevelParser {
 public:
  explicit LevelParser(const std::string& source) : source_(source) {}

  std::vector<NamedLevel> parse(std::string_view text) {
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      ++line_;
      add(trimmed(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    finish_level();
    if (has_name_) fail(line_, "a name must be followed by the rows of its level");
    if (levels_.empty()) fail(std::max(line_, 1), "there is no level; give rows of # . G > v < ^");
    return std::move(levels_);
  }

 private:
  void add(std::string_view line) {
    if (line.empty()) return finish_level();
    if (!line.starts_with(kNamePrefix)) return add_row(line);
    if (!rows_.empty()) fail(line_, "a name must be before the rows of its level");
    if (has_name_) fail(line_, "a level must have one name, not two");
    name_ = trimmed(line.substr(kNamePrefix.size()));
    has_name_ = true;
  }

  void add_row(std::string_view row) {
    if (rows_.empty()) {
      first_row_ = line_;
    } else if (row.size() != rows_[0].size()) {
      fail(line_, "all rows of a level must have the same length, here " +
                      std::to_string(rows_[0].size()) + ", not " + std::to_string(row.size()));
    }
    check_side("width", row.size());
    check_side("height", rows_.size() + 1);
    rows_.push_back(row);
  }

  void check_side(const char* name, std::size_t side) const {
    if (side <= static_cast<std::size_t>(Walls::kMaxSide)) return;
    fail(line_, std::string("the ") + name + " of a level must be at most " +
                    std::to_string(Walls::kMaxSide) + ", not " + std::to_string(side));
  }

  void finish_level() {
    if (rows_.empty()) return;
    Level level;
    level.walls = Walls(static_cast<int>(rows_[0].size()), static_cast<int>(rows_.size()));
    std::optional<Position> goal;
    std::optional<Position> agent;
    for (int y = 0; y < level.height(); ++y) {
      for (int x = 0; x < level.width(); ++x) read_cell({x, y}, level, goal, agent);
    }
    if (!agent) fail(first_row_, "the level has no agent; put one of > v < ^");
    if (!goal) fail(first_row_, "the level has no goal; put a G");
    level.agent = *agent;
    level.goal = *goal;
    levels_.push_back({std::move(name_), level});
    name_.clear();
    has_name_ = false;
    rows_.clear();
  }

  void read_cell(Position p, Level& level, std::optional<Position>& goal,
                 std::optional<Position>& agent) const {
    const char c = rows_[static_cast<std::size_t>(p.y)][static_cast<std::size_t>(p.x)];
    const int line = first_row_ + p.y;
    if (c == '#') return level.walls.set(p, true);
    if (c == '.') return;
    if (c == 'G') {
      if (goal) fail(line, "a level must have one goal, not two");
      goal = p;
      return;
    }
    const std::size_t direction = kAgents.find(c);
    if (direction == kAgents.npos) {
      fail(line, std::string("a cell must be one of # . G > v < ^, not '") + c + "'");
    }
    if (agent) fail(line, "a level must have one agent, not two");
    agent = p;
    level.direction = static_cast<Direction>(direction);
  }

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw std::invalid_argument(source_ + ":" + std::to_string(line) + ": " + what);
  }

  const std::string& source_;
  int line_ = 0;  // of the text, from 1
  int first_row_ = 0;
  std::string name_;  // of the level that is being read
  bool has_name_ = false;
  std::vector<std::string_view> rows_;
  std::vector<NamedLevel> levels_;
};

}  // namespace

std::string draw(const Level& level, const State& state) {
  std::string text;
  for (int y = 0; y < level.height(); ++y) {
    for (int x = 0; x < level.width(); ++x) {
      const Position p = {x, y};
      text += p == state.agent    ? kAgents[static_cast<std::size_t>(state.direction)]
              : p == level.goal   ? 'G'
              : level.walls.at(p) ? '#'
                                  : '.';
    }
    text += '\n';
  }
  return text;
}

std::string draw(const Level& level) { return draw(level, start_of(level)); }

Level parse_level(std::string_view text) {
  const std::vector<NamedLevel> levels = parse_levels(text, "level");
  if (levels.size() != 1) {
    throw std::invalid_argument("level: there must be one level, not " +
                                std::to_string(levels.size()));
  }
  return levels[0].level;
}

std::vector<NamedLevel> parse_levels(std::string_view text, const std::string& source) {
  return LevelParser(source).parse(text);
}

std::vector<NamedLevel> read_levels(const std::string& path) {
  return parse_levels(read_text(path), path);
}

std::string to_text(const std::vector<NamedLevel>& levels) {
  std::string text;
  for (const NamedLevel& named : levels) {
    if (!text.empty()) text += '\n';
    if (!named.name.empty()) text += "name: " + named.name + "\n";
    text += draw(named.level);
  }
  return text;
}

}  // namespace plr::maze
