// A verb that several processes can run together, as ranks (distributed/launch.h).
//
//   run_as_rank("plr train", [&](const distributed::Launch& launch) { train(arguments, launch); });
//
// Bad input is the same on all ranks: rank 0 reports it, and the others end without a word, with
// the same exit code.  Other errors of a rank above 0 begin with its number.  A rank that stops
// because another one has failed prints a line and ends with exit code 75.  Not thread-safe.
#pragma once

#include <functional>
#include <string>

#include "plr/distributed/launch.h"

namespace plr::app {

void run_as_rank(const std::string& verb,
                 const std::function<void(const distributed::Launch&)>& work);

}  // namespace plr::app
