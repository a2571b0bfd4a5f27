# plr_find_dependencies(): provides CLI11::CLI11, fmt::fmt and nlohmann_json::nlohmann_json.
#
# Help texts differ between versions of CLI11, and docs/reference has them: always that of third_party/. The
# others are used where CMake finds them installed, else those of third_party/. Wheels use third_party/ for
# all: their programs must not depend on libraries of the machine that built them.

option(PLR_BUNDLED "Use fmt and nlohmann_json of third_party/ even if they are installed" OFF)

# plr_bundle(fmt::fmt fmt DEFINITION ...) defines the target fmt::fmt, the headers of third_party/fmt.
function(plr_bundle target folder)
  if(TARGET ${target})
    return()
  endif()
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/third_party/${folder})
  target_compile_definitions(${target} INTERFACE ${ARGN})
endfunction()

function(plr_find_dependency package)
  if(NOT PLR_BUNDLED AND NOT TARGET ${package}::${package})
    find_package(${package} QUIET)
  endif()
  plr_bundle(${package}::${package} ${ARGN})
endfunction()

function(plr_find_dependencies)
  plr_bundle(CLI11::CLI11 cli11)
  plr_find_dependency(fmt fmt FMT_HEADER_ONLY)
  plr_find_dependency(nlohmann_json nlohmann)
endfunction()
