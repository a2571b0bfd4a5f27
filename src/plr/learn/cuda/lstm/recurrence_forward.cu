// Forward pass of the LSTM's recurrence over all steps.
//
// Grid: a cluster of UNITS / 16 thread blocks per 8 sequences.  128 threads.
// Thread block r computes units 16 r .. 16 r + 15 of 8 sequences: the product of 64 rows of Wh,
// warp w those of units 4 w .. 4 w + 3, which stay in registers, with h of all units.  It then
// sends its part of h to all thread blocks of the cluster.
// Shared memory: two buffers, for even and for odd steps, of h of all units before a step, as
// operands of the product, each with a barrier that counts the bytes of h as they arrive.  There is
// no other barrier: a step starts when all of h is there.  Two buffers suffice, since no thread
// block sends h of step t + 1 before it has all of h of step t, which the others send after they
// have read the buffer of step t - 1.

#include "plr/learn/cuda/common/split_half.cuh"
#include "plr/learn/cuda/lstm/recurrence.cuh"

namespace plr::cuda::lstm {
namespace {

__device__ Quad<true> make_quad(const float4& v, Quad<true>) { return {split_halves(v)}; }
__device__ Quad<false> make_quad(const float4& v, Quad<false>) {
  return {{half2_bits(__floats2half2_rn(v.x, v.y)), half2_bits(__floats2half2_rn(v.z, v.w))}};
}

__device__ void send(std::uint32_t to, const Quad<true>& quad, std::uint32_t barrier) {
  st_async_16(to, quad.v, barrier);
}
__device__ void send(std::uint32_t to, const Quad<false>& quad, std::uint32_t barrier) {
  st_async_8(to, quad.v, barrier);
}

// Sums of two rows of Wh, g and g + 8, and the columns of two sequences, 2 q and 2 q + 1.
struct Sums {
  float big[2][4] = {};
  float small[2][4] = {};

  __device__ void add(int chunk, const Quad<true>& upper, const Quad<true>& lower,
                      const Quad<true>& h) {
    mma_f16(small[0], upper.v.z, lower.v.z, upper.v.w, lower.v.w, h.v.x, h.v.y);
    mma_f16(small[1], upper.v.x, lower.v.x, upper.v.y, lower.v.y, h.v.z, h.v.w);
    mma_f16(big[chunk % 2], upper.v.x, lower.v.x, upper.v.y, lower.v.y, h.v.x, h.v.y);
  }
  __device__ void add(int chunk, const Quad<false>& upper, const Quad<false>& lower,
                      const Quad<false>& h) {
    auto& sum = chunk % 4 < 2 ? big : small;
    mma_f16(sum[chunk % 2], upper.v.x, lower.v.x, upper.v.y, lower.v.y, h.v.x, h.v.y);
  }
  template <bool SPLIT>
  __device__ float at(int k) const {
    constexpr float kScale = SPLIT ? 1 / kSmallScale : 1.0F;
    return fmaf(small[0][k] + small[1][k], kScale, big[0][k] + big[1][k]);
  }
};

template <int UNITS, class Mode>
__global__ void __launch_bounds__(kThreads, 2)
    forward(const RecurrentPass pass, const typename Mode::Io* x_gates, typename Mode::Io* hidden,
            typename Mode::Io* hidden_before) {
  constexpr bool kSplit = Mode::kSplit;
  using H = Quad<kSplit>;
  constexpr int kBlocks = UNITS / kBlockUnits;
  constexpr int kChunks = UNITS / 16;
  constexpr int kStepBytes = kSequences * UNITS / 4 * static_cast<int>(sizeof(H));
  __shared__ alignas(128) std::uint8_t memory[2 * kStepBytes];
  __shared__ alignas(8) std::uint64_t arrived[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  const int lane = thread % 32;
  const int g = lane / 4;
  const int q = lane % 4;
  const int rank = cluster_rank();
  const int first_sequence = static_cast<int>(blockIdx.x) / kBlocks * kSequences;
  const bool is_upper = g >= 4;
  const int unit = rank * kBlockUnits + 4 * warp + g % 4;
  const int row = 2 * q + (is_upper ? 1 : 0);  // of the cluster's sequences
  const bool is_inside = first_sequence + row < pass.sequences;
  // Rows beyond the last sequence repeat it and are not stored.
  const int sequence = min(first_sequence + row, pass.sequences - 1);

  if (thread == 0) {
    mbarrier_init(shared_address(&arrived[0]), 1);
    mbarrier_init(shared_address(&arrived[1]), 1);
    fence_mbarrier_init();
    mbarrier_arrive_expect_tx(shared_address(&arrived[0]), kStepBytes);
    mbarrier_arrive_expect_tx(shared_address(&arrived[1]), kStepBytes);
  }

  // Gates i and f are rows g, gates g and o rows g + 8.
  H upper[kChunks], lower[kChunks];
  const float* weight =
      pass.hidden_weight + static_cast<std::int64_t>((is_upper ? UNITS : 0) + unit) * UNITS + 4 * q;
#pragma unroll
  for (int c = 0; c < kChunks; ++c) {
    upper[c] = make_quad(__ldg(reinterpret_cast<const float4*>(weight + 16 * c)), H{});
    lower[c] =
        make_quad(__ldg(reinterpret_cast<const float4*>(weight + 2 * UNITS * UNITS + 16 * c)), H{});
  }

  // h before the first step, by every thread block for itself.
  for (int i = thread; i < kSequences * UNITS / 4; i += kThreads) {
    const int s = i / (UNITS / 4);
    const int k = i % (UNITS / 4);
    const std::int64_t from = min(first_sequence + s, pass.sequences - 1);
    const float4 h =
        *reinterpret_cast<const float4*>(pass.state + from * 2 * UNITS + UNITS + 4 * k);
    const float keep = 1 - pass.resets[from];
    store_quad(shared_address(memory) + quad_offset<kSplit>(s, k),
               make_quad({h.x * keep, h.y * keep, h.z * keep, h.w * keep}, H{}));
  }

  // Of this thread's unit and sequence, at the first step.
  const std::int64_t at = static_cast<std::int64_t>(sequence) * UNITS + unit;
  const std::int64_t state_at = static_cast<std::int64_t>(sequence) * 2 * UNITS + unit;
  const std::int64_t step_size = static_cast<std::int64_t>(pass.sequences) * UNITS;
  // What a step reads, loaded two steps ahead and not converted before it is used.
  using Io = typename Mode::Io;
  struct Inputs {
    Four<Io> x;
    float reset_after;  // of the step after it
  };
  const int last = pass.steps - 1;
  const auto load = [&](int t) {
    t = min(t, last);
    const std::int64_t after = min(t + 1, last);
    return Inputs{load_four(x_gates + 4 * (t * step_size + at)),
                  pass.resets[after * pass.sequences + sequence]};
  };
  const float first_keep = 1 - pass.resets[sequence];
  float cell = first_keep * pass.state[state_at];  // before the step
  if (is_inside) store(hidden_before + at, first_keep * pass.state[state_at + UNITS]);
  // Four lanes have a quad of h; each sends it to a quarter of the cluster.
  const std::uint32_t quad_address =
      shared_address(memory) + quad_offset<kSplit>(row, rank * 4 + warp);
  const std::uint32_t column_address = shared_address(memory) + quad_offset<kSplit>(g, q);

  // Step t, which uses buffer t % 2; replaces `inputs` by those of step t + 2.
  const auto step = [&](int t, int buffer, Inputs& inputs) {
    const bool is_last = t == last;
    if (t > 0) {
      const std::uint32_t barrier = shared_address(&arrived[buffer]);
      mbarrier_wait(barrier, (t - 1) / 2 % 2);  // at cluster scope it would invalidate L1
      if (thread == 0 && t + 2 < pass.steps) mbarrier_arrive_expect_tx(barrier, kStepBytes);
    }
    Sums sums;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      constexpr int kChunkBytes = 4 * kSequences * static_cast<int>(sizeof(H));
      sums.add(c, upper[c], lower[c],
               load_quad(column_address + buffer * kStepBytes + c * kChunkBytes, H{}));
    }
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = sums.at<kSplit>(k);
    const Gates gates = gates_of_lane(v, is_upper);
    const float4 x = unpack<Io>(inputs.x);
    const float keep = 1 - inputs.reset_after;
    const float i_gate = sigmoid(x.x + gates.i);
    const float f_gate = sigmoid(x.y + gates.f);
    const float g_gate = tanh_of(x.z + gates.g);
    const float o_gate = sigmoid(x.w + gates.o);
    cell = f_gate * cell + i_gate * g_gate;
    const float h = o_gate * tanh_of(cell);
    const float h_next = h * keep;  // before the next step

    if (!is_last) {
      const int from = (is_upper ? 16 : 0) + q;
      const float4 units = {
          __shfl_sync(kWholeWarp, h_next, from), __shfl_sync(kWholeWarp, h_next, from + 4),
          __shfl_sync(kWholeWarp, h_next, from + 8), __shfl_sync(kWholeWarp, h_next, from + 12)};
      const H quad = make_quad(units, H{});
      const int next = 1 - buffer;
#pragma unroll
      for (int k = 0; k < kBlocks / 4; ++k) {
        const int to = g % 4 * (kBlocks / 4) + k;
        send(mapa(quad_address + next * kStepBytes, to), quad,
             mapa(shared_address(&arrived[next]), to));
      }
    }
    if (is_inside) {
      const std::int64_t here = t * step_size + at;
      store_four(static_cast<typename Mode::Saved*>(pass.gates) + 4 * here,
                 {i_gate, f_gate, g_gate, o_gate});
      pass.cells[here] = cell;
      store(hidden + here, h);
      if (!is_last) store(hidden_before + here + step_size, h_next);
    }
    cell *= keep;
    inputs = load(t + 2);
  };
  Inputs even = load(0);
  Inputs odd = load(1);
  cluster_sync();
  for (int t = 0; t < pass.steps; t += 2) {
    step(t, 0, even);
    if (t + 1 < pass.steps) step(t + 1, 1, odd);
  }
}

template <int UNITS, class Mode>
void launch(const RecurrentPass& pass, const void* x_gates, void* hidden, void* hidden_before,
            void* stream) {
  using Io = typename Mode::Io;
  launch_clusters(forward<UNITS, Mode>, pass, 0, stream, "the forward pass of the LSTM", pass,
                  static_cast<const Io*>(x_gates), static_cast<Io*>(hidden),
                  static_cast<Io*>(hidden_before));
}

}  // namespace

bool can_recur(int units) { return units == 128 || units == 256; }

void recur_forward(const RecurrentPass& pass, const void* x_gates, void* hidden,
                   void* hidden_before, void* stream) {
  const bool is_exact = pass.numbers == Numbers::kExact;
  auto* function = pass.units == 128 ? (is_exact ? launch<128, Exact> : launch<128, Bf16>)
                                     : (is_exact ? launch<256, Exact> : launch<256, Bf16>);
  function(pass, x_gates, hidden, hidden_before, stream);
}

}  // namespace plr::cuda::lstm
