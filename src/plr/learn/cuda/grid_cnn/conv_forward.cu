#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

// ---- pack --------------------------------------------------------------------------------------

constexpr int kPackThreads = 256;

// Two weights a thread, of all layers one after another.
__global__ void __launch_bounds__(kPackThreads)
    pack(Weights from, SavedActivations to, int channels, int num_features, bool shared) {
  int i = static_cast<int>(blockIdx.x) * kPackThreads + static_cast<int>(threadIdx.x);
  const auto pair = [](const float* p) { return pack_bf16(p[0], p[1]); };
  if (i < kFirst * 8) {
    const ColumnWord word = column_word(i, 16);  // of inputs [2][2][4]
    const float* place = from.conv1 + (word.channel * 4 + word.k / 4) * kIn;
    to.columns1[i] = word.k % 4 == 0 ? pair(place) : pack_bf16(place[2], 0.0F);
    return;
  }
  i -= kFirst * 8;
  const auto pack_conv = [&](const float* weights, int inputs, std::uint32_t* columns,
                             std::uint32_t* conv) {
    const ColumnWord word = column_word(i, inputs);
    columns[i] = pair(weights + word.channel * inputs + word.k);
    conv[i] = pair(weights + 2 * i);
  };
  if (i < kSecond * 4 * kFirst / 2) {
    pack_conv(from.conv2, 4 * kFirst, to.columns2, to.conv2);
    return;
  }
  i -= kSecond * 4 * kFirst / 2;
  if (i < channels * 4 * kSecond / 2) {
    pack_conv(from.conv3, 4 * kSecond, to.columns3, to.conv3);
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

// A 2x2 convolution of two tiles, each of 16 pixels and 16 channels, and ReLU; two at once, since
// their sums need not wait for each other.  put(which, pixel of the tile, four channels).
template <int IN, class Put>
__device__ void convolve(const Grid& grid, const std::uint32_t (&tiles)[2], int lane,
                         const Columns<4 * IN>& columns, Put put) {
  constexpr int kPitch = 2 * IN + 16;
  const std::uint32_t mine = lane % 16 * kPitch + lane / 16 * 16;
  Sums sums[2] = {Sums(columns.bias), Sums(columns.bias)};
#pragma unroll
  for (int k = 0; k < IN / 4; ++k) {
    const std::uint32_t step = mine + grid.step(k / (IN / 16)) * kPitch + k % (IN / 16) * 32;
    std::uint32_t a[2][4];
    load_matrix(a[0], tiles[0] + step);
    load_matrix(a[1], tiles[1] + step);
    sums[0].add(a[0], columns.weight[k]);
    sums[1].add(a[1], columns.weight[k]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Sums& sum = sums[i / 2];
    put(i / 2, i % 2 * 8 + lane / 4,
        uint2{pack_bf16(relu(sum.at(i % 2, 0)), relu(sum.at(i % 2, 1))),
              pack_bf16(relu(sum.at(i % 2, 2)), relu(sum.at(i % 2, 3)))});
  }
}

template <int CHANNELS, int CELLS>
__global__ void __launch_bounds__(kConvThreads, 2)
    see(Grid grid, TrainPass pass, SavedActivations saved, int num_at_once) {
  extern __shared__ uint4 aligned_memory[];
  auto* memory = reinterpret_cast<char*>(aligned_memory);
  const SeeLayout at(grid);
  char* raw = memory + num_at_once * at.total;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int stride = static_cast<int>(gridDim.x) * num_at_once;
  const int start = static_cast<int>(blockIdx.x) * num_at_once;
  const auto count_at = [&](int begin) { return min(num_at_once, pass.batch - begin); };
  const RawObs obs(grid, pass);
  obs.load(start, count_at(start), raw);
  end_of_group();
  zero_memory(memory, num_at_once * at.total);

  // A warp has 16 channels of each layer, whose weights it keeps, and shares the pixels of all
  // images with those that have the same channels.
  constexpr int kSecondGroups = kSecond / 16;
  constexpr int kSecondSharers = kConvWarps / kSecondGroups;
  constexpr int kThirdGroups = CHANNELS / 16;
  constexpr int kThirdSharers = kConvWarps / kThirdGroups;
  const int second_channel = warp % kSecondGroups * 16;
  const int third_channel = warp % kThirdGroups * 16;
  const Columns<16> first_columns(saved.columns1, pass.weights.conv1_bias, 0, lane);
  const Columns<4 * kFirst> second_columns(saved.columns2, pass.weights.conv2_bias, second_channel,
                                           lane);
  const Columns<4 * kSecond> third_columns(saved.columns3, pass.weights.conv3_bias, third_channel,
                                           lane);
  wait_for_groups_but<0>();
  __syncthreads();
  make_images(grid, obs, raw, start, count_at(start), memory, at.total);

  // The next images are on their way while these are seen.
  for (int begin = start; begin < pass.batch; begin += stride) {
    const int count = count_at(begin);
    const int next = begin + stride;
    __syncthreads();
    if (next < pass.batch) obs.load(next, count_at(next), raw);
    end_of_group();
    for (int unit = warp; unit < count * grid.first_tiles; unit += kConvWarps) {
      const int i = grid.by_first_tiles(unit);
      char* image = memory + i * at.total;
      see_first<CELLS>(grid, shared_address(image), unit - i * grid.first_tiles, lane,
                       first_columns, image + at.first);
    }
    __syncthreads();

    const int second_units = count * grid.second_tiles;
    for (int unit = warp / kSecondGroups; unit < second_units; unit += 2 * kSecondSharers) {
      int image[2], tile[2];
      std::uint32_t tiles[2];
      for (int k = 0; k < 2; ++k) {
        const int mine = min(unit + k * kSecondSharers, second_units - 1);
        image[k] = grid.by_second_tiles(mine);
        tile[k] = mine - image[k] * grid.second_tiles;
        tiles[k] =
            shared_address(memory + image[k] * at.total + at.first) + tile[k] * kTile * kFirstPitch;
      }
      const int channel = second_channel + lane % 4 * 4;
      convolve<kFirst>(grid, tiles, lane, second_columns, [&](int k, int pixel, uint2 seen) {
        pixel += tile[k] * kTile;
        if (pixel >= grid.second_pixels) return;
        if (pixel - grid.by_pitch(pixel) * grid.pitch == grid.pitch - 1) seen = {};
        *reinterpret_cast<uint2*>(memory + image[k] * at.total + at.second + pixel * kSecondPitch +
                                  channel * 2) = seen;
        const std::int64_t row =
            static_cast<std::int64_t>(begin + image[k]) * grid.second_pixels + pixel;
        *reinterpret_cast<uint2*>(saved.second + row * kSecond + channel) = seen;
      });
    }
    wait_for_groups_but<0>();
    __syncthreads();

    if (next < pass.batch) {
      make_images(grid, obs, raw, next, count_at(next), memory, at.total);
    }
    const int rows = grid.rows - 2;
    const int columns = grid.pitch - 2;
    const int third_units = count * grid.third_tiles;
    for (int unit = warp / kThirdGroups; unit < third_units; unit += 2 * kThirdSharers) {
      int image[2], tile[2];
      std::uint32_t tiles[2];
      for (int k = 0; k < 2; ++k) {
        const int mine = min(unit + k * kThirdSharers, third_units - 1);
        image[k] = grid.by_third_tiles(mine);
        tile[k] = mine - image[k] * grid.third_tiles;
        tiles[k] = shared_address(memory + image[k] * at.total + at.second) +
                   tile[k] * kTile * kSecondPitch;
      }
      __nv_bfloat16* features = saved.features +
                                static_cast<std::int64_t>(begin) * rows * columns * CHANNELS +
                                third_channel + lane % 4 * 4;
      convolve<kSecond>(grid, tiles, lane, third_columns, [&](int k, int pixel, uint2 seen) {
        pixel += tile[k] * kTile;
        const int y = grid.by_pitch(pixel);
        const int x = pixel - y * grid.pitch;
        if (y >= rows || x >= columns) return;
        const int there = ((image[k] * rows + y) * columns + x) * CHANNELS;
        *reinterpret_cast<uint2*>(features + there) = seen;
      });
    }
  }
}

}  // namespace

void launch_pack(const TrainPass& pass, const SavedActivations& saved, void* stream) {
  const int features = pass.shape.num_features();
  const int pairs = kFirst * 8 + kSecond * 4 * kFirst / 2 + pass.shape.channels * 4 * kSecond / 2 +
                    kHidden * features;
  const int blocks = (pairs + kPackThreads - 1) / kPackThreads;
  pack<<<blocks, kPackThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      pass.weights, saved, pass.shape.channels, features, pass.shared_hidden);
}

void launch_conv_forward(const TrainPass& pass, const SavedActivations& saved, void* stream) {
  const Grid grid(pass.shape);
  const auto bytes_of = [&](int images) {
    return images * SeeLayout(grid).total + raw_bytes(grid, pass.obs_are_floats, images);
  };
  const int at_once = images_at_once(bytes_of);
  const int blocks = std::min((pass.batch + at_once - 1) / at_once, kMaxConvBlocks);
  const int bytes = bytes_of(at_once);
  const bool wide = pass.shape.channels == 64;
  const auto kernel =
      pass.shape.pool ? (wide ? see<64, 4> : see<32, 4>) : (wide ? see<64, 1> : see<32, 1>);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  kernel<<<blocks, kConvThreads, bytes, static_cast<cudaStream_t>(stream)>>>(grid, pass, saved,
                                                                             at_once);
}

}  // namespace plr::cuda::grid_cnn
