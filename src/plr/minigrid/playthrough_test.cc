// Recorded episodes in readable text, so that a changed rule appears as a readable diff.
//
// tests/golden/playthroughs/README.md describes the files and how to rewrite them.
#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plr/minigrid/picture.h"
#include "plr/minigrid/step.h"
#include "plr/minigrid/tasks.h"
#include "tests/support/golden.h"

namespace plr::minigrid {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, kNumActions> kActionNames = {
    "left", "right", "forward", "pickup", "drop", "toggle", "done"};

struct Playthrough {
  std::string task;
  std::uint64_t seed = 0;
  std::vector<Action> actions;
};

Action parse_action(const std::string& name) {
  for (std::size_t i = 0; i < kActionNames.size(); ++i) {
    if (kActionNames[i] == name) return static_cast<Action>(i);
  }
  throw std::runtime_error("unknown action '" + name + "'");
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Reads the first three lines: task, seed, actions.
Playthrough parse(const std::string& text) {
  std::istringstream lines(text);
  const auto value = [&](const std::string& field) {
    std::string line;
    std::getline(lines, line);
    if (!line.starts_with(field + ": ")) throw std::runtime_error("missing line '" + field + "'");
    return line.substr(field.size() + 2);
  };
  Playthrough playthrough;
  playthrough.task = value("task");
  playthrough.seed = std::stoull(value("seed"));
  std::istringstream words(value("actions"));
  for (std::string word; words >> word;) playthrough.actions.push_back(parse_action(word));
  return playthrough;
}

// The shortest decimal number that is read as the same double.
std::string shortest(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

// " carries yellow key, reward 0.9, terminated", or nothing.
std::string describe(const State& state, const StepResult& result) {
  std::vector<std::string> facts;
  if (!state.hand_is_empty()) {
    const Cell cell = state.carrying.cell;
    facts.push_back("carries " + std::string(name_of(cell.color)) + " " +
                    std::string(name_of(cell.kind)));
  }
  if (result.reward != 0) facts.push_back("reward " + shortest(result.reward));
  if (result.terminated) facts.emplace_back("terminated");
  if (result.truncated) facts.emplace_back("truncated");
  std::string text;
  for (const std::string& fact : facts) text += (text.empty() ? ": " : ", ") + fact;
  return text;
}

// draw() without spaces at the ends of lines.
std::string picture(const State& state) {
  std::istringstream lines(draw(state));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// The whole text of the file.
std::string play(const Playthrough& playthrough) {
  const Level level = make_level(find_task(playthrough.task), playthrough.seed);
  State state = level.start;
  std::ostringstream out;
  out << "task: " << playthrough.task << "\nseed: " << playthrough.seed << "\nactions:";
  for (const Action action : playthrough.actions) {
    out << " " << kActionNames[static_cast<std::size_t>(action)];
  }
  out << "\nmission: " << level.mission.text() << "\nstep limit: " << level.max_steps
      << "\n\nstart\n"
      << picture(state);
  bool has_ended = false;
  for (const Action action : playthrough.actions) {
    if (has_ended) throw std::runtime_error("actions continue after the end of the episode");
    const StepResult result = step(level, state, action);
    has_ended = result.done();
    out << "\n"
        << state.step_count << " " << kActionNames[static_cast<std::size_t>(action)]
        << describe(state, result) << "\n"
        << picture(state);
  }
  return out.str();
}

std::set<fs::path> recorded_files() {
  std::set<fs::path> files;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(plr::testing::golden_path("playthroughs"))) {
    if (entry.path().extension() == ".txt") files.insert(entry.path());
  }
  return files;
}

TEST(GoldenPlaythrough, EqualsTheRecordedText) {
  const bool rewrite = std::getenv("PLR_REWRITE_PLAYTHROUGHS") != nullptr;
  const std::set<fs::path> files = recorded_files();
  EXPECT_GE(files.size(), 10U);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path.string());
    const std::string recorded = contents(path);
    const std::string played = play(parse(recorded));
    if (rewrite) {
      std::ofstream(path, std::ios::binary) << played;
    } else {
      EXPECT_EQ(played, recorded);
    }
  }
}

}  // namespace
}  // namespace plr::minigrid
