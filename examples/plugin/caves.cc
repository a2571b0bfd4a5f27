// A plug-in: caves in which a miner collects gold and avoids bats.
//
// A level is a cave carved from its seed; caves/classic has two that are drawn by hand. Each of
// three pieces of gold pays 1/3. The last one ends the episode, and so does a bat.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plr/env/plugin.h"
#include "plr/image/image.h"

namespace {

using plr::Action;
using plr::LevelId;

constexpr int kSide = 11;  // cells, with a border of rock
constexpr int kNumGold = 3;
constexpr int kMaxSteps = 100;
constexpr int kNumDifficulties = 3;
constexpr std::array kActions = {"left", "right", "up", "down"};
constexpr std::array kMoves = {-1, +1, -kSide, +kSide};

// ---- Levels

struct Cave {
  std::string cells;  // [row, column]: '#' rock, '.' floor, '$' gold
  int miner = 0;      // index of a cell
  std::vector<int> bats;

  bool has_gold() const { return cells.find('$') != cells.npos; }
};

struct Classic {
  const char* name;
  const char* cells;  // as above, with '@' the miner and 'b' bats
};
constexpr std::array kClassics = {Classic{"corridor",
                                          "###########"
                                          "#.........#"
                                          "#.#######.#"
                                          "#.#.....#.#"
                                          "#.#.###.#.#"
                                          "#.#.#$#.#.#"
                                          "#.#.#...#.#"
                                          "#.#.#####.#"
                                          "#.#......$#"
                                          "#@#######$#"
                                          "###########"},
                                  Classic{"rooms",
                                          "###########"
                                          "#...#....$#"
                                          "#.@.#.....#"
                                          "#.........#"
                                          "#...#.....#"
                                          "##.####.###"
                                          "#...#.....#"
                                          "#.........#"
                                          "#...#..b..#"
                                          "#$..#....$#"
                                          "###########"}};

struct Task {
  std::string_view name;
  std::string_view summary;
  int num_bats = 0;
  bool is_classic = false;
};
constexpr std::array kTasks = {
    Task{.name = "caves/gold", .summary = "three pieces of gold in a cave"},
    Task{.name = "caves/bats", .summary = "the same with two bats", .num_bats = 2},
    Task{.name = "caves/classic", .summary = "two caves drawn by hand", .is_classic = true}};

Cave drawn_cave(const Classic& classic) {
  Cave cave{.cells = classic.cells, .bats = {}};
  for (int i = 0; i < kSide * kSide; ++i) {
    if (classic.cells[i] == '@') cave.miner = i;
    if (classic.cells[i] == 'b') cave.bats.push_back(i);
    if (classic.cells[i] == '@' || classic.cells[i] == 'b') cave.cells[i] = '.';
  }
  return cave;
}

// A random walk from the center carves 40 cells; gold and bats are in some of them.
Cave carved_cave(int num_bats, plr::Random random) {
  Cave cave{.cells = std::string(kSide * kSide, '#'), .bats = {}};
  std::vector<int> carved;
  int cell = kSide * kSide / 2;
  while (carved.size() < 40) {
    if (cave.cells[cell] == '#') carved.push_back(cell);
    cave.cells[cell] = '.';
    const int next = cell + kMoves[random.below(kMoves.size())];
    const int row = next / kSide;
    const int column = next % kSide;
    if (row % (kSide - 1) != 0 && column % (kSide - 1) != 0) cell = next;  // not in the border
  }
  cave.miner = carved.front();
  random.shuffle(std::span(carved).subspan(1));
  for (int i = 1; i <= kNumGold; ++i) cave.cells[carved[i]] = '$';
  cave.bats.assign(carved.end() - num_bats, carved.end());
  return cave;
}

// Steps from the miner to the farthest gold, by breadth-first search.
int distance_to_gold(Cave cave) {
  struct Reached {
    int cell;
    int distance;
  };
  std::vector<Reached> queue = {{cave.miner, 0}};
  int farthest = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [cell, distance] = queue[i];
    if (cave.cells[cell] == '$') farthest = distance;
    if (std::exchange(cave.cells[cell], '#') == '#') continue;  // visited
    for (const int move : kMoves) {
      if (cave.cells[cell + move] != '#') queue.push_back({cell + move, distance + 1});
    }
  }
  return farthest;
}

// ---- The environment

class CavesEnv final : public plr::VectorEnv {
 public:
  CavesEnv(const Task& task, const plr::EnvOptions& options)
      : VectorEnv(spec_of(task, options)), task_(task), slots_(options.num_slots) {}

  plr::image::Rgb color_at(int slot, int cell) const {
    const Cave& cave = slots_[slot].cave;
    if (std::ranges::find(cave.bats, cell) != cave.bats.end()) return {200, 60, 200};
    if (cave.miner == cell) return {60, 120, 255};
    if (cave.cells[cell] == '$') return {255, 210, 40};
    return cave.cells[cell] == '#' ? plr::image::Rgb{110, 90, 80} : plr::image::Rgb{20, 16, 16};
  }

 private:
  // All that determines how an episode continues.
  struct Slot {
    Cave cave;
    int clock = 0;
    plr::Random random = plr::Streams(0).named("bats");
  };

  static plr::EnvSpec spec_of(const Task& task, const plr::EnvOptions& options) {
    check_plain_options(task.name, options);
    plr::EnvSpec spec;
    spec.name = std::string(task.name);
    spec.num_slots = options.num_slots;
    spec.observation_shape = {kSide, kSide, 3};
    spec.actions = plr::ActionSpace::discrete(kActions.size());
    spec.max_steps = kMaxSteps;
    spec.last_level = (LevelId{1} << 32) - 1;
    spec.full_distribution = plr::LevelSet::stream(0, spec.last_level + 1);
    spec.num_fixed_levels = task.is_classic ? kClassics.size() : 0;
    spec.num_difficulties = kNumDifficulties;
    return spec;
  }

  Cave cave_of(LevelId level) const {
    return task_.is_classic ? drawn_cave(kClassics[level % kClassics.size()])
                            : carved_cave(task_.num_bats, plr::Streams(level).named("cave"));
  }

  void start_level(int slot, LevelId level, const plr::StepBatch& out) override {
    slots_[slot] = {.cave = cave_of(level), .random = plr::Streams(level).named("bats")};
    observe(slot, out);
  }

  void step_slots(plr::SlotRange range, std::span<const Action> actions,
                  const plr::StepBatch& out) override {
    for (int slot = range.begin; slot < range.end; ++slot) {
      auto& [cave, clock, random] = slots_[slot];
      cave.miner = moved(cave, cave.miner, actions[slot - range.begin]);
      const bool found = std::exchange(cave.cells[cave.miner], '.') == '$';
      bool is_caught = false;
      for (int& bat : cave.bats) {
        const int next = moved(cave, bat, static_cast<Action>(random.below(kMoves.size())));
        is_caught = is_caught || cave.miner == bat || cave.miner == next;
        bat = next;
      }
      ++clock;
      out.rewards[slot] = found ? 1.0 / kNumGold : 0;
      out.terminated[slot] = is_caught || !cave.has_gold();
      out.truncated[slot] = clock == kMaxSteps;
      observe(slot, out);
    }
  }

  static int moved(const Cave& cave, int cell, Action direction) {
    const int next = cell + kMoves[direction];
    return cave.cells[next] == '#' ? cell : next;
  }

  void observe(int slot, const plr::StepBatch& out) const {
    auto pixel = out.observations.begin() + slot * spec().observation_size();
    for (int cell = 0; cell < kSide * kSide; ++cell) {
      const auto [red, green, blue] = color_at(slot, cell);
      for (const std::uint8_t part : {red, green, blue}) *pixel++ = part;
    }
  }

  bool solved_by(int slot, double /*last_reward*/) const override {
    return !slots_[slot].cave.has_gold();
  }
  std::string_view mission_of(int /*slot*/) const override { return "collect all gold"; }
  std::optional<int> difficulty_of(LevelId level) const override {
    return std::min(distance_to_gold(cave_of(level)) / 5, kNumDifficulties - 1);
  }
  std::string level_name_of(LevelId level) const override {
    return task_.is_classic ? kClassics[level % kClassics.size()].name : "";
  }

  void save_episode(int slot, plr::ByteWriter& out) const override {
    const auto& [cave, clock, random] = slots_[slot];
    out.text(cave.cells);
    out.number(cave.miner);
    for (const int bat : cave.bats) out.number(bat);
    out.number(clock);
    out.random(random);
  }

  // Everything is checked before the slot changes.
  void load_episode(int slot, LevelId level, bool has_ended, plr::ByteReader& in) override {
    const Cave start = cave_of(level);
    Slot loaded = {.cave = start};
    auto& [cave, clock, random] = loaded;
    cave.cells = in.text();
    cave.miner = in.number<int>();
    for (int& bat : cave.bats) bat = in.number<int>();
    clock = in.number<int>();
    random = in.random();
    in.expect_end();
    in.require(std::ranges::equal(cave.cells, start.cells,
                                  [](char now, char before) {
                                    return now == before || (now == '.' && before == '$');
                                  }),
               "its cave is not that of its level");
    const auto is_open = [&](int i) { return i >= 0 && i < kSide * kSide && cave.cells[i] != '#'; };
    in.require(is_open(cave.miner) && std::ranges::all_of(cave.bats, is_open), "a wrong cell");
    in.require(clock >= 0 && clock <= kMaxSteps, "a wrong clock");
    in.require(has_ended || (clock < kMaxSteps && cave.has_gold()), "it has ended");
    slots_[slot] = loaded;
  }

  Task task_;
  std::vector<Slot> slots_;
};

// ---- The family

std::unique_ptr<plr::VectorEnv> make(std::string_view env, const plr::EnvOptions& options) {
  const auto task = std::ranges::find(kTasks, env, &Task::name);
  return task != kTasks.end() ? std::make_unique<CavesEnv>(*task, options) : nullptr;
}

// The observation with larger cells and a grid.
plr::image::Image frame(const plr::VectorEnv& env, int slot, const plr::FrameOptions& options) {
  const int size = options.tile_size;
  plr::image::Image picture(kSide * size, kSide * size);
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      const int cell = y / size * kSide + x / size;
      const bool is_line = x % size == 0 || y % size == 0;
      if (!is_line) picture.set({x, y}, static_cast<const CavesEnv&>(env).color_at(slot, cell));
    }
  }
  return picture;
}

plr::Family family() {
  plr::Family caves{.name = "caves",
                    .title = "Caves",
                    .network = plr::NetworkKind::kImpala,
                    .action_names = {kActions.begin(), kActions.end()},
                    .make = make,
                    .frame = frame};
  for (const Task& task : kTasks) {
    caves.environments.push_back({.name = std::string(task.name),
                                  .group = "Caves",
                                  .summary = std::string(task.summary),
                                  .width = kSide,
                                  .height = kSide,
                                  .max_steps = kMaxSteps,
                                  .actions = plr::ActionSpace::discrete(kActions.size()),
                                  .num_difficulties = kNumDifficulties});
  }
  return caves;
}

}  // namespace

PLR_PLUGIN(family)
