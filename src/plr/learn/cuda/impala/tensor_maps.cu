// Creates tensor maps through the driver; no kernels of its own.

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/impala/tensor_maps.h"

namespace plr::cuda::impala {
namespace {

// Looked up in the driver at run time, so that the program does not link libcuda.
PFN_cuTensorMapEncodeTiled_v12000 find_encoder() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         &result),
        "looking up cuTensorMapEncodeTiled");
  if (found == nullptr) {
    throw std::runtime_error(
        "CUDA: the driver does not support tensor maps; install a driver for CUDA 12 or later");
  }
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
}

}  // namespace

CUtensorMap make_tensor_map(void* tensor, int images, int side, int channels, const BoxShape& box) {
  static const PFN_cuTensorMapEncodeTiled_v12000 encode =
      find_encoder();  // the same on all devices
  const auto size = [](int n) { return static_cast<cuuint64_t>(n); };
  const auto count = [](int n) { return static_cast<cuuint32_t>(n); };
  const cuuint64_t shape[4] = {size(channels), size(side), size(side), size(images)};
  const cuuint64_t strides[3] = {size(channels * 2), size(side * channels * 2),
                                 size(side * side * channels * 2)};
  const cuuint32_t boxes[4] = {channels == 16 ? 24U : 40U, count(box.columns), count(box.rows),
                               count(box.images)};
  const cuuint32_t steps[4] = {1, 1, 1, 1};
  CUtensorMap map;
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, tensor, shape, strides, boxes, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("CUDA: creating a tensor map failed: error " + std::to_string(result));
  }
  return map;
}

}  // namespace plr::cuda::impala
