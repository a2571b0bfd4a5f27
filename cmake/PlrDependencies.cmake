# plr_find_dependencies(): provides CLI11::CLI11, fmt::fmt and nlohmann_json::nlohmann_json.
#
# Installed packages are used where CMake finds them, else the headers in third_party/. Wheels use the
# headers: their programs must not depend on libraries of the machine that built them.

option(PLR_BUNDLED "Use CLI11, fmt and nlohmann_json of third_party/ even if they are installed" OFF)

function(plr_find_dependency package target folder)
  if(TARGET ${target})
    return()
  endif()
  if(NOT PLR_BUNDLED)
    find_package(${package} QUIET)
  endif()
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
    target_include_directories(${target} SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/third_party/${folder})
    target_compile_definitions(${target} INTERFACE ${ARGN})
  endif()
endfunction()

function(plr_find_dependencies)
  plr_find_dependency(CLI11 CLI11::CLI11 cli11)
  plr_find_dependency(fmt fmt::fmt fmt FMT_HEADER_ONLY)
  plr_find_dependency(nlohmann_json nlohmann_json::nlohmann_json nlohmann)
endfunction()
