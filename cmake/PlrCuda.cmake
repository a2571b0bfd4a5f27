# plr_enable_cuda(): enables the language CUDA, for native kernels, if its compiler is installed.
#
# Call it after find_package(Libtorch), which finds CUDA's headers.

macro(plr_enable_cuda)
  find_program(PLR_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin)
  if(PLR_NVCC AND Libtorch_CUDA_INCLUDE)
    set(CMAKE_CUDA_COMPILER "${PLR_NVCC}" CACHE FILEPATH "CUDA's compiler")
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80 90)  # Ampere and later
    endif()
    enable_language(CUDA)
  else()
    message(WARNING "CUDA's compiler was not found: training on a GPU works, but without native kernels, which is slower")
  endif()
endmacro()
