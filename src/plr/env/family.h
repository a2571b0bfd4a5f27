// A family of environments described as data: MiniGrid, Procgen, the maze, and those of plug-ins.
//
// A family is a plug-in (plugin.h), or a folder here and one line in catalog/registry.cc.
// Code that treats families differently reads the difference here instead of comparing names:
//
//   const Family* family = find_family("minigrid/MultiRoom-N4-Random");   // catalog/family.h
//   family->network;                                                      // NetworkKind::kGridCnn
//   family->action_names[2];                                              // "forward"
//
// A plain struct, copyable.  The instances in the catalog are constant, so threads may share them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plr/core/rollout_curriculum.h"
#include "plr/env/env_options.h"
#include "plr/env/return_range.h"
#include "plr/env/vector_env.h"

namespace plr::image {
class Image;         // image/image.h
struct TextPicture;  // image/text_picture.h
struct Legend;       // image/text_picture.h
}  // namespace plr::image

namespace plr {

// An environment of a family.
struct EnvInfo {
  std::string name;     // FAMILY/TASK
  std::string group;    // the heading under which it is listed
  std::string summary;  // one line
  int width = 0;        // of the grid in cells, of the observation in pixels, or of a vector
  int height = 0;       // likewise; 1 of a vector
  int max_steps = 0;
  ActionSpace actions = {};
  int num_difficulties = 0;  // 0: its levels have no difficulty
  // The returns that are normalized to 0 and 1; none where the environment's authors give none.
  std::optional<ReturnRange> returns = std::nullopt;
};

// The network that plays an environment.  train/agent.cc maps it to an implementation.
enum class NetworkKind : std::uint8_t {
  kGridCnn,  // three 2 x 2 convolutions, for grids of category ids
  kImpala,   // the residual network of IMPALA, for pixels
  kLstm,     // a convolution and an LSTM, for partial views of a grid
  kMlp,      // fully connected layers, for vectors
  kCnn,      // plain convolutions, for images of any size
};

// How many runs of an experiment train on one GPU at a time.
struct GpuShare {
  int cores_per_run = 8;  // CPU cores that a run keeps busy
  int runs_per_gpu = 2;   // a further run adds no steps per second (docs/performance.md)
};

// Options of a picture of a slot.
struct FrameOptions {
  int tile_size = 24;      // pixels; an observation is enlarged to about 16 tiles
  bool highlight = false;  // brighten the cells that the agent sees, where the family can
  Observation observation = Observation::kFull;  // kView: draw only what the agent sees
};

struct Family {
  std::string name;   // environments are NAME/TASK
  std::string title;  // for tables and headings
  NetworkKind network = NetworkKind::kGridCnn;
  std::vector<std::string> action_names = {};  // by action
  std::vector<EnvInfo> environments = {};      // in the order of a list for readers
  // That its environments offer, the default first.
  std::vector<Observation> observations = {Observation::kFull};
  LevelId num_training_levels = 200;  // of a typical training set; `plr bench env` uses it
  GpuShare gpu_share = {};
  // The environment variable that names the folder of files its environments need, such as
  // PLR_PROCGEN; empty: none are needed.
  std::string files_variable = {};
  bool steps_allocate = false;  // a third-party library allocates memory while it steps
  // Its environments are in a Python program, and can be made only while that waits in
  // plr.train(make_env, ...).
  bool needs_python = false;

  // Makes an environment; null if the family has none of this name.  Throws std::invalid_argument
  // for options that are out of bounds or that it does not offer, std::runtime_error if its files
  // are missing.
  std::unique_ptr<VectorEnv> (*make)(std::string_view env, const EnvOptions& options) = nullptr;
  // The name, with an absolute path if it has a path, of an environment that can be made but is not
  // listed, such as one with a number or a file in its name; nothing if there is none.  Null: all
  // are listed.
  std::optional<std::string> (*unlisted)(std::string_view env) = nullptr;
  // Operations on the levels of an environment, which adds new levels to the store; null: there are
  // none.  Throws as make() does.
  LevelTools (*level_tools)(std::string_view env, const EnvOptions& options,
                            std::shared_ptr<LevelStore> store) = nullptr;
  // The name for narrow columns, also of an unknown environment: "DoorKey-6x6".  Null: the part
  // after the last slash.
  std::string (*short_name)(std::string_view env) = nullptr;
  // The title of the environments whose normalized returns are averaged together with this one's,
  // also of an unknown environment: "Procgen (easy)".  Null: the family's title.
  std::string (*report_group)(std::string_view env) = nullptr;

  // Pictures.  REQUIRES: `env` was made by make(), and `slot` has been started.

  // A picture of a slot; null: the observation is the picture.
  image::Image (*frame)(const VectorEnv& env, int slot, const FrameOptions& options) = nullptr;
  // The same in characters, and their explanation; null: the family has no tiles.
  image::TextPicture (*text)(const VectorEnv& env, int slot, Observation observation) = nullptr;
  image::Legend (*legend)() = nullptr;
  // The object that the agent of a slot carries, such as "yellow key", or an empty string; null:
  // nothing is carried in this family.
  std::string (*carried)(const VectorEnv& env, int slot) = nullptr;
};

}  // namespace plr
