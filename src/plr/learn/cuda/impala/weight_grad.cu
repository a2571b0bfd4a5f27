// Weight gradients of the IMPALA network's layers 1 to 14, as partial sums; one launch per layer.
//
// Grid: weight_grad_blocks(layer) thread blocks, which loop over tiles of the mini-batch.  Block:
// 256 or 384 threads, one warp per (shift dx, group of pixels).  Shared memory: WeightGradSmem.
// Ownership: a thread block owns every gridDim.x-th tile and one partial sum; a warp owns the
// weights of its shift, all taps dy, inputs and outputs, over its own pixels.  At the end the warps
// with different pixels are added in order.

#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/weight_grad.cuh"

namespace plr::cuda::impala {
namespace {

template <class Layers>
__global__ void __launch_bounds__(WeightGradWarp<Layers::kTile>::kThreads, Layers::kTile.blocks)
    weight_grad(const __grid_constant__ WeightGradMaps maps,
                const std::uint16_t* __restrict__ inputs,
                const std::uint16_t* __restrict__ output_grads, float* __restrict__ partials,
                int batch) {
  constexpr WeightGradTile T = Layers::kTile;
  using W = WeightGrad<T>;
  extern __shared__ __align__(128) std::uint8_t shared[];
  const W w(&maps, inputs, output_grads, batch, shared_address(shared));
  w.start_copies();
  typename W::Sums sums;
  if (T.shifts == 1 || w.shift == 0) {
    w.template sum_tiles<true>(sums);
  } else {
    w.template sum_tiles<false>(sums);
  }
  w.reduce_and_store(sums, reinterpret_cast<float*>(shared),
                     partials + blockIdx.x * ((9 * T.inputs + 1) * T.outputs), T.outputs);
}

}  // namespace

WeightGradMaps make_weight_grad_maps(int layer, const TrainBuffers& buffers, int batch) {
  WeightGradMaps maps;
  with_layers(layer, [&](auto layers) {
    constexpr WeightGradTile kTile = decltype(layers)::kTile;
    maps.inputs = make_tensor_map(buffers.inputs[layer], batch, kTile.side, kTile.inputs,
                                  {kTile.images, kTile.rows + 2, kTile.side + 2});
    maps.output_grads = make_tensor_map(buffers.output_grads[layer], batch, kTile.side,
                                        kTile.outputs, {kTile.images, kTile.rows, kTile.side});
  });
  return maps;
}

void launch_weight_grad(int layer, const TrainBuffers& buffers, const WeightGradMaps& maps,
                        int batch, cudaStream_t stream) {
  with_layers(layer, [&](auto layers) {
    using Layers = decltype(layers);
    using Smem = WeightGradSmem<Layers::kTile>;
    require(weight_grad<Layers>, {.shared_bytes = Smem::kTotal, .max_shared_carveout = true});
    weight_grad<Layers><<<static_cast<unsigned>(weight_grad_blocks(layer)),
                          WeightGradWarp<Layers::kTile>::kThreads, Smem::kTotal, stream>>>(
        maps, buffers.inputs[layer], buffers.output_grads[layer],
        buffers.weight_grad_partials[layer], batch);
  });
  check(cudaGetLastError(), "weight gradients of the IMPALA network");
}

}  // namespace plr::cuda::impala
