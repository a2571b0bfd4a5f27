// Makes sure that the descriptors 0, 1 and 2 are open.
//
// A program that is started with one of them closed (`plr train 2>&-`) would get its number for the
// next file that it opens, and messages would be written into that file. open_standard_files()
// opens /dev/null for reading in their place: input is empty, and output fails, which is reported.
//
// REQUIRES: called at the start of main(), before any other file is opened.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace plr::terminal {

inline void open_standard_files() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    const int opened = ::open("/dev/null", O_RDONLY);
    if (opened < 0 || opened == descriptor) continue;
    ::dup2(opened, descriptor);
    ::close(opened);
  }
}

}  // namespace plr::terminal
