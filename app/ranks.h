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

// `verb` is its name with "plr".
void run_as_rank(const std::string& verb,
                 const std::function<void(const distributed::Launch&)>& work);

// Whether this process is a rank above 0 that leaves it to rank 0 to report a wrong command line.
// `verb` is that of the command line, "plr" if it is wrong itself. Verbs that do not run as ranks
// report always: a launcher may start them with other arguments in each process.
bool is_silent_rank(const std::string& verb);

}  // namespace plr::app
