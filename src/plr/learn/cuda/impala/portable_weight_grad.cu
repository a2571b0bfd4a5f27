// Weight gradients of the IMPALA network's layers 1 to 14 on every GPU since Ampere, as partial
// sums; one launch per layer.
//
// Grid: x is weight_grad_blocks(layer) thread blocks, which loop over tiles of the mini-batch; y is
// the share of the layer's outputs.  Block: 256 or 384 threads, one warp per (shift dx, group of
// pixels).  Shared memory: WeightGradSmem.  Ownership as in weight_grad.cu.

#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/portable_weight_grad.cuh"

namespace plr::cuda::impala::portable {
namespace {

// Two tiles of Stage2Conv with all of its outputs do not fit.
PLR_HOST_DEVICE constexpr WeightGradTile tile_of(WeightGradTile tile) {
  if (tile.inputs < tile.outputs) tile.outputs /= 2;
  return tile;
}

template <class Layers>
__global__ void __launch_bounds__(WeightGradWarp<tile_of(Layers::kTile)>::kThreads,
                                  Layers::kTile.blocks)
    weight_grad(const std::uint16_t* __restrict__ inputs,
                const std::uint16_t* __restrict__ output_grads, float* __restrict__ partials,
                int batch) {
  constexpr WeightGradTile T = tile_of(Layers::kTile);
  constexpr int kOutputs = Layers::kTile.outputs;
  using W = WeightGrad<T, kOutputs>;
  extern __shared__ __align__(128) std::uint8_t shared[];
  const int first_output = static_cast<int>(blockIdx.y) * T.outputs;
  const W w(inputs, output_grads, batch, first_output, shared_address(shared));
  if (static_cast<int>(blockIdx.x) < W::num_tiles(batch)) w.load(static_cast<int>(blockIdx.x), 0);
  w.zero_sides();
  typename W::Sums sums;
  if (T.shifts == 1 || w.shift == 0) {
    w.template sum_tiles<true>(sums);
  } else {
    w.template sum_tiles<false>(sums);
  }
  w.reduce_and_store(sums, reinterpret_cast<float*>(shared),
                     partials + blockIdx.x * ((9 * T.inputs + 1) * kOutputs) + first_output,
                     kOutputs);
}

}  // namespace

void launch_weight_grad(int layer, const TrainBuffers& buffers, int batch, cudaStream_t stream) {
  with_layers(layer, [&](auto layers) {
    using Layers = decltype(layers);
    constexpr WeightGradTile T = tile_of(Layers::kTile);
    constexpr int kBytes = WeightGradSmem<T>::kTotal;
    require(weight_grad<Layers>, {.shared_bytes = kBytes, .max_shared_carveout = true});
    const dim3 grid(static_cast<unsigned>(weight_grad_blocks(layer)),
                    Layers::kTile.outputs / T.outputs);
    weight_grad<Layers><<<grid, WeightGradWarp<T>::kThreads, kBytes, stream>>>(
        buffers.inputs[layer], buffers.output_grads[layer], buffers.weight_grad_partials[layer],
        batch);
  });
  check(cudaGetLastError(), "weight gradients of the IMPALA network");
}

}  // namespace plr::cuda::impala::portable
