// Backward pass of the IMPALA network's convolutions on every GPU since Ampere: as backward.cu,
// without the bulk copy engine.
//
// Grid: one thread block per image.  Block: 512 threads, 16 warps.  Shared memory:
// PortableBackwardSmem, one thread block per multiprocessor.  A thread block owns an image;
// backward_stages.cuh says which rows and channels a warp owns in each stage.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/impala/backward_stages.cuh"
#include "plr/learn/cuda/impala/kernels.h"

namespace plr::cuda::impala::portable {
namespace {

using Smem = PortableBackwardSmem;
using Store = ThreadStore<kTrainThreads>;

template <bool RELU_SKIP>
__global__ void __launch_bounds__(kTrainThreads, 1)
    backward(const __grid_constant__ TrainBuffers buffers,
             const std::uint32_t* __restrict__ features,
             const std::uint32_t* __restrict__ features_grad) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const Store store{buffers.output_grads, static_cast<int>(blockIdx.x),
                    static_cast<int>(threadIdx.x)};
  const Backward<Smem, RELU_SKIP, Store> b(&buffers, store, shared_address(shared));
  b.start_copies();
  b.stage3(features, features_grad);
  b.stage2();
  b.stage1();
}

}  // namespace

void launch_backward(const TrainBuffers& buffers, bool relu_skip, int batch, const void* features,
                     const void* features_grad, cudaStream_t stream) {
  auto* kernel = relu_skip ? backward<true> : backward<false>;
  require(kernel, {.shared_bytes = Smem::kTotal, .max_shared_carveout = true});
  kernel<<<static_cast<unsigned>(batch), kTrainThreads, Smem::kTotal, stream>>>(
      buffers, static_cast<const std::uint32_t*>(features),
      static_cast<const std::uint32_t*>(features_grad));
  check(cudaGetLastError(), "backward pass of the IMPALA network");
}

}  // namespace plr::cuda::impala::portable
