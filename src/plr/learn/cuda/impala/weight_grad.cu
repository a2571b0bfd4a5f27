#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/weight_grad.cuh"

namespace plr::cuda::impala {
namespace {

template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    weigh(const __grid_constant__ WeighMaps maps, const std::uint16_t* __restrict__ inputs,
          const std::uint16_t* __restrict__ gradients, float* __restrict__ parts, int batch) {
  using W = Weigher<S>;
  extern __shared__ __align__(128) std::uint8_t shared[];
  const W w(&maps, inputs, gradients, batch, shared_address(shared));
  w.begin();
  float sum[W::kShiftsEach][3][W::kInTiles][W::kOutTiles][4] = {};
  float bias[W::kOutTiles][4] = {};
  if (S::kShifts == 1 || w.shift == 0) {
    w.template sum_tiles<true>(sum, bias);
  } else {
    w.template sum_tiles<false>(sum, bias);
  }

  // Warps with other pixels add up one after the other.
  __syncthreads();
  auto* sums = reinterpret_cast<float*>(shared);
  const int g = w.lane >> 2;
  const int q = w.lane & 3;
#pragma unroll 1
  for (int turn = 0; turn < S::kPlaces; ++turn) {
    if (w.place == turn) {
#pragma unroll
      for (int s = 0; s < W::kShiftsEach; ++s) {
#pragma unroll
        for (int dy = 0; dy < 3; ++dy) {
#pragma unroll
          for (int i = 0; i < W::kInTiles; ++i) {
#pragma unroll
            for (int n = 0; n < W::kOutTiles; ++n) {
              const float (&v)[4] = sum[s][dy][i][n];
              const int row = (dy * 3 + w.shift + s) * S::kInputs + i * 16 + g;
              const int column = n * 8 + 2 * q;
              add_pair(sums + row * S::kSumPitch + column, turn == 0, v[0], v[1]);
              add_pair(sums + (row + 8) * S::kSumPitch + column, turn == 0, v[2], v[3]);
            }
          }
        }
      }
      if (w.shift == 0 && g == 0) {
#pragma unroll
        for (int n = 0; n < W::kOutTiles; ++n) {
          add_pair(sums + 9 * S::kInputs * S::kSumPitch + n * 8 + 2 * q, turn == 0, bias[n][0],
                   bias[n][1]);
        }
      }
    }
    __syncthreads();
  }
  constexpr int kSize = (9 * S::kInputs + 1) * S::kOutputs;
  for (int i = static_cast<int>(threadIdx.x); i < kSize; i += S::kThreads) {
    parts[blockIdx.x * kSize + i] = sums[i / S::kOutputs * S::kSumPitch + i % S::kOutputs];
  }
}

// Calls `use` with the shape of a layer.
template <class Use>
void with_shape(int layer, Use use) {
  if (layer <= 4) {
    use(Weigh1{});
  } else if (layer == 5) {
    use(Weigh5{});
  } else if (layer <= 10) {
    use(Weigh6{});
  } else {
    use(Weigh11{});
  }
}

}  // namespace

WeighMaps maps_to_weigh(int layer, const TrainBuffers& tape, int batch) {
  WeighMaps maps;
  with_shape(layer, [&](auto shape) {
    using S = decltype(shape);
    maps.inputs = make_map(tape.inputs[layer], batch, S::kSide, S::kInputs,
                           {S::kImages, S::kRows + 2, S::kSide + 2});
    maps.gradients = make_map(tape.gradients[layer], batch, S::kSide, S::kOutputs,
                              {S::kImages, S::kRows, S::kSide});
  });
  return maps;
}

void order_weigh(int layer, const TrainBuffers& tape, const WeighMaps& maps, int batch,
                 cudaStream_t stream) {
  with_shape(layer, [&](auto shape) {
    using S = decltype(shape);
    allow_memory(weigh<S>, S::kTotal);
    weigh<S><<<static_cast<unsigned>(sum_blocks(layer)), S::kThreads, S::kTotal, stream>>>(
        maps, tape.inputs[layer], tape.gradients[layer], tape.parts[layer], batch);
    check(cudaGetLastError(), "weighing gradients");
  });
}

}  // namespace plr::cuda::impala
