#include "plr/classic/family.h"

#include <array>
#include <memory>

#include "plr/classic/cart_pole.h"
#include "plr/classic/classic_env.h"
#include "plr/classic/pendulum.h"
#include "plr/classic/picture.h"

namespace plr::classic {
namespace {

// A picture is as wide as this many tiles, which is the size of a typical grid.
constexpr int kTiles = 16;

template <class Task>
std::unique_ptr<VectorEnv> make_as(const std::string& name, Levels levels,
                                   const EnvOptions& options) {
  return std::make_unique<ClassicEnv<Task>>(name, levels, options);
}

// Nothing if the environment is of another task.
template <class Task>
std::optional<image::Image> frame_as(const VectorEnv& env, int slot, int width) {
  const auto* classic = dynamic_cast<const ClassicEnv<Task>*>(&env);
  if (classic == nullptr) return std::nullopt;
  return draw(classic->physics(slot), classic->state(slot), width);
}

struct Entry {
  const char* name;
  const char* summary;
  Levels levels;
  int observation_size;
  int max_steps;
  ActionSpace actions;
  std::unique_ptr<VectorEnv> (*make)(const std::string& name, Levels levels,
                                     const EnvOptions& options);
};

template <class Task>
Entry entry(const char* name, const char* summary, Levels levels) {
  return {name,         summary, levels, Task::kObservationSize, Task::kMaxSteps, Task::actions(),
          make_as<Task>};
}

const std::array<Entry, 5>& entries() {
  static const std::array all = {
      entry<CartPole>("classic/CartPole", "balance a pole on a cart; a level has its own physics",
                      Levels::kRandom),
      entry<CartPole>("classic/CartPole-Fixed",
                      "the same with the physics of Gymnasium's CartPole-v1 in all levels",
                      Levels::kFixed),
      entry<TwinCartPole>("classic/TwinCartPole",
                          "balance the poles of two carts; a level has its own physics",
                          Levels::kRandom),
      entry<Pendulum>("classic/Pendulum",
                      "swing a pendulum up with a weak torque; a level has its own physics",
                      Levels::kRandom),
      entry<Pendulum>("classic/Pendulum-Fixed",
                      "the same with the physics of Gymnasium's Pendulum-v1 in all levels",
                      Levels::kFixed),
  };
  return all;
}

std::vector<EnvInfo> env_infos() {
  std::vector<EnvInfo> all;
  for (const Entry& task : entries()) {
    all.push_back({.name = task.name,
                   .group = "Classic control",
                   .summary = task.summary,
                   .width = task.observation_size,
                   .height = 1,
                   .max_steps = task.max_steps,
                   .actions = task.actions});
  }
  return all;
}

std::unique_ptr<VectorEnv> make(std::string_view env, const EnvOptions& options) {
  for (const Entry& task : entries()) {
    if (task.name == env) return task.make(task.name, task.levels, options);
  }
  return nullptr;
}

// "classic/CartPole" -> "CartPole"
std::string short_name(std::string_view env) { return std::string(env.substr(env.rfind('/') + 1)); }

image::Image frame(const VectorEnv& env, int slot, const FrameOptions& options) {
  const int width = kTiles * options.tile_size;
  if (const auto picture = frame_as<CartPole>(env, slot, width)) return *picture;
  if (const auto picture = frame_as<TwinCartPole>(env, slot, width)) return *picture;
  return *frame_as<Pendulum>(env, slot, width);
}

}  // namespace

Family family() {
  return {.name = "classic",
          .title = "Classic control",
          .network = NetworkKind::kMlp,
          .action_names = {"left", "right"},
          .environments = env_infos(),
          .observations = {Observation::kFull},
          .num_training_levels = 200,
          // Small networks: a run keeps one core busy and leaves most of a GPU idle.
          .gpu_share = {.cores_per_run = 1, .runs_per_gpu = 8},
          .make = make,
          .short_name = short_name,
          // Returns of different tasks are on different scales.
          .report_group = [](std::string_view env) { return "Classic " + short_name(env); },
          .frame = frame};
}

}  // namespace plr::classic
