// Backward pass of the grid CNN's three convolutions, on tensor cores.
//
// From the gradients of the features it computes the weight gradients of conv 3, conv 2 and conv 1
// as partial sums, and on the way the input gradients of conv 3 and conv 2.  The output of conv 1
// is recomputed.
//
// Grid: at most two thread blocks per multiprocessor of a Hopper (kMaxConvBlocks); a thread block
// loops over groups of one to four images and writes one ConvPartial at the end.  Block: 256
// threads, 8 warps. Shared memory, at most kBlockBytes where several images fit: the weights of
// conv 2 and conv 3 in bf16, raw observations, then per image the arrays of ConvBackwardSmem.
// Ownership: a thread block owns whole images.  For input gradients a warp owns tiles of pixels.
// For the weight gradients of conv 3 and conv 2 it owns one tap and half of the output channels
// over all pixels; for those of conv 1 it owns all weights over its own pixels, and the warps are
// added at the end.  All weight gradients stay in registers over all images.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

// Two bf16 ones: a product with them sums over pixels.
constexpr std::uint32_t kOnes = 0x3F803F80;

// Bytes per output channel of the weights, [out][2][2][in], with padding against bank conflicts.
constexpr int kConv2WeightPitch = 2 * 4 * kConv1Channels + 16;
constexpr int kConv3WeightPitch = 2 * 4 * kConv2Channels + 16;

// Weight gradients of conv 1 of one warp: [16 outputs][4 taps][4 channels], the fourth the bias.
constexpr int kConv1GradSize = 256;

// Offsets of one image's arrays, in bytes; its two copies come first.
struct ConvBackwardSmem {
  int conv1, argmax, conv2, conv2_grad, conv3_grad, total;
  __host__ __device__ ConvBackwardSmem(const Tiling& tiling, int channels)
      : conv1(2 * tiling.image_bytes),
        argmax(conv1 + tiling.conv1_bytes()),
        conv2(argmax + tiling.argmax_bytes()),
        conv2_grad(conv2 + tiling.conv2_bytes()),
        conv3_grad(conv2_grad + tiling.conv2_grad_bytes()),
        total(conv3_grad + tiling.conv3_grad_bytes(channels)) {}
};

__host__ __device__ constexpr int weight_bytes(int channels) {
  return kConv2Channels * kConv2WeightPitch + channels * kConv3WeightPitch;
}

// ---- copies ------------------------------------------------------------------------------------

// Starts to copy [rows][BYTES] in global memory to rows `pitch` bytes apart in shared memory.
template <int BYTES>
__device__ void copy_rows(const void* from, int rows, int pitch, char* to) {
  constexpr int kChunks = BYTES / 16;
  for (int i = static_cast<int>(threadIdx.x); i < rows * kChunks; i += kConvThreads) {
    cp_async_16(shared_address(to + i / kChunks * pitch + i % kChunks * 16),
                static_cast<const char*>(from) + i * 16);
  }
}

// The same for the gradients of the features, which have no padding pixels in global memory.
template <int CHANNELS>
__device__ void copy_conv3_grad(const Tiling& tiling, const __nv_bfloat16* from, char* to) {
  constexpr int kChunks = CHANNELS / 8;
  const int columns = tiling.pitch - 2;
  const Divisor by_columns(columns);
  for (int i = static_cast<int>(threadIdx.x); i < (tiling.rows - 2) * columns * kChunks;
       i += kConvThreads) {
    const int pixel = i / kChunks;
    const int padded = pixel + by_columns(pixel) * (tiling.pitch - columns);
    cp_async_16(shared_address(to + padded * conv3_pitch(CHANNELS) + i % kChunks * 16),
                from + i * 8);
  }
}

// ---- products ----------------------------------------------------------------------------------

// This lane's offset for a transposed ldmatrix of 16x16: as the left or as the right operand.
template <int PITCH>
__device__ std::uint32_t left_lane_offset(int lane) {
  return (lane % 8 + lane / 16 * 8) * PITCH + lane / 8 % 2 * 16;
}
template <int PITCH>
__device__ std::uint32_t right_lane_offset(int lane) {
  return lane % 16 * PITCH + lane / 16 * 16;
}

// Weight gradients of one tap of a 2x2 kernel, 16 * M_TILES outputs and 8 * N_TILES inputs: the sum
// over pixels of output gradient times input.  If `with_bias`, that of the bias too.  Both
// addresses are this lane's, of 16 pixels by 16 channels.
template <int M_TILES, int N_TILES, int GRAD_PITCH, int INPUT_PITCH>
__device__ void add_weight_grads(std::uint32_t grads, std::uint32_t inputs, int tiles,
                                 bool with_bias, float (&sum)[M_TILES][N_TILES][4],
                                 float (&bias)[M_TILES][4]) {
  for (int tile = 0; tile < tiles; ++tile) {
    std::uint32_t a[M_TILES][4], b[N_TILES / 2][4];
#pragma unroll
    for (int i = 0; i < M_TILES; ++i) {
      ldmatrix_x4_trans(a[i], grads + tile * kTile * GRAD_PITCH + i * 32);
    }
#pragma unroll
    for (int j = 0; j < N_TILES / 2; ++j) {
      ldmatrix_x4_trans(b[j], inputs + tile * kTile * INPUT_PITCH + j * 32);
    }
#pragma unroll
    for (int i = 0; i < M_TILES; ++i) {
#pragma unroll
      for (int j = 0; j < N_TILES; ++j) {
        mma_bf16(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
      if (with_bias) mma_bf16(bias[i], a[i], kOnes, kOnes);
    }
  }
}

// Input gradients of conv 3 for two tiles of pixels, masked by the ReLU of conv 2's output.
template <int CHANNELS>
__device__ void conv3_input_grad(const Tiling& tiling, const ConvBackwardSmem& smem, char* image,
                                 std::uint32_t conv3_weights, int first_tile, int lane) {
  constexpr int kPitch = conv3_pitch(CHANNELS);
  const std::uint32_t grads =
      shared_address(image + smem.conv3_grad) + right_lane_offset<kPitch>(lane);
  const int tile[2] = {first_tile, min(first_tile + 1, tiling.conv2_tiles - 1)};
  const std::uint32_t weights = conv3_weights + right_lane_offset<kConv3WeightPitch>(lane);
  float sum[2][4][4] = {};
#pragma unroll
  for (int tap = 0; tap < 4; ++tap) {
    const int offset = tiling.guard() - tiling.tap_offset(tap);  // of the output that used this tap
#pragma unroll
    for (int chunk = 0; chunk < CHANNELS / 16; ++chunk) {
      std::uint32_t a[2][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        ldmatrix_x4(a[i], grads + (tile[i] * kTile + offset) * kPitch + chunk * 32);
        ldmatrix_x4_trans(
            b[i], weights + chunk * 16 * kConv3WeightPitch + (tap * kConv2Channels + i * 16) * 2);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          mma_bf16(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int pixel = tile[i / 2] * kTile + i % 2 * 8 + lane / 4;
    if (pixel >= tiling.conv2_pixels) continue;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int column = (j * 8 + lane % 4 * 2) * 2;
      const auto activations = *reinterpret_cast<const std::uint32_t*>(
          image + smem.conv2 + pixel * kConv2Pitch + column);
      const float* x = &sum[i / 2][j][i % 2 * 2];
      *reinterpret_cast<std::uint32_t*>(image + smem.conv2_grad +
                                        (tiling.guard() + pixel) * kConv2Pitch + column) =
          mask_by_relu(pack_bf16(x[0], x[1]), activations);
    }
  }
}

// Adds the weight gradients of conv 1 from 16 pixels.  The gradients of its output are computed
// with channels as rows, which puts them into the fragments that the next product needs.
template <int POOL_TAPS>
__device__ void add_conv1_weight_grad(const Tiling& tiling, const ConvBackwardSmem& smem,
                                      char* image, std::uint32_t conv2_weights, int tile, int lane,
                                      float (&sum)[2][4]) {
  // [pixel][channel] as columns of the right operand.
  const std::uint32_t grads = shared_address(image + smem.conv2_grad) +
                              (tile * kTile + lane % 8 + lane / 16 * 8) * kConv2Pitch +
                              lane / 8 % 2 * 16;
  const std::uint32_t weights = conv2_weights + left_lane_offset<kConv2WeightPitch>(lane);
  float conv1_grad[2][4] = {};
#pragma unroll
  for (int tap = 0; tap < 4; ++tap) {
    const int offset = tiling.guard() - tiling.tap_offset(tap);
#pragma unroll
    for (int chunk = 0; chunk < kConv2Channels / 16; ++chunk) {
      std::uint32_t a[4], b[4];
      ldmatrix_x4_trans(a, weights + chunk * 16 * kConv2WeightPitch + tap * kConv1Channels * 2);
      ldmatrix_x4(b, grads + offset * kConv2Pitch + chunk * 32);
      mma_bf16(conv1_grad[0], a, b[0], b[1]);
      mma_bf16(conv1_grad[1], a, b[2], b[3]);
    }
  }
  // The max pool routes the gradient to its argmax.
  const auto* argmax_bytes = reinterpret_cast<const std::uint8_t*>(image + smem.argmax) +
                             (tile * kTile + lane % 4 * 2) * kConv1Channels + lane / 4;
  int argmax[2][4];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      argmax[i][j] = argmax_bytes[(i * 8 + j % 2) * kConv1Channels + j / 2 * 8];
    }
  }
  const std::uint32_t patches = patch_address(tiling, shared_address(image), tile, lane);
#pragma unroll
  for (int tap = 0; tap < POOL_TAPS; ++tap) {
    const auto routed_grad = [&](int i, int j) {
      return argmax[i][j] == tap + 1 ? conv1_grad[i][j] : 0.0F;
    };
    const std::uint32_t a[4] = {pack_bf16(routed_grad(0, 0), routed_grad(0, 1)),
                                pack_bf16(routed_grad(0, 2), routed_grad(0, 3)),
                                pack_bf16(routed_grad(1, 0), routed_grad(1, 1)),
                                pack_bf16(routed_grad(1, 2), routed_grad(1, 3))};
    std::uint32_t b[4];
    ldmatrix_x4_trans(b, patches + pool_tap_offset(tiling, tap));
    mma_bf16(sum[0], a, b[0], b[1]);
    mma_bf16(sum[1], a, b[2], b[3]);
  }
}

// ---- partial sums ------------------------------------------------------------------------------

// The weight gradients that a warp holds in registers.
template <int CHANNELS>
struct WarpGrads {
  static constexpr int kConv3Tiles = CHANNELS / 32;
  float conv3[kConv3Tiles][4][4] = {};
  float conv3_bias[kConv3Tiles][4] = {};
  float conv2[1][2][4] = {};
  float conv2_bias[1][4] = {};
  float conv1[2][4] = {};
};

// Writes the weight gradients of conv 3 and conv 2: of one tap, and half of the outputs.
template <int CHANNELS>
__device__ void store_conv3_conv2(const WarpGrads<CHANNELS>& grads, const ConvPartial& partial,
                                  int tap, int half, int lane, float* to) {
#pragma unroll
  for (int i = 0; i < 2 * WarpGrads<CHANNELS>::kConv3Tiles; ++i) {
    const int out = half * CHANNELS / 2 + i * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float* row = to + partial.conv3 + (out * 4 + tap) * kConv2Channels + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(row) = {grads.conv3[i / 2][j][i % 2 * 2],
                                         grads.conv3[i / 2][j][i % 2 * 2 + 1]};
    }
    if (tap == 0 && lane % 4 == 0) {
      to[partial.conv3_bias + out] = grads.conv3_bias[i / 2][i % 2 * 2];
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int out = half * 16 + i * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float* row = to + partial.conv2 + (out * 4 + tap) * kConv1Channels + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(row) = {grads.conv2[0][j][i * 2], grads.conv2[0][j][i * 2 + 1]};
    }
    if (tap == 0 && lane % 4 == 0) to[partial.conv2_bias + out] = grads.conv2_bias[0][i * 2];
  }
}

// Adds the weight gradients of conv 1 of all warps, in order of warps, and writes them.  The fourth
// channel, which is one in the image, gives the bias.  `memory`: kConvWarps * kConv1GradSize
// floats.
__device__ void reduce_and_store_conv1(const float (&sum)[2][4], const ConvPartial& partial,
                                       int warp, int lane, char* memory, float* to) {
  __syncthreads();
  auto* sums = reinterpret_cast<float*>(memory);  // [warp][out][tap][channel]
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    sums[warp * kConv1GradSize + (i / 2 % 2 * 8 + lane / 4) * 16 + i / 4 * 8 + lane % 4 * 2 +
         i % 2] = sum[i / 4][i % 4];
  }
  __syncthreads();
  static_assert(kConv1GradSize == kConvThreads, "a thread has one number");
  float total = 0;
  for (int w = 0; w < kConvWarps; ++w) total += sums[w * kConv1GradSize + threadIdx.x];
  const int out_and_tap = static_cast<int>(threadIdx.x) / 4;
  const int channel = static_cast<int>(threadIdx.x) % 4;
  if (channel < kObsChannels) to[partial.conv1 + out_and_tap * kObsChannels + channel] = total;
  if (threadIdx.x % 16 == kObsChannels) to[partial.conv1_bias + out_and_tap / 4] = total;
}

// ---- kernel ------------------------------------------------------------------------------------

template <int CHANNELS, int POOL_TAPS>
__global__ void __launch_bounds__(kConvThreads, 2)
    conv_backward(Tiling tiling, TrainPass pass, SavedActivations saved, BackwardScratch scratch,
                  int images_at_once) {
  extern __shared__ uint4 aligned_memory[];
  auto* memory = reinterpret_cast<char*>(aligned_memory);
  const ConvBackwardSmem smem(tiling, CHANNELS);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  char* conv2_weights = memory;
  char* conv3_weights = conv2_weights + kConv2Channels * kConv2WeightPitch;
  char* raw = memory + weight_bytes(CHANNELS);
  char* images = raw + raw_bytes(tiling, pass.obs_are_floats, images_at_once);
  zero_memory(images, images_at_once * smem.total);
  copy_rows<2 * 4 * kConv1Channels>(saved.conv2_weights, kConv2Channels, kConv2WeightPitch,
                                    conv2_weights);
  copy_rows<2 * 4 * kConv2Channels>(saved.conv3_weights, CHANNELS, kConv3WeightPitch,
                                    conv3_weights);
  const RawObs obs(tiling, pass);
  const int features = (tiling.rows - 2) * (tiling.pitch - 2) * CHANNELS;
  const auto count_at = [&](int begin) { return min(images_at_once, pass.batch - begin); };
  const auto load = [&](int begin) {
    for (int i = 0; i < count_at(begin); ++i) {
      char* image = images + i * smem.total;
      const std::int64_t n = begin + i;
      copy_conv3_grad<CHANNELS>(tiling, scratch.features_grad + n * features,
                                image + smem.conv3_grad + tiling.guard() * conv3_pitch(CHANNELS));
      // The last pixel is padding, and has no room.
      copy_rows<2 * kConv2Channels>(saved.conv2_out + n * tiling.conv2_pixels * kConv2Channels,
                                    tiling.conv2_pixels - 1, kConv2Pitch, image + smem.conv2);
    }
    obs.load(begin, count_at(begin), raw);
  };

  // The weights whose gradients this warp sums for conv 3 and conv 2.
  constexpr int kConv3Pitch = conv3_pitch(CHANNELS);
  const int tap = warp % 4;
  const int half = warp / 4;
  WarpGrads<CHANNELS> grads;

  const int stride = static_cast<int>(gridDim.x) * images_at_once;
  const int start = static_cast<int>(blockIdx.x) * images_at_once;
  __syncthreads();  // the zeros are written
  load(start);
  cp_async_commit();
  for (int begin = start; begin < pass.batch; begin += stride) {
    const int count = count_at(begin);
    cp_async_wait<0>();
    __syncthreads();

    // conv 3: input gradients, by tiles; weight gradients, by taps.
    make_images(tiling, obs, raw, begin, count, images, smem.total);
    const int pairs = (tiling.conv2_tiles + 1) / 2;
    for (int index = warp; index < count * pairs; index += kConvWarps) {
      conv3_input_grad<CHANNELS>(tiling, smem, images + index / pairs * smem.total,
                                 shared_address(conv3_weights), index % pairs * 2, lane);
    }
    for (int i = 0; i < count; ++i) {
      const std::uint32_t image = shared_address(images + i * smem.total);
      add_weight_grads<WarpGrads<CHANNELS>::kConv3Tiles, 4, kConv3Pitch, kConv2Pitch>(
          image + smem.conv3_grad + tiling.guard() * kConv3Pitch + half * CHANNELS +
              left_lane_offset<kConv3Pitch>(lane),
          image + smem.conv2 + tiling.tap_offset(tap) * kConv2Pitch +
              right_lane_offset<kConv2Pitch>(lane),
          tiling.conv3_tiles, tap == 0, grads.conv3, grads.conv3_bias);
    }
    __syncthreads();

    // conv 3 is done with its arrays: the next group's are copied from here on.
    if (begin + stride < pass.batch) load(begin + stride);
    cp_async_commit();
    const WeightFragments<16> weights1(saved.fragments1, pass.weights.conv1_bias, 0, lane);
    for (int index = warp; index < count * tiling.conv1_tiles; index += kConvWarps) {
      const int i = tiling.by_conv1_tiles(index);
      char* image = images + i * smem.total;
      conv1_pool_relu<POOL_TAPS, true>(tiling, shared_address(image),
                                       index - i * tiling.conv1_tiles, lane, weights1,
                                       image + smem.conv1, image + smem.argmax);
    }
    __syncthreads();

    // conv 2 and conv 1: weight gradients.
    for (int index = warp; index < count * tiling.conv1_tiles; index += kConvWarps) {
      const int i = tiling.by_conv1_tiles(index);
      add_conv1_weight_grad<POOL_TAPS>(tiling, smem, images + i * smem.total,
                                       shared_address(conv2_weights),
                                       index - i * tiling.conv1_tiles, lane, grads.conv1);
    }
    for (int i = 0; i < count; ++i) {
      const std::uint32_t image = shared_address(images + i * smem.total);
      add_weight_grads<1, 2, kConv2Pitch, kConv1Pitch>(
          image + smem.conv2_grad + tiling.guard() * kConv2Pitch + half * 32 +
              left_lane_offset<kConv2Pitch>(lane),
          image + smem.conv1 + tiling.tap_offset(tap) * kConv1Pitch +
              right_lane_offset<kConv1Pitch>(lane),
          tiling.conv2_tiles, tap == 0, grads.conv2, grads.conv2_bias);
    }
  }

  const ConvPartial partial(CHANNELS);
  float* to = scratch.conv_partials + static_cast<std::int64_t>(blockIdx.x) * partial.size;
  store_conv3_conv2(grads, partial, tap, half, lane, to);
  reduce_and_store_conv1(grads.conv1, partial, warp, lane, images, to);
}

}  // namespace

int conv_backward_smem_bytes(const Shape& shape) {
  const Tiling tiling(shape);
  return weight_bytes(shape.channels) + raw_bytes(tiling, /*are_floats=*/true, 1) +
         ConvBackwardSmem(tiling, shape.channels).total;
}

int launch_conv_backward(const TrainPass& pass, const SavedActivations& saved,
                         const BackwardScratch& scratch, void* stream) {
  const Tiling tiling(pass.shape);
  const int channels = pass.shape.channels;
  const auto bytes_for = [&](int images) {
    // Small images need less than the reduction at the end.
    constexpr int kReductionBytes = kConvWarps * kConv1GradSize * static_cast<int>(sizeof(float));
    return weight_bytes(channels) + raw_bytes(tiling, pass.obs_are_floats, images) +
           std::max(images * ConvBackwardSmem(tiling, channels).total, kReductionBytes);
  };
  const int images_at_once = choose_images_at_once(bytes_for);
  const int blocks = std::min((pass.batch + images_at_once - 1) / images_at_once, kMaxConvBlocks);
  const bool is_wide = channels == 64;
  const auto kernel = pass.shape.pool ? (is_wide ? conv_backward<64, 4> : conv_backward<32, 4>)
                                      : (is_wide ? conv_backward<64, 1> : conv_backward<32, 1>);
  const int bytes = bytes_for(images_at_once);
  require(kernel, {.shared_bytes = bytes});
  kernel<<<blocks, kConvThreads, bytes, static_cast<cudaStream_t>(stream)>>>(
      tiling, pass, saved, scratch, images_at_once);
  return blocks;
}

}  // namespace plr::cuda::grid_cnn
