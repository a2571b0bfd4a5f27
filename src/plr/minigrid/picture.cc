#include "plr/minigrid/picture.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "plr/minigrid/text.h"

namespace plr::minigrid {
namespace {

// Indexed by Direction and by Color.
constexpr std::string_view kAgents = ">v<^";
constexpr std::string_view kKeys = "rnbpye";
constexpr std::string_view kLockedDoors = "RNBPYE";

// The cell of a character other than the agent's.
Cell parse_cell(char c) {
  if (const auto i = kKeys.find(c); i != kKeys.npos) return key(static_cast<Color>(i));
  if (const auto i = kLockedDoors.find(c); i != kLockedDoors.npos) {
    return door(static_cast<Color>(i), DoorState::kLocked);
  }
  switch (c) {
    case ' ':
      return kEmptyCell;
    case '#':
      return kWallCell;
    case '.':
      return {Kind::kFloor, Color::kBlue};
    case '_':
      return door(Color::kRed, DoorState::kOpen);
    case '+':
      return door(Color::kRed, DoorState::kClosed);
    case 'o':
      return ball(Color::kBlue);
    case '?':
      return box(Color::kGrey);
    case 'G':
      return kGoalCell;
    case '~':
      return kLavaCell;
    default:
      throw std::invalid_argument(text("picture: unknown character '", c, "'"));
  }
}

std::vector<std::string_view> split_lines(std::string_view picture) {
  std::vector<std::string_view> lines;
  while (!picture.empty()) {
    const std::size_t end = std::min(picture.find('\n'), picture.size());
    lines.push_back(picture.substr(0, end));
    picture.remove_prefix(std::min(end + 1, picture.size()));
    if (lines.back().size() != lines.front().size()) {
      throw std::invalid_argument(text("picture: line ", lines.size(), " has ", lines.back().size(),
                                       " characters, the first has ", lines.front().size()));
    }
  }
  return lines;
}

void check_size(std::size_t width, std::size_t height) {
  if (width < 3 || height < 3 || width > Grid::kMaxSide || height > Grid::kMaxSide) {
    throw std::invalid_argument(
        text("picture: sides must be 3..", Grid::kMaxSide, ", not ", width, " x ", height));
  }
}

bool is_outermost(const Grid& grid, Position p) {
  return p.x == 0 || p.y == 0 || p.x == grid.width() - 1 || p.y == grid.height() - 1;
}

}  // namespace

char letter(Cell cell) {
  switch (cell.kind) {
    case Kind::kUnseen:
      return ':';
    case Kind::kEmpty:
      return ' ';
    case Kind::kWall:
      return '#';
    case Kind::kFloor:
      return '.';
    case Kind::kDoor:
      if (cell == door(cell.color, DoorState::kLocked)) {
        return kLockedDoors[static_cast<std::size_t>(cell.color)];
      }
      return cell.is_open_door() ? '_' : '+';
    case Kind::kKey:
      return kKeys[static_cast<std::size_t>(cell.color)];
    case Kind::kBall:
      return 'o';
    case Kind::kBox:
      return '?';
    case Kind::kGoal:
      return 'G';
    case Kind::kLava:
      return '~';
    case Kind::kAgent:
      return kAgents[cell.state];
  }
  return ' ';
}

std::string draw(const State& state) {
  std::string picture;
  for (int y = 0; y < state.grid.height(); ++y) {
    for (int x = 0; x < state.grid.width(); ++x) {
      const bool here = state.agent == Position{x, y};
      picture +=
          here ? kAgents[static_cast<std::size_t>(state.direction)] : letter(state.grid.at({x, y}));
    }
    picture += '\n';
  }
  return picture;
}

Level parse_level(std::string_view picture) {
  const std::vector<std::string_view> lines = split_lines(picture);
  const std::size_t width = lines.empty() ? 0 : lines.front().size();
  check_size(width, lines.size());
  Level level;
  State& state = level.start;
  state.grid = Grid(static_cast<int>(width), static_cast<int>(lines.size()));
  int num_agents = 0;
  for (int y = 0; y < state.grid.height(); ++y) {
    for (int x = 0; x < state.grid.width(); ++x) {
      const Position p = {x, y};
      const char c = lines[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
      if (is_outermost(state.grid, p) && c != '#') {
        throw std::invalid_argument(text("picture: outermost cells must be walls, not '", c, "'"));
      }
      if (const auto direction = kAgents.find(c); direction != kAgents.npos) {
        state.agent = p;
        state.direction = static_cast<Direction>(direction);
        ++num_agents;
      } else {
        state.grid.set(p, parse_cell(c));
      }
    }
  }
  if (num_agents != 1) {
    throw std::invalid_argument(text("picture: there must be one agent, not ", num_agents));
  }
  return level;
}

}  // namespace plr::minigrid
