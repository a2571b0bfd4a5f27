// Procgen's library, loaded from the published wheel procgen 0.10.7: libenv.so and its images.
//
// The library ends the process on errors, and level control relies on the layout of its states
// (start_state.h).  So its files are checked before it is loaded: a file that is missing, damaged
// or of another build is an error with instructions.
//
//   const Library& library = Library::installed();   // in the folder that PLR_PROCGEN names
//
// All drawing goes through reference counters that the library shares between threads.  At sixteen
// threads they become a contention bottleneck: bossfight is hardly faster than with one thread.  So
// the library can be loaded several times; each copy has its own images and takes about 350 MB and
// two seconds.
//
// What is loaded stays loaded until the process has ended: the library does not free what its
// initializers allocate, so that unloading it would leak.  The memory is bounded, because copies
// are reused: a process loads at most eight, and a folder only once.
//
// Not copyable.  Thread-safe; for the environments see libenv.h.
#pragma once

#include <filesystem>
#include <string>

#include "plr/procgen/libenv.h"

namespace plr::procgen {

class Library {
 public:
  // Loads from the folder of the package "procgen", as it is in the wheel.  Throws
  // std::runtime_error if a file in it is not the expected one or cannot be loaded.
  explicit Library(const std::filesystem::path& folder);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // The library of this process, loaded on the first call from the folder that PLR_PROCGEN names.
  // Throws std::runtime_error with instructions if it is not installed.
  static const Library& installed();
  // One of eight copies, loaded on the first call; copy 0 is installed().  Returns copy 0 if the
  // system has no memory for another one.  REQUIRES: 0 <= copy < 8.
  static const Library& installed(int copy);

  // The copy for one of an environment's slots; two workers share one.
  static const Library& of_slot(int slot, int num_slots, int num_workers);

  const libenv::Functions& functions() const { return functions_; }
  // The folder of the images, with a trailing slash, as the library requires.
  const std::string& assets() const { return assets_; }

 private:
  struct Copy {};
  Library(const Library& other, Copy);
  void load(const std::string& path);

  std::string assets_;
  std::string path_;
  libenv::Functions functions_ = {};
};

}  // namespace plr::procgen
