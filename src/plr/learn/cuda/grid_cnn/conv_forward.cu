// Forward pass of the grid CNN's three convolutions, on tensor cores.
//
// Computes conv 1, max pool, ReLU, conv 2, ReLU, conv 3, ReLU.  Saves the output of conv 2 and the
// features in bf16.
//
// Grid: at most two thread blocks per multiprocessor of a Hopper (kMaxConvBlocks); a thread block
// loops over groups of one to four images.  Block: 256 threads, 8 warps.
// Shared memory, at most kBlockBytes: per image its two copies and the outputs of conv 1 and conv 2
// (ConvForwardSmem), then the raw observations of the next group.
// Ownership: a thread block owns whole images.  A warp owns 16 output channels of each layer, whose
// weights stay in its registers, and shares the tiles of 16 pixels of all images with the warps
// that have the same channels.

#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/common/kernel_attributes.h"
#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

// Offsets of one image's arrays, in bytes; its two copies come first.
struct ConvForwardSmem {
  int conv1, conv2, total;
  __host__ __device__ explicit ConvForwardSmem(const Tiling& tiling)
      : conv1(2 * tiling.image_bytes),
        conv2(conv1 + tiling.conv1_bytes()),
        total(conv2 + tiling.conv2_bytes()) {}
};

// The warps that share the tiles of a layer with OUT channels, 16 per warp.
template <int OUT>
struct ChannelGroups {
  static constexpr int kGroups = OUT / 16;
  static constexpr int kWarpsPerGroup = kConvWarps / kGroups;
};

// A 2x2 convolution with ReLU of two tiles and 16 channels.  Calls store(which tile, pixel in the
// tile, four channels in bf16).
template <int IN, class Store>
__device__ void conv2x2_relu(const Tiling& tiling, const std::uint32_t (&tiles)[2], int lane,
                             const WeightFragments<4 * IN>& weights, Store store) {
  constexpr int kPitch = 2 * IN + 16;
  const std::uint32_t lane_offset = lane % 16 * kPitch + lane / 16 * 16;
  Accumulator sums[2] = {Accumulator(weights.bias), Accumulator(weights.bias)};
#pragma unroll
  for (int k = 0; k < IN / 4; ++k) {  // 16 inputs of one tap
    const std::uint32_t offset =
        lane_offset + tiling.tap_offset(k / (IN / 16)) * kPitch + k % (IN / 16) * 32;
    std::uint32_t a[2][4];
    ldmatrix_x4(a[0], tiles[0] + offset);
    ldmatrix_x4(a[1], tiles[1] + offset);
    sums[0].add(a[0], weights.weight[k]);
    sums[1].add(a[1], weights.weight[k]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Accumulator& sum = sums[i / 2];
    store(i / 2, i % 2 * 8 + lane / 4,
          uint2{pack_bf16(relu(sum.at(i % 2, 0)), relu(sum.at(i % 2, 1))),
                pack_bf16(relu(sum.at(i % 2, 2)), relu(sum.at(i % 2, 3)))});
  }
}

// conv 2 and conv 3 are not functions of their own: with them the compiler made 7 % more
// instructions.
template <int CHANNELS, int POOL_TAPS>
__global__ void __launch_bounds__(kConvThreads, 2)
    conv_trunk_forward(Tiling tiling, TrainPass pass, SavedActivations saved, int images_at_once) {
  extern __shared__ uint4 aligned_memory[];
  auto* memory = reinterpret_cast<char*>(aligned_memory);
  const ConvForwardSmem smem(tiling);
  char* raw = memory + images_at_once * smem.total;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int stride = static_cast<int>(gridDim.x) * images_at_once;
  const int start = static_cast<int>(blockIdx.x) * images_at_once;
  const auto count_at = [&](int begin) { return min(images_at_once, pass.batch - begin); };
  const RawObs obs(tiling, pass);
  obs.load(start, count_at(start), raw);
  cp_async_commit();
  zero_memory(memory, images_at_once * smem.total);

  using Conv2Groups = ChannelGroups<kConv2Channels>;
  using Conv3Groups = ChannelGroups<CHANNELS>;
  const int conv2_channel = warp % Conv2Groups::kGroups * 16;
  const int conv3_channel = warp % Conv3Groups::kGroups * 16;
  const WeightFragments<16> weights1(saved.fragments1, pass.weights.conv1_bias, 0, lane);
  const WeightFragments<4 * kConv1Channels> weights2(saved.fragments2, pass.weights.conv2_bias,
                                                     conv2_channel, lane);
  const WeightFragments<4 * kConv2Channels> weights3(saved.fragments3, pass.weights.conv3_bias,
                                                     conv3_channel, lane);
  cp_async_wait<0>();
  __syncthreads();
  make_images(tiling, obs, raw, start, count_at(start), memory, smem.total);

  // The next group's observations are copied while this group is convolved.
  for (int begin = start; begin < pass.batch; begin += stride) {
    const int count = count_at(begin);
    const int next = begin + stride;
    __syncthreads();
    if (next < pass.batch) obs.load(next, count_at(next), raw);
    cp_async_commit();
    for (int index = warp; index < count * tiling.conv1_tiles; index += kConvWarps) {
      const int i = tiling.by_conv1_tiles(index);
      char* image = memory + i * smem.total;
      conv1_pool_relu<POOL_TAPS, false>(tiling, shared_address(image),
                                        index - i * tiling.conv1_tiles, lane, weights1,
                                        image + smem.conv1, nullptr);
    }
    __syncthreads();
    // conv 2: into shared memory, and saved.
    const int num_conv2_tiles = count * tiling.conv2_tiles;
    for (int index = warp / Conv2Groups::kGroups; index < num_conv2_tiles;
         index += 2 * Conv2Groups::kWarpsPerGroup) {
      int image[2], tile[2];
      std::uint32_t inputs[2];
      for (int k = 0; k < 2; ++k) {  // the last tile twice if there is no second one
        const int mine = min(index + k * Conv2Groups::kWarpsPerGroup, num_conv2_tiles - 1);
        image[k] = tiling.by_conv2_tiles(mine);
        tile[k] = mine - image[k] * tiling.conv2_tiles;
        inputs[k] = shared_address(memory + image[k] * smem.total + smem.conv1) +
                    tile[k] * kTile * kConv1Pitch;
      }
      const int channel = conv2_channel + lane % 4 * 4;
      conv2x2_relu<kConv1Channels>(
          tiling, inputs, lane, weights2, [&](int k, int pixel, uint2 activation) {
            pixel += tile[k] * kTile;
            if (pixel >= tiling.conv2_pixels) return;
            // The last pixel of a row is padding.
            if (pixel - tiling.by_pitch(pixel) * tiling.pitch == tiling.pitch - 1) activation = {};
            *reinterpret_cast<uint2*>(memory + image[k] * smem.total + smem.conv2 +
                                      pixel * kConv2Pitch + channel * 2) = activation;
            const std::int64_t row =
                static_cast<std::int64_t>(begin + image[k]) * tiling.conv2_pixels + pixel;
            *reinterpret_cast<uint2*>(saved.conv2_out + row * kConv2Channels + channel) =
                activation;
          });
    }
    cp_async_wait<0>();
    __syncthreads();
    // conv 1 is done with the images, so that the next ones may take their place.
    if (next < pass.batch) {
      make_images(tiling, obs, raw, next, count_at(next), memory, smem.total);
    }
    // conv 3: the features, without padding.
    const int rows = tiling.rows - 2;
    const int columns = tiling.pitch - 2;
    const int num_conv3_tiles = count * tiling.conv3_tiles;
    for (int index = warp / Conv3Groups::kGroups; index < num_conv3_tiles;
         index += 2 * Conv3Groups::kWarpsPerGroup) {
      int image[2], tile[2];
      std::uint32_t inputs[2];
      for (int k = 0; k < 2; ++k) {  // the last tile twice if there is no second one
        const int mine = min(index + k * Conv3Groups::kWarpsPerGroup, num_conv3_tiles - 1);
        image[k] = tiling.by_conv3_tiles(mine);
        tile[k] = mine - image[k] * tiling.conv3_tiles;
        inputs[k] = shared_address(memory + image[k] * smem.total + smem.conv2) +
                    tile[k] * kTile * kConv2Pitch;
      }
      __nv_bfloat16* features = saved.features +
                                static_cast<std::int64_t>(begin) * rows * columns * CHANNELS +
                                conv3_channel + lane % 4 * 4;
      conv2x2_relu<kConv2Channels>(
          tiling, inputs, lane, weights3, [&](int k, int pixel, uint2 activation) {
            pixel += tile[k] * kTile;
            const int y = tiling.by_pitch(pixel);
            const int x = pixel - y * tiling.pitch;
            if (y >= rows || x >= columns) return;
            const int at = ((image[k] * rows + y) * columns + x) * CHANNELS;
            *reinterpret_cast<uint2*>(features + at) = activation;
          });
    }
  }
}

}  // namespace

void launch_conv_forward(const TrainPass& pass, const SavedActivations& saved, void* stream) {
  const Tiling tiling(pass.shape);
  const auto bytes_for = [&](int images) {
    return images * ConvForwardSmem(tiling).total + raw_bytes(tiling, pass.obs_are_floats, images);
  };
  const int images_at_once = choose_images_at_once(bytes_for);
  const int blocks = std::min((pass.batch + images_at_once - 1) / images_at_once, kMaxConvBlocks);
  const int bytes = bytes_for(images_at_once);
  const bool is_wide = pass.shape.channels == 64;
  const auto kernel = pass.shape.pool
                          ? (is_wide ? conv_trunk_forward<64, 4> : conv_trunk_forward<32, 4>)
                          : (is_wide ? conv_trunk_forward<64, 1> : conv_trunk_forward<32, 1>);
  require(kernel, {.shared_bytes = bytes});
  kernel<<<blocks, kConvThreads, bytes, static_cast<cudaStream_t>(stream)>>>(tiling, pass, saved,
                                                                             images_at_once);
}

}  // namespace plr::cuda::grid_cnn
