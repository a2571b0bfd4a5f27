// The family of environments that Python plays (plr.train with an environment of the user).
#pragma once

#include "plr/env/family.h"

namespace plr::remote {

// Its environments have any name: python/NAME. They are made if PLR_ENV_SOCKET names the socket of
// the Python program that plays them (python/plr/env_server.py).
Family family();

}  // namespace plr::remote
