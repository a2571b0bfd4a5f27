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
__global__ void __launch_bounds__(WeightGradSmem<Layers::kTile>::kThreads, Layers::kTile.blocks)
    weight_grad(const __grid_constant__ WeightGradMaps maps,
                const std::uint16_t* __restrict__ inputs,
                const std::uint16_t* __restrict__ output_grads, float* __restrict__ partials,
                int batch) {
  constexpr WeightGradTile T = Layers::kTile;
  using W = WeightGrad<T>;
  using Smem = WeightGradSmem<T>;
  extern __shared__ __align__(128) std::uint8_t shared[];
  const W w(&maps, inputs, output_grads, batch, shared_address(shared));
  w.start_copies();
  float sum[W::kShiftsPerWarp][3][W::kInTiles][W::kOutTiles][4] = {};
  float bias[W::kOutTiles][4] = {};
  if (T.shifts == 1 || w.shift == 0) {
    w.template sum_tiles<true>(sum, bias);
  } else {
    w.template sum_tiles<false>(sum, bias);
  }

  // The warps with different pixels add their sums one after another.
  __syncthreads();
  auto* sums = reinterpret_cast<float*>(shared);
  const int g = w.lane >> 2;
  const int q = w.lane & 3;
#pragma unroll 1
  for (int group = 0; group < T.pixel_groups; ++group) {
    if (w.pixel_group == group) {
#pragma unroll
      for (int s = 0; s < W::kShiftsPerWarp; ++s) {
#pragma unroll
        for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
          for (int i = 0; i < W::kInTiles; ++i) {
#pragma unroll
            for (int n = 0; n < W::kOutTiles; ++n) {
              const float (&v)[4] = sum[s][dy][i][n];
              const int row = (dy * 3 + w.shift + s) * T.inputs + i * 16 + g;
              const int column = n * 8 + 2 * q;
              add_pair(sums + row * Smem::kSumPitch + column, group == 0, v[0], v[1]);
              add_pair(sums + (row + 8) * Smem::kSumPitch + column, group == 0, v[2], v[3]);
            }
          }
        }
      }
      if (w.shift == 0 && g == 0) {
#pragma unroll
        for (int n = 0; n < W::kOutTiles; ++n) {
          add_pair(sums + 9 * T.inputs * Smem::kSumPitch + n * 8 + 2 * q, group == 0, bias[n][0],
                   bias[n][1]);
        }
      }
    }
    __syncthreads();
  }
  constexpr int kSize = (9 * T.inputs + 1) * T.outputs;
  for (int i = static_cast<int>(threadIdx.x); i < kSize; i += Smem::kThreads) {
    partials[blockIdx.x * kSize + i] = sums[i / T.outputs * Smem::kSumPitch + i % T.outputs];
  }
}

// Calls use(configuration of the layer).
template <class Use>
void with_layers(int layer, Use use) {
  if (layer < kStage2) {
    use(Stage1Layers());
  } else if (layer == kStage2) {
    use(Stage2Conv());
  } else if (layer <= kStage3) {
    use(Stage2Layers());
  } else {
    use(Stage3Layers());
  }
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
    weight_grad<Layers><<<static_cast<unsigned>(weight_grad_blocks(layer)), Smem::kThreads,
                          Smem::kTotal, stream>>>(maps, buffers.inputs[layer],
                                                  buffers.output_grads[layer],
                                                  buffers.weight_grad_partials[layer], batch);
  });
  check(cudaGetLastError(), "weight gradients of the IMPALA network");
}

}  // namespace plr::cuda::impala
