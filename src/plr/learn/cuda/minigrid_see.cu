#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/minigrid_steps.h"

namespace plr::cuda {
namespace {

// ---- pack --------------------------------------------------------------------------------------

constexpr int kPackThreads = 256;

// Two floats a thread, of all layers one after another.
__global__ void __launch_bounds__(kPackThreads)
    pack(MinigridWeights from, MinigridSaved to, int channels, int num_features, bool shared) {
  int i = static_cast<int>(blockIdx.x) * kPackThreads + static_cast<int>(threadIdx.x);
  const auto pair = [](const float* p) { return pack_bf16(p[0], p[1]); };
  if (i < kFirst * 8) {
    const float* place = from.conv1 + (i / 2) * kIn;  // [out][2][2]
    to.conv1[i] = i % 2 == 0 ? pair(place) : pack_bf16(place[2], 0.0F);
    return;
  }
  i -= kFirst * 8;
  if (i < kSecond * 4 * kFirst / 2) {
    to.conv2[i] = pair(from.conv2 + 2 * i);
    return;
  }
  i -= kSecond * 4 * kFirst / 2;
  if (i < channels * 4 * kSecond / 2) {
    to.conv3[i] = pair(from.conv3 + 2 * i);
    return;
  }
  i -= channels * 4 * kSecond / 2;
  const int half = kHidden * num_features / 2;
  if (i >= 2 * half) return;
  auto* hidden = reinterpret_cast<std::uint32_t*>(to.hidden);
  if (i < half) {
    hidden[i] = pair(from.actor + 2 * i);
  } else {
    hidden[i] = shared ? 0 : pair(from.critic + 2 * (i - half));
  }
}

// ---- see ---------------------------------------------------------------------------------------

// Of one image, in bytes: the image twice, then what two convolutions make of it.
struct SeeLayout {
  int first, second, total;
  __host__ __device__ explicit SeeLayout(const Grid& grid)
      : first(2 * grid.image_bytes),
        second(first + grid.first_bytes()),
        total(second + grid.second_bytes()) {}
};

// A 2x2 convolution of 16 pixels and 16 channels, and ReLU.  put(pixel, four channels).
template <int IN, class Put>
__device__ void convolve(const Grid& grid, std::uint32_t in, int tile, int lane,
                         const Columns<4 * IN>& columns, Put put) {
  constexpr int kPitch = 2 * IN + 16;
  const std::uint32_t mine = in + (tile * kTile + lane % 16) * kPitch + lane / 16 * 16;
  Sums sums(columns.bias);
#pragma unroll
  for (int k = 0; k < IN / 4; ++k) {
    std::uint32_t a[4];
    load_matrix(a, mine + grid.step(k / (IN / 16)) * kPitch + k % (IN / 16) * 32);
    sums.add(a, columns.weight[k]);
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    put(tile * kTile + 8 * half + lane / 4,
        uint2{pack_bf16(relu(sums.at(half, 0)), relu(sums.at(half, 1))),
              pack_bf16(relu(sums.at(half, 2)), relu(sums.at(half, 3)))});
  }
}

template <int CHANNELS>
__global__ void __launch_bounds__(kConvThreads, 2)
    see(Grid grid, MinigridPass pass, MinigridSaved saved, int images_at_once) {
  extern __shared__ uint4 aligned_memory[];
  auto* memory = reinterpret_cast<char*>(aligned_memory);
  const SeeLayout at(grid);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  zero_memory(memory, images_at_once * at.total);

  // A warp has 16 channels of each layer, whose weights it keeps, and shares the pixels of all
  // images with those that have the same channels.
  constexpr int kSecondGroups = kSecond / 16;
  constexpr int kThirdGroups = CHANNELS / 16;
  const int second_channel = warp % kSecondGroups * 16;
  const int third_channel = warp % kThirdGroups * 16;
  const Columns<16> first_columns(saved.conv1, pass.weights.conv1_bias, 0, lane);
  const Columns<4 * kFirst> second_columns(saved.conv2, pass.weights.conv2_bias, second_channel,
                                           lane);
  const Columns<4 * kSecond> third_columns(saved.conv3, pass.weights.conv3_bias, third_channel,
                                           lane);

  const int stride = static_cast<int>(gridDim.x) * images_at_once;
  for (int begin = static_cast<int>(blockIdx.x) * images_at_once; begin < pass.batch;
       begin += stride) {
    const int count = min(images_at_once, pass.batch - begin);
    __syncthreads();
    for (int i = 0; i < count; ++i) {
      load_image(grid, pass.obs, pass.obs_are_floats, begin + i, memory + i * at.total);
    }
    __syncthreads();
    for (int unit = warp; unit < count * grid.first_tiles; unit += kConvWarps) {
      char* image = memory + unit / grid.first_tiles * at.total;
      see_first(grid, shared_address(image), unit % grid.first_tiles, lane, first_columns,
                image + at.first, nullptr);
    }
    __syncthreads();
    for (int unit = warp / kSecondGroups; unit < count * grid.second_tiles;
         unit += kConvWarps / kSecondGroups) {
      const int i = unit / grid.second_tiles;
      char* image = memory + i * at.total;
      const int channel = second_channel + lane % 4 * 4;
      const std::int64_t first_pixel = static_cast<std::int64_t>(begin + i) * grid.second_pixels;
      convolve<kFirst>(
          grid, shared_address(image + at.first), unit % grid.second_tiles, lane, second_columns,
          [&](int pixel, uint2 seen) {
            if (pixel >= grid.second_pixels) return;
            if (pixel % grid.pitch == grid.pitch - 1) seen = {};
            *reinterpret_cast<uint2*>(image + at.second + pixel * kSecondPitch + channel * 2) =
                seen;
            *reinterpret_cast<uint2*>(saved.second + (first_pixel + pixel) * kSecond + channel) =
                seen;
          });
    }
    __syncthreads();
    for (int unit = warp / kThirdGroups; unit < count * grid.third_tiles;
         unit += kConvWarps / kThirdGroups) {
      const int i = unit / grid.third_tiles;
      const int rows = grid.rows - 2;
      const int columns = grid.pitch - 2;
      __nv_bfloat16* features = saved.features +
                                static_cast<std::int64_t>(begin + i) * rows * columns * CHANNELS +
                                third_channel + lane % 4 * 4;
      convolve<kSecond>(grid, shared_address(memory + i * at.total + at.second),
                        unit % grid.third_tiles, lane, third_columns, [&](int pixel, uint2 seen) {
                          const int y = pixel / grid.pitch;
                          const int x = pixel - y * grid.pitch;
                          if (y >= rows || x >= columns) return;
                          *reinterpret_cast<uint2*>(features + (y * columns + x) * CHANNELS) = seen;
                        });
    }
  }
}

}  // namespace

void minigrid_pack(const MinigridPass& pass, const MinigridSaved& saved, void* stream) {
  const int features = pass.shape.num_features();
  const int pairs = kFirst * 8 + kSecond * 4 * kFirst / 2 + pass.shape.channels * 4 * kSecond / 2 +
                    kHidden * features;
  const int blocks = (pairs + kPackThreads - 1) / kPackThreads;
  pack<<<blocks, kPackThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      pass.weights, saved, pass.shape.channels, features, pass.shared_hidden);
}

void minigrid_see(const MinigridPass& pass, const MinigridSaved& saved, void* stream) {
  const Grid grid(pass.shape);
  const int bytes = SeeLayout(grid).total;
  // Two blocks of a multiprocessor, with up to four images each.
  const int at_once = std::clamp(100 * 1024 / bytes, 1, 4);
  const int blocks = std::min((pass.batch + at_once - 1) / at_once, kMaxConvBlocks);
  const auto kernel = pass.shape.channels == 64 ? see<64> : see<32>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, at_once * bytes);
  kernel<<<blocks, kConvThreads, at_once * bytes, static_cast<cudaStream_t>(stream)>>>(
      grid, pass, saved, at_once);
}

}  // namespace plr::cuda
