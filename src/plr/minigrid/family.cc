#include "plr/minigrid/family.h"

#include "plr/minigrid/glyphs.h"
#include "plr/minigrid/minigrid_env.h"
#include "plr/minigrid/render.h"
#include "plr/minigrid/tile_map.h"

namespace plr::minigrid {
namespace {

constexpr std::string_view kReferencePrefix = "MiniGrid-";

// The reference's ids begin with its name, those of the PLR paper do not.
bool is_from_paper(const Task& task) { return !task.name.starts_with(kReferencePrefix); }

EnvInfo env_info(const Task& task) {
  return {.name = env_name(task),
          .group = is_from_paper(task) ? "The paper's own" : "MiniGrid 3.1.0",
          .summary = task.summary,
          .width = task.width,
          .height = task.height,
          .max_steps = task.max_steps,
          .actions = ActionSpace::discrete(task.num_actions),
          .num_difficulties = task.num_difficulties};
}

// The paper's tasks first.
std::vector<EnvInfo> env_infos() {
  std::vector<EnvInfo> all;
  for (const bool from_paper : {true, false}) {
    for (const Task& task : tasks()) {
      if (is_from_paper(task) == from_paper) all.push_back(env_info(task));
    }
  }
  return all;
}

std::unique_ptr<VectorEnv> make(std::string_view env, const EnvOptions& options) {
  for (const Task& task : tasks()) {
    if (env_name(task) == env) return std::make_unique<MiniGridEnv>(task, options);
  }
  return nullptr;
}

// "minigrid/MiniGrid-DoorKey-6x6-v0" -> "DoorKey-6x6"
std::string short_name(std::string_view env) {
  std::string_view name = env.substr(env.rfind('/') + 1);
  if (name.starts_with(kReferencePrefix)) name.remove_prefix(kReferencePrefix.size());
  if (name.ends_with("-v0")) name.remove_suffix(3);
  return std::string(name);
}

const MiniGridEnv& downcast(const VectorEnv& env) { return static_cast<const MiniGridEnv&>(env); }

TileMap tile_map(const VectorEnv& env, int slot, Observation observation) {
  const Level& level = downcast(env).level_in(slot);
  const State& state = downcast(env).state_in(slot);
  return observation == Observation::kView ? view_map(level, state) : whole_map(level, state);
}

image::Image frame(const VectorEnv& env, int slot, const FrameOptions& options) {
  return render(tile_map(env, slot, options.observation),
                {.tile_size = options.tile_size, .highlight = options.highlight});
}

image::TextPicture text(const VectorEnv& env, int slot, Observation observation) {
  return text_picture(tile_map(env, slot, observation));
}

std::string carried(const VectorEnv& env, int slot) {
  const State& state = downcast(env).state_in(slot);
  if (state.hand_is_empty()) return "";
  const Cell cell = state.carrying.cell;
  return std::string(name_of(cell.color)) + " " + std::string(name_of(cell.kind));
}

}  // namespace

Family family() {
  return {.name = "minigrid",
          .title = "MiniGrid",
          .network = NetworkKind::kGridCnn,
          .action_names = {"left", "right", "forward", "pick up", "drop", "toggle", "done"},
          .environments = env_infos(),
          .observations = {Observation::kFull, Observation::kView},
          .num_training_levels = 4000,
          // Its small network leaves most of a GPU idle.
          .gpu_share = {.cores_per_run = 2, .runs_per_gpu = 8},
          .make = make,
          .short_name = short_name,
          .frame = frame,
          .text = text,
          .legend = text_legend,
          .carried = carried};
}

}  // namespace plr::minigrid
