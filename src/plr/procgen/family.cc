#include "plr/procgen/family.h"

#include "plr/procgen/procgen_env.h"

namespace plr::procgen {
namespace {

EnvInfo env_info(const Variant& variant) {
  return {.name = variant.env_name(),
          .group = "Procgen 0.10.7",
          .summary = variant.game->name + ": " + variant.game->summary,
          .width = kImageSide,
          .height = kImageSide,
          .max_steps = variant.max_steps(),
          .actions = ActionSpace::discrete(kNumActions),
          .returns = variant.returns()};
}

std::vector<EnvInfo> env_infos() {
  std::vector<EnvInfo> all;
  for (const Variant& variant : variants()) all.push_back(env_info(variant));
  return all;
}

std::unique_ptr<VectorEnv> make(std::string_view env, const EnvOptions& options) {
  const auto variant = find_variant(env);
  return variant ? std::make_unique<ProcgenEnv>(*variant, options) : nullptr;
}

// Returns are averaged within a mode: "procgen/bigfish-hard" -> "Procgen (hard)".
std::string report_group(std::string_view env) {
  const std::size_t hyphen = env.rfind('-');
  return "Procgen (" + std::string(hyphen == env.npos ? "easy" : env.substr(hyphen + 1)) + ")";
}

}  // namespace

Family family() {
  return {.name = "procgen",
          .title = "Procgen",
          .network = NetworkKind::kImpala,
          // Moves in nine directions, then keys whose meaning depends on the game.
          .action_names = {"l-down", "left", "l-up", "down", "none", "up", "r-down", "right",
                           "r-up", "D", "A", "W", "S", "Q", "E"},
          .environments = env_infos(),
          .observations = {Observation::kFull},
          .num_training_levels = 200,
          // Its games keep several cores busy.
          .gpu_share = {.cores_per_run = 2, .runs_per_gpu = 8},
          .files_variable = "PLR_PROCGEN",
          .steps_allocate = true,
          .make = make,
          .report_group = report_group};
}

}  // namespace plr::procgen
