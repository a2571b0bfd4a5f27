# plr_enable_cuda(): enables the language CUDA, for native kernels, if its compiler is installed.
#
# Call it after find_package(Libtorch), which finds CUDA's headers.
#
# Kernels are built for CMAKE_CUDA_ARCHITECTURES, by default as machine code for Ampere and Ada
# (8.x) and for Hopper (9.0), and as PTX, which the driver compiles for any newer GPU when it is
# first used.  Those for Hopper alone are built in any case.

macro(plr_enable_cuda)
  find_program(PLR_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin)
  if(PLR_NVCC AND Libtorch_CUDA_INCLUDE)
    set(CMAKE_CUDA_COMPILER "${PLR_NVCC}" CACHE FILEPATH "CUDA's compiler")
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      set(CMAKE_CUDA_ARCHITECTURES 80 90-real)
    endif()
    enable_language(CUDA)
  else()
    message(WARNING "CUDA's compiler was not found: training on a GPU works, but without native kernels, which is slower")
  endif()
endmacro()
