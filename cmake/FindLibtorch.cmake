# Finds libtorch and makes the target Libtorch::Libtorch.
#
# Where it looks: in PLR_TORCH, the directory of an installed torch package or of an unpacked libtorch
# (either has include/ and lib/); if that is empty, where Python would import torch from.
# torch's own TorchConfig.cmake is not used, since with a CUDA build it demands the CUDA compiler; we
# need no more of CUDA than what libtorch brings along.
#
# Sets Libtorch_FOUND, Libtorch_VERSION, Libtorch_CUDA (whether it can use CUDA) and Libtorch_CUDA_MAJOR (the
# major version of its CUDA, empty if it does not say).

set(PLR_TORCH "" CACHE PATH "Directory of an installed torch package or an unpacked libtorch")

set(Libtorch_ROOT "${PLR_TORCH}")
if(NOT Libtorch_ROOT)
  # find_spec says where the package lies without importing it.  The Python is that of .plr/, where
  # ./plr installs torch, or python3.
  plr_choose_python(Libtorch_python)
  execute_process(
    COMMAND ${Libtorch_python} -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE Libtorch_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

set(Libtorch_problem "")
if(NOT Libtorch_ROOT)
  set(Libtorch_problem "${Libtorch_python} has no torch: install it or set PLR_TORCH to its directory")
elseif(NOT EXISTS "${Libtorch_ROOT}/include/ATen/ATen.h" OR NOT EXISTS "${Libtorch_ROOT}/lib/libtorch_cpu.so")
  set(Libtorch_problem "${Libtorch_ROOT} lacks include/ATen/ATen.h or lib/libtorch_cpu.so: set PLR_TORCH to a directory that has both")
else()
  # The version's header has moved between releases.
  foreach(header include/torch/csrc/api/include/torch/version.h include/torch/headeronly/version.h)
    if(EXISTS "${Libtorch_ROOT}/${header}")
      file(STRINGS "${Libtorch_ROOT}/${header}" Libtorch_line REGEX "^ *\"[0-9]+\\.[0-9]+\\.[0-9]+\"|TORCH_VERSION +\"[0-9]")
      if(Libtorch_line MATCHES "([0-9]+\\.[0-9]+\\.[0-9]+)")
        set(Libtorch_VERSION "${CMAKE_MATCH_1}")
      endif()
    endif()
  endforeach()
  if(NOT Libtorch_VERSION)
    set(Libtorch_problem "${Libtorch_ROOT} does not say its version: set PLR_TORCH to torch ${Libtorch_FIND_VERSION} or newer")
  elseif(Libtorch_VERSION VERSION_LESS Libtorch_FIND_VERSION)
    set(Libtorch_problem "${Libtorch_ROOT} is torch ${Libtorch_VERSION}: set PLR_TORCH to torch ${Libtorch_FIND_VERSION} or newer")
  endif()
endif()

if(Libtorch_problem)
  set(Libtorch_FOUND FALSE)
  if(Libtorch_FIND_REQUIRED)
    message(FATAL_ERROR "libtorch: ${Libtorch_problem}, or PLR_WITH_TORCH=OFF to build without learning.")
  endif()
else()
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(Libtorch REQUIRED_VARS Libtorch_ROOT VERSION_VAR Libtorch_VERSION)
endif()

if(Libtorch_FOUND AND NOT TARGET Libtorch::Libtorch)
  # libtorch and libtorch_cuda register their operators when loaded and are named by no symbol of ours:
  # the linker must keep them all the same.
  set(Libtorch_libraries "-Wl,--push-state,--no-as-needed")
  foreach(library c10 torch_cpu c10_cuda torch_cuda torch)
    if(EXISTS "${Libtorch_ROOT}/lib/lib${library}.so")
      list(APPEND Libtorch_libraries "${Libtorch_ROOT}/lib/lib${library}.so")
    endif()
  endforeach()
  list(APPEND Libtorch_libraries "-Wl,--pop-state")
  set(Libtorch_CUDA OFF)
  if(EXISTS "${Libtorch_ROOT}/lib/libtorch_cuda.so")
    set(Libtorch_CUDA ON)
    # The package of pip has it in version.py, an unpacked libtorch in build-version: 2.13.0+cu130.
    set(Libtorch_CUDA_MAJOR "")
    foreach(file version.py build-version ../build-version)
      if(EXISTS "${Libtorch_ROOT}/${file}")
        file(STRINGS "${Libtorch_ROOT}/${file}" Libtorch_line REGEX "^cuda.*= '[0-9]+|[+]cu[0-9][0-9]")
        if(Libtorch_line MATCHES "^cuda.*= '([0-9]+)" OR Libtorch_line MATCHES "[+]cu([0-9][0-9])")
          set(Libtorch_CUDA_MAJOR "${CMAKE_MATCH_1}")
        endif()
      endif()
    endforeach()
  endif()

  add_library(Libtorch::Libtorch INTERFACE IMPORTED)
  # Searched after the system's directories, since libtorch brings headers of other libraries along,
  # fmt among them, which must not hide the ones that we link.
  foreach(directory include include/torch/csrc/api/include)
    target_compile_options(Libtorch::Libtorch INTERFACE "SHELL:-idirafter \"${Libtorch_ROOT}/${directory}\"")
  endforeach()
  target_link_libraries(Libtorch::Libtorch INTERFACE ${Libtorch_libraries})
  # NVIDIA's libraries, which libtorch_cuda needs, are found by its own run path, not by the linker.
  target_link_options(Libtorch::Libtorch INTERFACE "-Wl,--allow-shlib-undefined")
endif()
