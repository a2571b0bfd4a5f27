// Backward pass of the LSTM's recurrence over all steps, from the last one to the first.
//
// Grid: a cluster of UNITS / 16 thread blocks per 8 sequences.  128 threads.
// Thread block r computes the gradients of the gates of units 16 r .. 16 r + 15 of 8 sequences, and
// multiplies them by their 64 rows of Wh, which stay in registers: its partial sums of the gradient
// of h of all units, warp w those of a quarter.  It sends the sums of 16 units to the thread block
// that has these units, which adds those of all thread blocks in order.
// Shared memory: two buffers, for even and for odd steps, of partial sums from all thread blocks,
// each with a barrier that counts their bytes; and two of the gradients of the gates as operands of
// the product.

#include "plr/learn/cuda/lstm/recurrence.cuh"

namespace plr::cuda::lstm {
namespace {

// The part of x that bf16 does not represent.
__device__ float remainder_of(float x) { return x - __bfloat162float(__float2bfloat16_rn(x)); }

__device__ Quad<true> make_quad(const float4& v, Quad<true>) {
  return {{pack_bf16(v.x, v.y), pack_bf16(v.z, v.w),
           pack_bf16(remainder_of(v.x), remainder_of(v.y)),
           pack_bf16(remainder_of(v.z), remainder_of(v.w))}};
}
__device__ Quad<false> make_quad(const float4& v, Quad<false>) {
  return {{pack_bf16(v.x, v.y), pack_bf16(v.z, v.w)}};
}

__device__ void mma(float (&c)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                    std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  const std::uint32_t a[4] = {a0, a1, a2, a3};
  mma_bf16(c, a, b0, b1);
}

// Sums of units 2 g and 2 g + 1, and of two sequences, 2 q and 2 q + 1.
struct Sums {
  float big[4] = {};
  float small[4] = {};

  __device__ void add(const Quad<true>& upper, const Quad<true>& lower, const Quad<true>& grad) {
    mma(small, upper.v.z, lower.v.z, upper.v.w, lower.v.w, grad.v.x, grad.v.y);
    mma(big, upper.v.x, lower.v.x, upper.v.y, lower.v.y, grad.v.x, grad.v.y);
    mma(small, upper.v.x, lower.v.x, upper.v.y, lower.v.y, grad.v.z, grad.v.w);
  }
  __device__ void add(const Quad<false>& upper, const Quad<false>& lower, const Quad<false>& grad) {
    mma(big, upper.v.x, lower.v.x, upper.v.y, lower.v.y, grad.v.x, grad.v.y);
  }
  __device__ uint4 bits() const {
    return {__float_as_uint(big[0] + small[0]), __float_as_uint(big[1] + small[1]),
            __float_as_uint(big[2] + small[2]), __float_as_uint(big[3] + small[3])};
  }
};

template <int UNITS, class Mode>
__global__ void __launch_bounds__(kThreads, 2)
    backward(const RecurrentPass pass, const typename Mode::Io* hidden_grad,
             typename Mode::Io* gates_grad) {
  constexpr bool kSplit = Mode::kSplit;
  using G = Quad<kSplit>;
  constexpr int kBlocks = UNITS / kBlockUnits;
  constexpr int kTiles = kBlocks / 4;  // of a warp, each the units of a thread block
  constexpr int kChunks = kBlockUnits / 4;
  constexpr int kOperandBytes = kSequences * kBlockUnits * static_cast<int>(sizeof(G));
  constexpr int kStepBytes = kBlocks * kThreads * 4;
  __shared__ alignas(16) float partials[2][kBlocks][kThreads];
  __shared__ alignas(128) std::uint8_t operands[2 * kOperandBytes];
  __shared__ alignas(8) std::uint64_t arrived[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int g = lane / 4;
  const int q = lane % 4;
  const int rank = cluster_rank();
  // A partial sum is sent by lane thread / 4 of a warp, as its number thread % 4.
  const int local_unit = thread / 16 * 2 + thread % 4 / 2;
  const int row = thread / 4 % 4 * 2 + thread % 2;  // of the cluster's sequences
  const int unit = rank * kBlockUnits + local_unit;
  const int wanted = static_cast<int>(blockIdx.x) / kBlocks * kSequences + row;
  const bool is_inside = wanted < pass.sequences;
  // Rows beyond the last sequence repeat it and are not stored.
  const int sequence = min(wanted, pass.sequences - 1);

  if (thread == 0) {
    mbarrier_init(shared_address(&arrived[0]), 1);
    mbarrier_init(shared_address(&arrived[1]), 1);
    fence_mbarrier_init();
    mbarrier_arrive_expect_tx(shared_address(&arrived[0]), kStepBytes);
    mbarrier_arrive_expect_tx(shared_address(&arrived[1]), kStepBytes);
  }

  // Rows are units of the gradient of h, columns the gates of this thread block: four units per
  // chunk, a quad is the four gates of a unit.
  G upper[kTiles][kChunks], lower[kTiles][kChunks];
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const float* weight = pass.hidden_weight +
                            static_cast<std::int64_t>(rank * kBlockUnits + 4 * c + q) * UNITS +
                            (warp * kTiles + tile) * kBlockUnits + 2 * g;
      float2 gate[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        gate[k] = __ldg(reinterpret_cast<const float2*>(weight + k * UNITS * UNITS));
      }
      upper[tile][c] = make_quad({gate[0].x, gate[1].x, gate[2].x, gate[3].x}, G{});
      lower[tile][c] = make_quad({gate[0].y, gate[1].y, gate[2].y, gate[3].y}, G{});
    }
  }

  const std::int64_t at = static_cast<std::int64_t>(sequence) * UNITS + unit;
  const std::int64_t step_size = static_cast<std::int64_t>(pass.sequences) * UNITS;
  using Saved = typename Mode::Saved;
  const auto* saved_gates = static_cast<const Saved*>(pass.gates);
  const std::int64_t state_at = static_cast<std::int64_t>(sequence) * 2 * UNITS + unit;
  // What a step reads, loaded two steps ahead and not converted before it is used.
  struct Inputs {
    Four<Saved> gates;
    float cell_before;  // without the reset
    typename Mode::Io hidden_grad;
    float reset;
  };
  const auto load = [&](int t) {
    t = max(t, 0);
    const std::int64_t here = t * step_size + at;
    return Inputs{load_four(saved_gates + 4 * here),
                  *(t > 0 ? pass.cells + here - step_size : pass.state + state_at),
                  hidden_grad[here],
                  pass.resets[static_cast<std::int64_t>(t) * pass.sequences + sequence]};
  };

  const int last = pass.steps - 1;
  float cell = pass.cells[last * step_size + at];  // after the step
  float cell_grad = 0;                             // through the step after, as the next
  float later_keep = 0;                            // 0 where the step after resets
  const std::uint32_t quad_address =
      shared_address(operands) + quad_offset<kSplit>(row, local_unit);
  const std::uint32_t column_address = shared_address(operands) + quad_offset<kSplit>(g, q);

  // The step that comes `number` steps after the first one, which is the sequence's last; it uses
  // buffer number % 2.  Replaces `inputs` by those of the next step but one.
  const auto run = [&](int number, int buffer, Inputs& inputs) {
    const int t = last - number;
    float grad = 0;
    if (number > 0) {
      const std::uint32_t barrier = shared_address(&arrived[buffer]);
      mbarrier_wait(barrier, (number - 1) / 2 % 2);  // at cluster scope it would invalidate L1
      if (thread == 0 && t >= 2) mbarrier_arrive_expect_tx(barrier, kStepBytes);
#pragma unroll
      for (int from = 0; from < kBlocks; ++from) grad += partials[buffer][from][thread];
    }
    grad = fmaf(grad, later_keep, to_float(inputs.hidden_grad));

    const auto [i_gate, f_gate, g_gate, o_gate] = unpack<Saved>(inputs.gates);
    const float keep = 1 - inputs.reset;
    const float cell_before = inputs.cell_before * keep;
    const float tanh_cell = tanh_of(cell);
    const float o_grad = grad * tanh_cell * o_gate * (1 - o_gate);
    const float c_grad = fmaf(grad * o_gate, 1 - tanh_cell * tanh_cell, cell_grad);
    const float i_grad = c_grad * g_gate * i_gate * (1 - i_gate);
    const float f_grad = c_grad * cell_before * f_gate * (1 - f_gate);
    const float g_grad = c_grad * i_gate * (1 - g_gate * g_gate);
    if (t > 0) {
      const std::uint32_t offset = buffer * kOperandBytes;
      store_quad(quad_address + offset, make_quad({i_grad, f_grad, g_grad, o_grad}, G{}));
      __syncthreads();
      Sums sums[kTiles];
#pragma unroll
      for (int c = 0; c < kChunks; ++c) {
        const G column = load_quad(column_address + offset + c * kOperandBytes / kChunks, G{});
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile) {
          sums[tile].add(upper[tile][c], lower[tile][c], column);
        }
      }
      const int to_buffer = 1 - buffer;
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        const int to = warp * kTiles + tile;
        st_async_16(mapa(shared_address(&partials[to_buffer][rank][4 * lane]), to),
                    sums[tile].bits(), mapa(shared_address(&arrived[to_buffer]), to));
      }
    }
    if (is_inside) {
      store_four(gates_grad + 4 * (t * step_size + at), {i_grad, f_grad, g_grad, o_grad});
    }
    cell_grad = c_grad * f_gate * keep;
    later_keep = keep;
    cell = inputs.cell_before;
    inputs = load(t - 2);
  };
  Inputs even = load(last);
  Inputs odd = load(last - 1);
  cluster_sync();
  for (int number = 0; number < pass.steps; number += 2) {
    run(number, 0, even);
    if (number + 1 < pass.steps) run(number + 1, 1, odd);
  }
}

template <int UNITS, class Mode>
void launch(const RecurrentPass& pass, const void* hidden_grad, void* gates_grad, void* stream) {
  using Io = typename Mode::Io;
  launch_clusters(backward<UNITS, Mode>, pass, 0, stream, "the backward pass of the LSTM", pass,
                  static_cast<const Io*>(hidden_grad), static_cast<Io*>(gates_grad));
}

}  // namespace

void recur_backward(const RecurrentPass& pass, const void* hidden_grad, void* gates_grad,
                    void* stream) {
  const bool is_exact = pass.numbers == Numbers::kExact;
  auto* function = pass.units == 128 ? (is_exact ? launch<128, Exact> : launch<128, Bf16>)
                                     : (is_exact ? launch<256, Exact> : launch<256, Bf16>);
  function(pass, hidden_grad, gates_grad, stream);
}

}  // namespace plr::cuda::lstm
