// Where does Procgen itself come from?
//
// From the published wheel procgen 0.10.7: its libenv.so, which is loaded here, and its pictures.
// Since that library ends the process on whatever it does not like, and since level control relies
// on its exact layout (start_state.h), it is looked at closely before it is loaded: a file that is
// missing, damaged or of another build is an error that says so.
//
//   const Library& library = Library::installed();   // in the folder that PLR_PROCGEN names
//
// All that is drawn goes through counters of references that the library has once for all threads.
// With sixteen threads these counters are all that counts: bossfight is then hardly faster than
// with one.  So the library can be loaded several times, each copy with pictures of its own, for
// some 350 MB and two seconds each.
#pragma once

#include <filesystem>
#include <string>

#include "plr/procgen/libenv.h"

namespace plr::procgen {

class Library {
 public:
  // The folder of the package "procgen", as it lies in the wheel.  Throws std::runtime_error if
  // something in it is not as it should be, or cannot be loaded.
  explicit Library(const std::filesystem::path& folder);
  // Another copy of one that is loaded.  Throws std::runtime_error if the system has none to give.
  struct Copy {};
  Library(const Library& other, Copy);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Of this process, opened when it is first asked for.  Throws std::runtime_error saying how to
  // get it if it is not there.
  static const Library& installed();
  // One of several copies of it, the first being installed().  Where the system refuses a copy, the
  // first takes its place.
  static const Library& installed(int copy);

  // The copy of one of several threads; neighbours share one.
  static const Library& of_worker(int worker, int num_workers);

  const libenv::Functions& functions() const { return functions_; }
  // Where the pictures lie, as the library wants it: with a slash at the end.
  const std::string& assets() const { return assets_; }

 private:
  void load(const std::string& path);

  std::string assets_;
  std::string path_;
  int file_ = -1;  // of a copy, in memory
  void* handle_ = nullptr;
  libenv::Functions functions_ = {};
};

}  // namespace plr::procgen
