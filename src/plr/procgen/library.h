// Where does Procgen itself come from?
//
// From the published wheel procgen 0.10.7: its libenv.so, which is loaded here, and its pictures.
// Since that library ends the process on whatever it does not like, and since level control relies
// on its exact layout (start_state.h), it is looked at closely before it is loaded: a file that is
// missing, damaged or of another build is an error that says so.
//
//   const Library& library = Library::installed();   // in the folder that PLR_PROCGEN names
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
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Of this process, opened when it is first asked for.  Throws std::runtime_error saying how to
  // get it if it is not there.
  static const Library& installed();

  const libenv::Functions& functions() const { return functions_; }
  // Where the pictures lie, as the library wants it: with a slash at the end.
  const std::string& assets() const { return assets_; }

 private:
  std::string assets_;
  void* handle_ = nullptr;
  libenv::Functions functions_ = {};
};

}  // namespace plr::procgen
