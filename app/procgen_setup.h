// Fetches Procgen the first time a command needs it.
//
// Procgen's library is not part of this program.  The script ./plr names the folder where it
// belongs in PLR_PROCGEN and itself in PLR_COMMAND.
#pragma once

#include <string_view>

namespace plr::app {

// Call before making an environment.  If `env` is one of Procgen's and the folder PLR_PROCGEN does
// not exist, runs `$PLR_COMMAND setup procgen` after a line on standard error.  Throws
// std::runtime_error if that fails.  Does nothing if PLR_COMMAND is not set, as when the program is
// started without the script: then making the environment fails with the remedy.
void prepare_procgen(std::string_view env);

}  // namespace plr::app
