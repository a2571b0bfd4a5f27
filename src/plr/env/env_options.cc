#include "plr/env/env_options.h"

#include <stdexcept>
#include <string>

namespace plr {
namespace {

[[noreturn]] void refuse(std::string_view field, std::string_view env, const std::string& offered,
                         const std::string& value) {
  throw std::invalid_argument(std::string(field) + ": " + std::string(env) + " offers " + offered +
                              " only, not " + value);
}

}  // namespace

void refuse_maze_options(std::string_view env, const EnvOptions& options) {
  const MazeOptions defaults;
  visit_fields(options.maze, [&](std::string_view name, const auto& value, auto&&...) {
    visit_fields(defaults, [&](std::string_view other, const auto& standard, auto&&...) {
      if (name != other || to_text(value) == to_text(standard)) return;
      refuse(name, env, to_text(standard), to_text(value));
    });
  });
}

void check_plain_options(std::string_view env, const EnvOptions& options) {
  check_fields(options);
  refuse_maze_options(env, options);
  if (options.observation == Observation::kView) {
    refuse("observation", env, "full", to_text(options.observation));
  }
  if (options.seeding != LevelSeeding::kDefault) {
    refuse("seeding", env, "default", to_text(options.seeding));
  }
}

}  // namespace plr
