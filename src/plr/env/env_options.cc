#include "plr/env/env_options.h"

#include <stdexcept>
#include <string>

namespace plr {

void refuse_maze_options(std::string_view env, const EnvOptions& options) {
  const MazeOptions defaults;
  visit_fields(options.maze, [&](std::string_view name, const auto& value, auto&&...) {
    visit_fields(defaults, [&](std::string_view other, const auto& standard, auto&&...) {
      if (name != other || to_text(value) == to_text(standard)) return;
      throw std::invalid_argument(std::string(name) + ": " + std::string(env) + " offers " +
                                  to_text(standard) + " only, not " + to_text(value));
    });
  });
}

}  // namespace plr
