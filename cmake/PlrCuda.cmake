# plr_enable_cuda(): enables the language CUDA, for native kernels, if a compiler for libtorch's version of
# CUDA is installed, and sets PLR_CUDA_INCLUDE to the folder of CUDA's headers.
#
# Uses the first nvcc of libtorch's major version that can build a program: CUDACXX or that of CUDA_HOME, the
# package nvidia-cuda-nvcc of pip beside torch or in .plr/, that on the PATH, that of /usr/local/cuda. Without
# one, a warning names the version. CUDA's headers alone are not used: those that pip installs with torch are
# incomplete. Call it after find_package(Libtorch).
#
# Kernels are built for CMAKE_CUDA_ARCHITECTURES, by default as machine code for Ampere and Ada
# (8.x) and for Hopper (9.0), and as PTX, which the driver compiles for any newer GPU when it is
# first used.  Those for Hopper alone are built in any case.

include(CheckLanguage)

# Sets out to the installed compilers of libtorch's major version of CUDA.
function(plr_find_nvcc out)
  set(packages "${Libtorch_ROOT}/../nvidia/*"
               "${PROJECT_SOURCE_DIR}/.plr/venv/lib/python3*/site-packages/nvidia/*")
  list(TRANSFORM packages APPEND "/bin/nvcc")
  file(GLOB of_pip ${packages})
  find_program(on_path nvcc NO_CACHE)
  set(found "")
  foreach(nvcc "$ENV{CUDACXX}" "$ENV{CUDA_HOME}/bin/nvcc" ${of_pip} "${on_path}" /usr/local/cuda/bin/nvcc)
    cmake_path(NORMAL_PATH nvcc)  # torch/../nvidia and .plr/ are often the same
    if(EXISTS "${nvcc}" AND NOT nvcc IN_LIST found)
      execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE version ERROR_QUIET)
      if(version MATCHES "release ${Libtorch_CUDA_MAJOR}")
        list(APPEND found "${nvcc}")
      endif()
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

macro(plr_enable_cuda)
  if(NOT CMAKE_CUDA_COMPILER)
    plr_find_nvcc(plr_compilers)
    set(plr_cuda_flags "$ENV{CUDAFLAGS}")
    foreach(nvcc ${plr_compilers})
      set(ENV{CUDACXX} "${nvcc}")
      set(ENV{CUDAFLAGS} "${plr_cuda_flags}")
      # pip installs libraries in lib, where nvcc does not look for them.
      cmake_path(GET nvcc PARENT_PATH plr_cuda_lib)
      cmake_path(APPEND plr_cuda_lib ../lib)
      if(EXISTS "${plr_cuda_lib}/libcudart_static.a")
        set(ENV{CUDAFLAGS} "${plr_cuda_flags} -L${plr_cuda_lib}")
      endif()
      unset(CMAKE_CUDA_COMPILER CACHE)
      check_language(CUDA)
      if(CMAKE_CUDA_COMPILER)
        break()
      endif()
    endforeach()
  endif()
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      set(CMAKE_CUDA_ARCHITECTURES 80 90-real)
    endif()
    enable_language(CUDA)
    set(PLR_CUDA_INCLUDE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  else()
    set(plr_problem "was not found")
    if(plr_compilers)
      set(plr_problem "fails with this compiler or C library")
    endif()
    # The space keeps it on one line, which ./plr and the Python package read.
    message(WARNING " nvcc of CUDA ${Libtorch_CUDA_MAJOR} ${plr_problem}: training on a GPU works, but is slower")
  endif()
endmacro()
