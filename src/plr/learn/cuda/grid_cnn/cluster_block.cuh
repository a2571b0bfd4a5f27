// One thread block's part of inference by clusters (cluster_inference.h).
//
// All functions are called by all threads of all thread blocks of a cluster, in this order:
//
//   ClusterBlock<32> block(shape, layout, job, state, memory);
//   block.start_copies(packed);         // of the weights
//   block.load(obs, first_word);        // if has_image()
//   block.infer(item, ...);             // after a barrier of the cluster
//
// Thread blocks exchange data in two phases: features, then partial sums of the hidden units.  Each
// receiver counts the bytes with a barrier of its own.
#pragma once

#include "plr/learn/cuda/common/obs_range.cuh"
#include "plr/learn/cuda/common/ptx.cuh"
#include "plr/learn/cuda/common/sample_action.cuh"
#include "plr/learn/cuda/common/take_item.cuh"
#include "plr/learn/cuda/grid_cnn/cluster_layers.cuh"

namespace plr::cuda::grid_cnn {

__device__ inline uint4 as_words(const float4& v) {
  return {__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w)};
}

// The part of shared memory that does not depend on the shape.
struct ClusterState {
  alignas(8) std::uint64_t weights_arrived;  // all but those of the hidden layers
  alignas(8) std::uint64_t hidden_arrived;   // those of the hidden layers
  alignas(8) std::uint64_t features_arrived;
  alignas(8) std::uint64_t partials_arrived;
  float half_sums[2][kUnits];
  float units[kUnits];
  float outputs[kMaxInferredActions + 1];  // the logits, then the value
};

template <int CHANNELS>
struct ClusterBlock {
  const Shape& shape;
  const ClusterLayout& layout;
  const InferenceJob& job;
  ClusterState& state;
  float* memory;
  int rank, thread;

  __device__ ClusterBlock(const Shape& s, const ClusterLayout& l, const InferenceJob& j,
                          ClusterState& block_state, float* dynamic_memory)
      : shape(s),
        layout(l),
        job(j),
        state(block_state),
        memory(dynamic_memory),
        rank(cluster_rank()),
        thread(static_cast<int>(threadIdx.x)) {
    if (thread == 0) {
      mbarrier_init(shared_address(&state.weights_arrived), 1);
      mbarrier_init(shared_address(&state.hidden_arrived), 1);
      mbarrier_init(shared_address(&state.features_arrived), 1);
      mbarrier_init(shared_address(&state.partials_arrived), 1);
      fence_mbarrier_init();
    }
  }

  __device__ bool has_image() const { return rank < layout.images; }
  __device__ int image_bytes() const { return shape.height * shape.width * kObsChannels; }

  // Starts to copy the packed weights.
  __device__ void start_copies(const float* packed) const {
    if (thread != 0) return;
    const float* from = packed + static_cast<std::int64_t>(rank) * layout.weights_end;
    constexpr int kFloat = sizeof(float);
    expect_and_cp_async_bulk(shared_address(memory), from, layout.hidden_weights * kFloat,
                             shared_address(&state.weights_arrived));
    expect_and_cp_async_bulk(shared_address(memory + layout.hidden_weights),
                             from + layout.hidden_weights,
                             (layout.weights_end - layout.hidden_weights) * kFloat,
                             shared_address(&state.hidden_arrived));
  }

  // ---- observation -----------------------------------------------------------------------------

  __device__ ObsRange<uint4> obs_of(int slot) const {
    return ObsRange<uint4>(job, slot, image_bytes());
  }

  __device__ const std::uint8_t* bytes_of(const ObsRange<uint4>& obs) const {
    return reinterpret_cast<const std::uint8_t*>(memory + layout.raw) + obs.skew;
  }

  // Copies an observation to shared memory, given this thread's first word of it, and splits it
  // into quads.
  __device__ void load(const ObsRange<uint4>& obs, const uint4& first_word) const {
    auto* raw = reinterpret_cast<uint4*>(memory + layout.raw);
    if (thread < obs.num_words) raw[thread] = first_word;
    for (int i = thread + kClusterThreads; i < obs.num_words; i += kClusterThreads) {
      raw[i] = obs.load(i);
    }
    __syncthreads();
    const std::uint8_t* bytes = bytes_of(obs);
    for (int i = thread; i < shape.height * shape.width; i += kClusterThreads) {
      quad_at(memory + layout.image + 4 * i) =
          split_halves({static_cast<float>(bytes[3 * i]), static_cast<float>(bytes[3 * i + 1]),
                        static_cast<float>(bytes[3 * i + 2]), 0.0F});
    }
  }

  // Stores the observation where the rollout keeps it.
  __device__ void store_obs(const std::uint8_t* bytes, const collect::InferenceItem& item) const {
    std::uint8_t* to = history_of(job, item, image_bytes());
    if (to == nullptr) return;
    for (int i = thread; i < image_bytes(); i += kClusterThreads) to[i] = bytes[i];
  }

  // ---- layers ----------------------------------------------------------------------------------

  // Three convolutions; sends the features to the thread blocks that multiply them.
  __device__ void convolve() const {
    const float* biases = memory + layout.conv_biases;
    const int pitch = layout.pitch;
    const int conv1_pixels = layout.rows * pitch;
    if (shape.pool) {
      conv1_layer<2>(memory + layout.image, shape.width, memory + layout.conv1_weights, biases,
                     conv1_pixels, pitch, memory + layout.conv1);
    } else {
      conv1_layer<1>(memory + layout.image, shape.width, memory + layout.conv1_weights, biases,
                     conv1_pixels, pitch, memory + layout.conv1);
    }
    __syncthreads();
    float* conv2 = memory + layout.conv2;
    conv2x2_layer<kConv1Channels, kConv2Channels>(
        memory + layout.conv1, memory + layout.conv2_weights, biases + kConv1Channels,
        (layout.rows - 1) * pitch, pitch, [&](int pixel, int channel, const float4& v) {
          quad_at(conv2 + conv2_out_at(pixel, channel)) = activation_quad(v);
        });
    __syncthreads();
    const int rows = layout.rows - 2;
    const int columns = pitch - 2;
    const std::uint32_t features =
        shared_address(memory + layout.features + rank * layout.features_pitch);
    const std::uint32_t arrived = shared_address(&state.features_arrived);
    conv2x2_layer<kConv2Channels, CHANNELS>(
        conv2, memory + layout.conv3_weights, biases + kConv1Channels + kConv2Channels,
        rows * pitch, pitch, [&](int pixel, int channel, const float4& v) {
          const int y = pixel / pitch;
          const int x = pixel - y * pitch;
          if (y >= rows || x >= columns) return;
          const int chunk = (y * columns + x) * (CHANNELS / kChunk) + channel / kChunk;
          const int to = chunk % kClusterBlocks;
          const int offset = chunk / kClusterBlocks * kChunk + channel % kChunk;
          st_async_16(mapa(features + offset * 4, to), activation_quad(v), mapa(arrived, to));
        });
  }

  // Sends the sums of 8 images to the thread blocks that compute their heads.
  __device__ void send_partials(const TileSum& sum, int first_image) const {
    // Neighboring rows exchange halves: even ones then have four units of image 2 q, odd ones of
    // image 2 q + 1.
    const int g = lane_row();
    const bool is_odd = g % 2 == 1;
    float v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = sum.at(i) * (1 / kActivationScale);
    const float x = __shfl_xor_sync(kWholeWarp, is_odd ? v[0] : v[1], 4);
    const float y = __shfl_xor_sync(kWholeWarp, is_odd ? v[2] : v[3], 4);
    const float4 units = is_odd ? float4{x, y, v[1], v[3]} : float4{v[0], v[2], x, y};
    const int to = first_image + 2 * lane_quarter() + (is_odd ? 1 : 0);
    if (to >= layout.images) return;
    const float* partial = memory + layout.partials + rank * kUnits + 16 * warp_index() + g / 2 * 4;
    st_async_16(mapa(shared_address(partial), to), as_words(units),
                mapa(shared_address(&state.partials_arrived), to));
  }

  // Multiplies this thread block's features of all images.
  template <int TILES>
  __device__ void multiply() const {
    TileSum sums[TILES];
    hidden_layer(memory + layout.hidden_weights, layout.hidden_pitch, memory + layout.features,
                 layout.features_pitch, layout.chunks_of(rank), sums);
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) send_partials(sums[tile], 8 * tile);
  }

  // Reduces the partial sums in order of thread blocks, and computes the heads.
  __device__ void compute_heads() const {
    const int unit = thread % kUnits;
    const int half = thread / kUnits;
    float total = 0;
#pragma unroll
    for (int i = 0; i < kClusterBlocks / 2; ++i) {
      total += memory[layout.partials + (half * (kClusterBlocks / 2) + i) * kUnits + unit];
    }
    state.half_sums[half][unit] = total;
    __syncthreads();
    if (thread < kUnits) {
      const float bias = memory[layout.hidden_biases + thread];
      state.units[thread] = tanhf(bias + state.half_sums[0][thread] + state.half_sums[1][thread]);
    }
    __syncthreads();
    const int lane = thread % 32;
    for (int i = warp_index(); i <= job.num_actions; i += kClusterWarps) {
      const bool is_value = i == job.num_actions;
      const float* row = memory + layout.heads + i * kHidden;
      const float* units = state.units + (is_value ? kHidden : 0);
      const float dot = warp_sum(units[lane] * row[lane] + units[lane + 32] * row[lane + 32]);
      if (lane == 0) state.outputs[i] = dot + memory[layout.head_biases + i];
    }
    __syncthreads();
  }

  // The whole network for the observation that has been loaded, or a part of the hidden layers if
  // this thread block has no image.  `bytes` is the observation; it and the result are stored if
  // `is_wanted`.
  __device__ void infer(const collect::InferenceItem& item, const std::uint8_t* bytes,
                        bool is_wanted) const {
    const std::uint32_t features_arrived = shared_address(&state.features_arrived);
    const std::uint32_t partials_arrived = shared_address(&state.partials_arrived);
    if (thread == 0) {
      constexpr int kFloat = sizeof(float);
      mbarrier_arrive_expect_tx(features_arrived,
                                layout.images * layout.chunks_of(rank) * kChunk * kFloat);
      if (has_image()) {
        mbarrier_arrive_expect_tx(partials_arrived, kClusterBlocks * kUnits * kFloat);
      }
    }
    if (has_image()) {
      __syncthreads();
      mbarrier_wait(shared_address(&state.weights_arrived), 0);
      convolve();
      if (is_wanted) store_obs(bytes, item);
    }
    mbarrier_wait(shared_address(&state.hidden_arrived), 0);
    mbarrier_wait_cluster(features_arrived, 0);
    if (layout.images <= 8) {
      multiply<1>();
    } else {
      multiply<2>();
    }
    if (!has_image()) return;
    mbarrier_wait_cluster(partials_arrived, 0);
    compute_heads();
    if (warp_index() != 0 || !is_wanted) return;
    const int lane = thread % 32;
    sample_action(job, item, state.outputs[min(lane, job.num_actions)],
                  state.outputs[job.num_actions]);
  }
};

}  // namespace plr::cuda::grid_cnn
