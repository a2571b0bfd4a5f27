// Ownership of an experiment's folder by one process.
//
//   const OpenFile owned = own_experiment("runs/quick", Locking::kRequired);
//
// Two processes that run the same experiment would start every run twice and read each other's
// failures. The lock ends with the process, also if it is killed; the file stays and is empty. Runs
// have locks of their own (run/run_files.h), so that the tasks of a cluster need none.
#pragma once

#include <fcntl.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "plr/base/directory.h"
#include "plr/base/open_file.h"

namespace plr::experiment {

inline constexpr const char* kLockName = "experiment.lock";

// Holds the lock as long as the result exists. Throws std::runtime_error if another process holds
// it, or if locks are required and the file system has none. REQUIRES: the folder exists.
inline OpenFile own_experiment(const std::filesystem::path& folder, Locking locking) {
  OpenFile file = Directory(folder, "write").open(kLockName, O_RDWR | O_CREAT, "write");
  file.expect_regular("write");
  file.lock(locking);
  return file;
}

}  // namespace plr::experiment
