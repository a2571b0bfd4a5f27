// Forward pass of the IMPALA network's convolutions in training, on every GPU since Ampere: as
// forward.cu, without the bulk copy engine.
//
// Grid: one thread block per image.  Block: 512 threads, 16 warps.  Shared memory:
// PortableForwardSmem, one thread block per multiprocessor.  A thread block owns an image;
// forward_stages.cuh says which rows and channels a warp owns in each stage.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/impala/forward_stages.cuh"
#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/tile_store.cuh"

namespace plr::cuda::impala::portable {
namespace {

using Smem = PortableForwardSmem;
using Store = ThreadStore<kTrainThreads>;
using Save = SaveActivations<Store>;
static_assert(Smem::kThreads == kTrainThreads);

template <bool RELU_SKIP, class Pixel>
__global__ void __launch_bounds__(kTrainThreads, 1)
    forward(const __grid_constant__ TrainBuffers buffers, const Pixel* __restrict__ pixels,
            __nv_bfloat16* __restrict__ features) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const int image = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  const Save save{&buffers, {buffers.inputs, image, thread}, image, thread};
  const Forward<Smem, RELU_SKIP, Save> f(save, shared_address(shared), buffers.packed_weights);
  f.start_copies(buffers.biases);
  f.load_image(pixels + static_cast<std::int64_t>(image) * kImageSize);
  f.run(features + static_cast<std::int64_t>(image) * kNumFeatures);
}

template <bool RELU_SKIP, class Pixel>
void launch(const TrainBuffers& buffers, const void* pixels, int batch, void* features,
            cudaStream_t stream) {
  auto* kernel = forward<RELU_SKIP, Pixel>;
  require(kernel, {.shared_bytes = Smem::kTotal, .max_shared_carveout = true});
  kernel<<<static_cast<unsigned>(batch), kTrainThreads, Smem::kTotal, stream>>>(
      buffers, static_cast<const Pixel*>(pixels), static_cast<__nv_bfloat16*>(features));
  check(cudaGetLastError(), "forward pass of the IMPALA network");
}

}  // namespace

void launch_forward(const TrainBuffers& buffers, const Pixels& pixels, bool relu_skip, int batch,
                    void* features, cudaStream_t stream) {
  auto* launch_with =
      relu_skip ? (pixels.are_floats ? launch<true, float> : launch<true, std::uint8_t>)
                : (pixels.are_floats ? launch<false, float> : launch<false, std::uint8_t>);
  launch_with(buffers, pixels.data, batch, features, stream);
}

}  // namespace plr::cuda::impala::portable
