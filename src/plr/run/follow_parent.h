// How does a process that we have made live and end with us?
//
// Called in the new process, right after fork(): it gets a group of its own, so that Ctrl-C reaches
// it through its parent, and is asked to end when its parent does, however that ends.  Takes
// neither memory nor a lock.
#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace plr::run {

inline void follow_parent(pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);  // it died before we asked to be told
}

}  // namespace plr::run
