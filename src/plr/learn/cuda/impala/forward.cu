#include <cuda_runtime.h>

#include "plr/learn/cuda/impala/forward_stages.cuh"
#include "plr/learn/cuda/impala/kernels.h"

namespace plr::cuda::impala {
namespace {

constexpr int kSlots = 4;
using Memory = SeeMemory<1, kSlots>;
static_assert(Memory::kThreads == kLearnThreads);

// A block per image, which sees as an agent that acts does, and keeps all that learning needs.
template <bool RELU_SKIP, class Pixel>
__global__ void __launch_bounds__(kLearnThreads, 1)
    forward(const __grid_constant__ TrainBuffers tape, const __grid_constant__ LayerMaps inputs,
            const Pixel* __restrict__ pixels, __nv_bfloat16* __restrict__ features) {
  extern __shared__ __align__(128) std::uint8_t shared[];
  const int image = static_cast<int>(blockIdx.x);
  const KeepOnTape keep{&tape, inputs.of, image, static_cast<int>(threadIdx.x)};
  const Seer<1, kSlots, RELU_SKIP, KeepOnTape> s(keep, shared_address(shared), tape.weights);
  s.begin(tape.biases);
  s.take_image(pixels + static_cast<std::int64_t>(image) * kImageNumbers);
  s.see(features + static_cast<std::int64_t>(image) * kNumFeatures);
  if (threadIdx.x == 0) wait_until_sent();  // shared memory lives as long as the block
}

template <bool RELU_SKIP, class Pixel>
void launch(const TrainBuffers& tape, const LayerMaps& inputs, const void* pixels, int batch,
            void* features, cudaStream_t stream) {
  auto* kernel = forward<RELU_SKIP, Pixel>;
  allow_memory(kernel, Memory::kTotal);
  kernel<<<static_cast<unsigned>(batch), kLearnThreads, Memory::kTotal, stream>>>(
      tape, inputs, static_cast<const Pixel*>(pixels), static_cast<__nv_bfloat16*>(features));
  check(cudaGetLastError(), "the pass forward");
}

}  // namespace

void order_forward(const TrainBuffers& tape, const LayerMaps& inputs, const Pixels& pixels,
                   bool relu_skip, int batch, void* features, cudaStream_t stream) {
  auto* order = relu_skip
                    ? (pixels.are_floats ? launch<true, float> : launch<true, std::uint8_t>)
                    : (pixels.are_floats ? launch<false, float> : launch<false, std::uint8_t>);
  order(tape, inputs, pixels.data, batch, features, stream);
}

}  // namespace plr::cuda::impala
