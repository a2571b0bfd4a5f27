// Plays episodes in the engine for minigrid_oracle_test.py, which plays the same in minigrid.
//
// Reads requests, one per line.  The response to each is a list of lines and an empty line:
//
//   list                    the names of the tasks
//   play TASK SEED ACTIONS  plays the actions, given as digits, from the level of this seed
//   draw TASK SEED ACTIONS  the pictures after these actions or at the end of the episode: tiles of
//                           32 pixels, without and with the agent's view highlighted
//
// play writes "FULL VIEW MISSION" for each started level and "FULL VIEW REWARD ENDS" for each step:
// the CRC-32 of both observations, the bits of the reward, and two digits, terminated and
// truncated. After the k-th end (from 1), an odd k continues the random stream, as an unseeded
// reset does; an even k starts the level of SEED + k.
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/minigrid/observe.h"
#include "plr/minigrid/render.h"
#include "plr/minigrid/step.h"
#include "plr/minigrid/tasks.h"

namespace plr::minigrid {
namespace {

unsigned long crc_of(const std::vector<std::uint8_t>& bytes) {
  return crc32(0, bytes.data(), static_cast<uInt>(bytes.size()));
}

void print_observations(const Level& level, const State& state) {
  std::vector<std::uint8_t> full(full_size(state.grid));
  std::vector<std::uint8_t> view(kViewBytes);
  observe_full(state, full);
  observe_view(level, state, view);
  std::printf("%08lx %08lx ", crc_of(full), crc_of(view));
}

void print_start(const Level& level) {
  print_observations(level, level.start);
  std::printf("%s\n", std::string(level.mission.text()).c_str());
}

void play(const Task& task, std::uint64_t seed, const std::string& actions) {
  Level level = make_level(task, seed);
  State state = level.start;
  print_start(level);
  std::uint64_t num_ends = 0;
  for (const char action : actions) {
    const StepResult result = step(level, state, static_cast<Action>(action - '0'));
    print_observations(level, state);
    std::printf("%016lx %d%d\n", std::bit_cast<std::uint64_t>(result.reward), result.terminated,
                result.truncated);
    if (!result.done()) continue;
    ++num_ends;
    if (num_ends % 2 == 0) {
      level = make_level(task, seed + num_ends);
    } else {
      LevelRandom random(state.random);
      level = make_level(task, 0, random);
    }
    state = level.start;
    print_start(level);
  }
}

// Writes rows of hexadecimal digits.
void draw(const Task& task, std::uint64_t seed, const std::string& actions) {
  const Level level = make_level(task, seed);
  State state = level.start;
  for (const char action : actions) {
    if (step(level, state, static_cast<Action>(action - '0')).done()) break;
  }
  for (const bool highlight : {false, true}) {
    const image::Image picture = render(whole_map(level, state), {.highlight = highlight});
    for (int y = 0; y < picture.height(); ++y) {
      for (const image::Rgb p : picture.row(y)) std::printf("%02x%02x%02x", p.red, p.green, p.blue);
      std::printf("\n");
    }
  }
}

void respond(const std::string& request) {
  std::istringstream words(request);
  std::string verb;
  std::string name;
  std::uint64_t seed = 0;
  std::string actions;
  words >> verb;
  if (verb == "list") {
    for (const Task& task : tasks()) std::printf("%s\n", task.name.c_str());
  } else if ((verb == "play" || verb == "draw") && words >> name >> seed >> actions) {
    const Task task = with_seeding(find_task(name), Seeding::kPcg64);
    verb == "play" ? play(task, seed, actions) : draw(task, seed, actions);
  } else {
    throw std::invalid_argument("unknown request: " + request);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace plr::minigrid

int main() {
  try {
    for (std::string request; std::getline(std::cin, request);) plr::minigrid::respond(request);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minigrid_trace: %s\n", error.what());
    return 1;
  }
}
