#include "plr/maze/family.h"

#include "plr/maze/level_tools.h"
#include "plr/maze/maze_env.h"
#include "plr/maze/tile_map.h"
#include "plr/minigrid/glyphs.h"
#include "plr/minigrid/render.h"

namespace plr::maze {
namespace {

constexpr std::string_view kPrefix = "maze/";

EnvInfo env_info(const Task& task) {
  return {.name = env_name(task),
          .group = task.group,
          .summary = task.summary,
          .width = task.size.width,
          .height = task.size.height,
          .max_steps = task.max_steps,
          .actions = ActionSpace::discrete(kNumActions),
          .num_difficulties = kNumDifficulties};
}

std::vector<EnvInfo> env_infos() {
  std::vector<EnvInfo> all;
  for (const Task& task : tasks()) all.push_back(env_info(task));
  return all;
}

std::string_view task_name(std::string_view env) { return env.substr(kPrefix.size()); }

std::unique_ptr<VectorEnv> make(std::string_view env, const EnvOptions& options) {
  const std::optional<Task> task = find_task(task_name(env));
  return task ? std::make_unique<MazeEnv>(*task, options) : nullptr;
}

std::optional<std::string> unlisted(std::string_view env) {
  const std::optional<std::string> name = parameterized_name(task_name(env));
  return name ? std::optional(std::string(kPrefix) + *name) : std::nullopt;
}

LevelTools tools(std::string_view env, const EnvOptions& options,
                 std::shared_ptr<LevelStore> store) {
  const std::optional<Task> task = find_task(task_name(env));
  return task ? level_tools(*task, options.maze, std::move(store)) : LevelTools();
}

minigrid::TileMap tile_map(const VectorEnv& env, int slot, Observation observation) {
  const auto& maze = static_cast<const MazeEnv&>(env);
  const Level& level = maze.level_in(slot);
  const State& state = maze.state_in(slot);
  return observation == Observation::kView ? view_map(level, state, maze.view())
                                           : whole_map(level, state, maze.view());
}

image::Image frame(const VectorEnv& env, int slot, const FrameOptions& options) {
  return minigrid::render(tile_map(env, slot, options.observation),
                          {.tile_size = options.tile_size, .highlight = options.highlight});
}

image::TextPicture text(const VectorEnv& env, int slot, Observation observation) {
  image::TextPicture picture = minigrid::text_picture(tile_map(env, slot, observation));
  for (image::Glyph& glyph : picture.glyphs) {
    if (glyph.letter == ' ') glyph.letter = '.';  // as in text_form.h
  }
  return picture;
}

// The symbols of MiniGrid's legend that occur in a maze.
image::Legend legend() {
  image::Legend legend = minigrid::text_legend();
  std::erase_if(legend.symbols, [](const image::Legend::Entry& entry) {
    return entry.meaning != "agent" && entry.meaning != "goal";
  });
  legend.letters = "# wall   . floor   > v < ^ agent   G goal";
  return legend;
}

}  // namespace

Family family() {
  return {.name = "maze",
          .title = "Maze",
          .network = NetworkKind::kLstm,
          .action_names = {"left", "right", "forward", "pick up", "drop", "toggle", "done"},
          .environments = env_infos(),
          .observations = {Observation::kView, Observation::kFull},
          .num_training_levels = 4000,
          // Its small network leaves most of a GPU idle.
          .gpu_share = {.cores_per_run = 2, .runs_per_gpu = 8},
          .make = make,
          .unlisted = unlisted,
          .level_tools = tools,
          .frame = frame,
          .text = text,
          .legend = legend};
}

}  // namespace plr::maze
