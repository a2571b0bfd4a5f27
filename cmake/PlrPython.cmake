# Chooses the Python of tests and set-up, and finds what its package needs to be built.

set(PLR_PYTHON "" CACHE STRING "Python that runs the tests (default: that of .plr/, else python3)")

# Sets out to PLR_PYTHON, else the Python of .plr/venv, where ./plr installs packages, else python3.
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

# Finds Python and nanobind. PLR_PYTHON_PROBLEM is empty on success, else the reason of the failure.
# A macro, because nanobind's functions use the variables that find_package sets.
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
    set(PLR_PYTHON_PROBLEM "Python 3.11 or newer was not found")
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
