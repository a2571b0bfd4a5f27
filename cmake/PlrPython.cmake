# Which Python runs the tests, and can the package be built for it?

set(PLR_PYTHON "" CACHE STRING "The Python that runs tests; by default that of .plr/ or python3")

# The Python of our own environment, where ./plr puts what the tests need.
function(plr_choose_python out)
  set(python "${PLR_PYTHON}")
  if(NOT python)
    set(python python3)
    if(EXISTS "${PROJECT_SOURCE_DIR}/.plr/venv/bin/python")
      set(python "${PROJECT_SOURCE_DIR}/.plr/venv/bin/python")
    endif()
  endif()
  set(${out} "${python}" PARENT_SCOPE)
endfunction()

# Finds Python and nanobind; sets PLR_PYTHON_PROBLEM to why not, or to nothing.  A macro, since
# what find_package sets is used by nanobind's functions later.
macro(plr_find_nanobind)
  set(PLR_PYTHON_PROBLEM "")
  if(NOT SKBUILD)
    plr_choose_python(plr_python)
    find_program(plr_python_path "${plr_python}" NO_CACHE)
    set(Python_EXECUTABLE "${plr_python_path}")
  endif()
  find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module
               OPTIONAL_COMPONENTS Development.SABIModule)
  if(NOT Python_Interpreter_FOUND)
    set(PLR_PYTHON_PROBLEM "there is no Python 3.11 or newer")
  elseif(NOT Python_Development.Module_FOUND)
    set(PLR_PYTHON_PROBLEM "${Python_EXECUTABLE} has no headers (python3-dev)")
  else()
    execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_DIR)
    if(NOT nanobind_DIR)
      set(PLR_PYTHON_PROBLEM "${Python_EXECUTABLE} has no nanobind")
    else()
      find_package(nanobind CONFIG REQUIRED)
    endif()
  endif()
endmacro()
