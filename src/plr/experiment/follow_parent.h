// Ties the life of a forked process to the process that forked it.
//
// Called in the child right after fork().  The child gets a process group of its own, so that
// Ctrl-C reaches it only through its parent, and receives SIGTERM when its parent ends for any
// reason.  Neither allocates nor locks.
#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace plr::experiment {

inline void follow_parent(pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);  // the parent ended before prctl() took effect
}

}  // namespace plr::experiment
