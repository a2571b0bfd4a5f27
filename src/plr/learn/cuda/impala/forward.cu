// Forward pass of the IMPALA network's convolutions in training: as in inference, and saves what
// the backward pass needs.
//
// Grid: one thread block per image.  Block: 512 threads, 16 warps.  Shared memory: ForwardSmem, one
// thread block per multiprocessor.  A thread block owns an image; forward_stages.cuh says which
// rows and channels a warp owns in each stage.

#include <cuda_runtime.h>

#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/impala/forward_stages.cuh"
#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/tile_store.cuh"

namespace plr::cuda::impala {
namespace {

constexpr int kSlots = 4;
using Smem = ForwardSmem<1, kSlots>;
using Save = SaveActivations<TensorStore>;
static_assert(Smem::kThreads == kTrainThreads);

template <bool RELU_SKIP, class Pixel>
__global__ void __launch_bounds__(kTrainThreads, 1)
    forward(const __grid_constant__ TrainBuffers buffers, const __grid_constant__ LayerMaps inputs,
            const Pixel* __restrict__ pixels, __nv_bfloat16* __restrict__ features) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const int image = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  const Save save{&buffers, {inputs.layer, image, thread}, image, thread};
  const Forward<Smem, RELU_SKIP, Save> f(save, shared_address(shared), buffers.packed_weights);
  f.start_copies(buffers.biases);
  f.load_image(pixels + static_cast<std::int64_t>(image) * kImageSize);
  f.run(features + static_cast<std::int64_t>(image) * kNumFeatures);
  // Shared memory is freed with the thread block: its stores must have read it.
  if (thread == 0) cp_async_bulk_wait_read();
}

template <bool RELU_SKIP, class Pixel>
void launch(const TrainBuffers& buffers, const LayerMaps& inputs, const void* pixels, int batch,
            void* features, cudaStream_t stream) {
  auto* kernel = forward<RELU_SKIP, Pixel>;
  require(kernel, {.shared_bytes = Smem::kTotal, .max_shared_carveout = true});
  kernel<<<static_cast<unsigned>(batch), kTrainThreads, Smem::kTotal, stream>>>(
      buffers, inputs, static_cast<const Pixel*>(pixels), static_cast<__nv_bfloat16*>(features));
  check(cudaGetLastError(), "forward pass of the IMPALA network");
}

}  // namespace

void launch_forward(const TrainBuffers& buffers, const LayerMaps& inputs, const Pixels& pixels,
                    bool relu_skip, int batch, void* features, cudaStream_t stream) {
  auto* launch_with =
      relu_skip ? (pixels.are_floats ? launch<true, float> : launch<true, std::uint8_t>)
                : (pixels.are_floats ? launch<false, float> : launch<false, std::uint8_t>);
  launch_with(buffers, inputs, pixels.data, batch, features, stream);
}

}  // namespace plr::cuda::impala
