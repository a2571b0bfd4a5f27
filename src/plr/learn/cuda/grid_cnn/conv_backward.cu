#include <cuda_runtime.h>

#include <algorithm>

#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

// bf16 ones, twice: a product with them sums over pixels.
constexpr std::uint32_t kOnes = 0x3F803F80;

// Bytes from output to output of the weights, [out][2][2][in].
constexpr int kConv2Pitch = 2 * 4 * kFirst + 16;
constexpr int kConv3Pitch = 2 * 4 * kSecond + 16;

// Of one image, in bytes: the image twice, what the layers saw, and gradients, with zeros around.
struct LookBackLayout {
  int first, winner, second, second_grad, third_grad, total;
  __host__ __device__ LookBackLayout(const Grid& grid, int channels)
      : first(2 * grid.image_bytes),
        winner(first + grid.first_bytes()),
        second(winner + grid.winner_bytes()),
        second_grad(second + grid.second_bytes()),
        third_grad(second_grad + grid.second_grad_bytes()),
        total(third_grad + grid.third_grad_bytes(channels)) {}
};

__host__ __device__ constexpr int weight_bytes(int channels) {
  return kSecond * kConv2Pitch + channels * kConv3Pitch;
}

// [rows][BYTES] in global memory to rows `pitch` bytes apart in shared memory.
template <int BYTES>
__device__ void copy_rows(const void* from, int rows, int pitch, char* to) {
  constexpr int kChunks = BYTES / 16;
  for (int i = static_cast<int>(threadIdx.x); i < rows * kChunks; i += kConvThreads) {
    copy128(shared_address(to + i / kChunks * pitch + i % kChunks * 16),
            static_cast<const char*>(from) + i * 16);
  }
}

// The same for the gradients of features, which lie without the pixels that do not count.
template <int CHANNELS>
__device__ void copy_third(const Grid& grid, const __nv_bfloat16* from, char* to) {
  constexpr int kChunks = CHANNELS / 8;
  const int columns = grid.pitch - 2;
  const Divisor by_columns(columns);
  for (int i = static_cast<int>(threadIdx.x); i < (grid.rows - 2) * columns * kChunks;
       i += kConvThreads) {
    const int pixel = i / kChunks;
    const int there = pixel + by_columns(pixel) * (grid.pitch - columns);
    copy128(shared_address(to + there * third_pitch(CHANNELS) + i % kChunks * 16), from + i * 8);
  }
}

// Gradients of the weights of one place of a 2x2 kernel, 16 * M_TILES outputs and 8 * N_TILES
// inputs: the sum over pixels of the gradient times what was seen there.  Where `bias` is not null,
// that of the bias too.  Both addresses are this lane's, of 16x16 pixels and channels.
template <int M_TILES, int N_TILES, int GRAD_PITCH, int SEEN_PITCH>
__device__ void add_weight_grads(std::uint32_t grads, std::uint32_t seen, int tiles, bool with_bias,
                                 float (&sum)[M_TILES][N_TILES][4], float (&bias)[M_TILES][4]) {
  for (int tile = 0; tile < tiles; ++tile) {
    std::uint32_t a[M_TILES][4], b[N_TILES / 2][4];
#pragma unroll
    for (int i = 0; i < M_TILES; ++i) {
      load_transposed(a[i], grads + tile * kTile * GRAD_PITCH + i * 32);
    }
#pragma unroll
    for (int j = 0; j < N_TILES / 2; ++j) {
      load_transposed(b[j], seen + tile * kTile * SEEN_PITCH + j * 32);
    }
#pragma unroll
    for (int i = 0; i < M_TILES; ++i) {
#pragma unroll
      for (int j = 0; j < N_TILES; ++j) {
        mma(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
      if (with_bias) mma(bias[i], a[i], kOnes, kOnes);
    }
  }
}

// This lane's part in loading 16x16 transposed: as the left factor, or as the right one.
template <int PITCH>
__device__ std::uint32_t left_of(int lane) {
  return (lane % 8 + lane / 16 * 8) * PITCH + lane / 8 % 2 * 16;
}
template <int PITCH>
__device__ std::uint32_t right_of(int lane) {
  return lane % 16 * PITCH + lane / 16 * 16;
}

// Gradients of what the second layer saw, of two tiles of pixels, from those of the third; zero
// where its ReLU let nothing through.
template <int CHANNELS>
__device__ void look_back_third(const Grid& grid, const LookBackLayout& at, char* image,
                                std::uint32_t conv3, int first_tile, int lane) {
  constexpr int kPitch = third_pitch(CHANNELS);
  const std::uint32_t grads = shared_address(image + at.third_grad) + right_of<kPitch>(lane);
  const int tile[2] = {first_tile, min(first_tile + 1, grid.second_tiles - 1)};
  const std::uint32_t weights = conv3 + right_of<kConv3Pitch>(lane);
  float sum[2][4][4] = {};
#pragma unroll
  for (int place = 0; place < 4; ++place) {
    const int back = grid.guard() - grid.step(place);
#pragma unroll
    for (int chunk = 0; chunk < CHANNELS / 16; ++chunk) {
      std::uint32_t a[2][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        load_matrix(a[i], grads + (tile[i] * kTile + back) * kPitch + chunk * 32);
        load_transposed(b[i], weights + chunk * 16 * kConv3Pitch + (place * kSecond + i * 16) * 2);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          mma(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int pixel = tile[i / 2] * kTile + i % 2 * 8 + lane / 4;
    if (pixel >= grid.second_pixels) continue;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int column = (j * 8 + lane % 4 * 2) * 2;
      const auto seen = *reinterpret_cast<const std::uint32_t*>(image + at.second +
                                                                pixel * kSecondPitch + column);
      const float* x = &sum[i / 2][j][i % 2 * 2];
      *reinterpret_cast<std::uint32_t*>(image + at.second_grad +
                                        (grid.guard() + pixel) * kSecondPitch + column) =
          where_seen(pack_bf16(x[0], x[1]), seen);
    }
  }
}

// Gradients of the first convolution's weights, from those of the second layer: 16 pixels.  Those
// of the first layer are computed with channels as rows, so that they are where the next product
// wants them.
template <int CELLS>
__device__ void look_back_second(const Grid& grid, const LookBackLayout& at, char* image,
                                 std::uint32_t conv2, int tile, int lane, float (&sum)[2][4]) {
  // [pixel][channel] as columns of the right factor.
  const std::uint32_t grads = shared_address(image + at.second_grad) +
                              (tile * kTile + lane % 8 + lane / 16 * 8) * kSecondPitch +
                              lane / 8 % 2 * 16;
  const std::uint32_t weights = conv2 + left_of<kConv2Pitch>(lane);
  float first[2][4] = {};
#pragma unroll
  for (int place = 0; place < 4; ++place) {
    const int back = grid.guard() - grid.step(place);
#pragma unroll
    for (int chunk = 0; chunk < kSecond / 16; ++chunk) {
      std::uint32_t a[4], b[4];
      load_transposed(a, weights + chunk * 16 * kConv2Pitch + place * kFirst * 2);
      load_matrix(b, grads + back * kSecondPitch + chunk * 32);
      mma(first[0], a, b[0], b[1]);
      mma(first[1], a, b[2], b[3]);
    }
  }
  // Only the cell that won is to blame.
  const auto* winner = reinterpret_cast<const std::uint8_t*>(image + at.winner) +
                       (tile * kTile + lane % 4 * 2) * kFirst + lane / 4;
  int who[2][4];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) who[i][j] = winner[(i * 8 + j % 2) * kFirst + j / 2 * 8];
  }
  const std::uint32_t patches = patch_address(grid, shared_address(image), tile, lane);
#pragma unroll
  for (int cell = 0; cell < CELLS; ++cell) {
    const auto blamed = [&](int i, int j) { return who[i][j] == cell + 1 ? first[i][j] : 0.0F; };
    const std::uint32_t a[4] = {
        pack_bf16(blamed(0, 0), blamed(0, 1)), pack_bf16(blamed(0, 2), blamed(0, 3)),
        pack_bf16(blamed(1, 0), blamed(1, 1)), pack_bf16(blamed(1, 2), blamed(1, 3))};
    std::uint32_t b[4];
    load_transposed(b, patches + cell_offset(grid, cell));
    mma(sum[0], a, b[0], b[1]);
    mma(sum[1], a, b[2], b[3]);
  }
}

template <int CHANNELS, int CELLS>
__global__ void __launch_bounds__(kConvThreads, 2)
    look_back(Grid grid, TrainPass pass, SavedActivations saved, BackwardScratch scratch,
              int num_at_once) {
  extern __shared__ uint4 aligned_memory[];
  auto* memory = reinterpret_cast<char*>(aligned_memory);
  const LookBackLayout at(grid, CHANNELS);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int warp = static_cast<int>(threadIdx.x / 32);
  char* conv2 = memory;
  char* conv3 = conv2 + kSecond * kConv2Pitch;
  char* raw = memory + weight_bytes(CHANNELS);
  char* images = raw + raw_bytes(grid, pass.obs_are_floats, num_at_once);
  zero_memory(images, num_at_once * at.total);
  copy_rows<2 * 4 * kFirst>(saved.conv2, kSecond, kConv2Pitch, conv2);
  copy_rows<2 * 4 * kSecond>(saved.conv3, CHANNELS, kConv3Pitch, conv3);
  const RawObs obs(grid, pass);
  const int features = (grid.rows - 2) * (grid.pitch - 2) * CHANNELS;
  const auto count_at = [&](int begin) { return min(num_at_once, pass.batch - begin); };
  const auto load = [&](int begin) {
    for (int i = 0; i < count_at(begin); ++i) {
      char* image = images + i * at.total;
      const std::int64_t n = begin + i;
      copy_third<CHANNELS>(grid, scratch.features_grad + n * features,
                           image + at.third_grad + grid.guard() * third_pitch(CHANNELS));
      // The last pixel does not count, and has no place.
      copy_rows<2 * kSecond>(saved.second + n * grid.second_pixels * kSecond,
                             grid.second_pixels - 1, kSecondPitch, image + at.second);
    }
    obs.load(begin, count_at(begin), raw);
  };

  // Which weights' gradients this warp sums: of the third layer a place and half of the outputs, of
  // the second likewise, of the first all, over its own pixels.
  constexpr int kPitch3 = third_pitch(CHANNELS);
  constexpr int kTiles3 = CHANNELS / 32;
  const int place = warp % 4;
  const int half = warp / 4;
  float sum3[kTiles3][4][4] = {};
  float bias3[kTiles3][4] = {};
  float sum2[1][2][4] = {};
  float bias2[1][4] = {};
  float sum1[2][4] = {};

  const int stride = static_cast<int>(gridDim.x) * num_at_once;
  const int start = static_cast<int>(blockIdx.x) * num_at_once;
  __syncthreads();  // zeros are there
  load(start);
  end_of_group();
  for (int begin = start; begin < pass.batch; begin += stride) {
    const int count = count_at(begin);
    wait_for_groups_but<0>();
    __syncthreads();
    make_images(grid, obs, raw, begin, count, images, at.total);
    const int pairs = (grid.second_tiles + 1) / 2;
    for (int unit = warp; unit < count * pairs; unit += kConvWarps) {
      look_back_third<CHANNELS>(grid, at, images + unit / pairs * at.total, shared_address(conv3),
                                unit % pairs * 2, lane);
    }
    for (int i = 0; i < count; ++i) {
      const std::uint32_t image = shared_address(images + i * at.total);
      add_weight_grads<kTiles3, 4, kPitch3, kSecondPitch>(
          image + at.third_grad + grid.guard() * kPitch3 + half * CHANNELS + left_of<kPitch3>(lane),
          image + at.second + grid.step(place) * kSecondPitch + right_of<kSecondPitch>(lane),
          grid.third_tiles, place == 0, sum3, bias3);
    }
    __syncthreads();

    // The third layer's part is over: what the next images need is on its way.
    if (begin + stride < pass.batch) load(begin + stride);
    end_of_group();
    const Columns<16> columns(saved.columns1, pass.weights.conv1_bias, 0, lane);
    for (int unit = warp; unit < count * grid.first_tiles; unit += kConvWarps) {
      const int i = grid.by_first_tiles(unit);
      char* image = images + i * at.total;
      see_first<CELLS>(grid, shared_address(image), unit - i * grid.first_tiles, lane, columns,
                       image + at.first, image + at.winner);
    }
    __syncthreads();

    for (int unit = warp; unit < count * grid.first_tiles; unit += kConvWarps) {
      const int i = grid.by_first_tiles(unit);
      look_back_second<CELLS>(grid, at, images + i * at.total, shared_address(conv2),
                              unit - i * grid.first_tiles, lane, sum1);
    }
    for (int i = 0; i < count; ++i) {
      const std::uint32_t image = shared_address(images + i * at.total);
      add_weight_grads<1, 2, kSecondPitch, kFirstPitch>(
          image + at.second_grad + grid.guard() * kSecondPitch + half * 32 +
              left_of<kSecondPitch>(lane),
          image + at.first + grid.step(place) * kFirstPitch + right_of<kFirstPitch>(lane),
          grid.second_tiles, place == 0, sum2, bias2);
    }
  }

  // The block's parts, in the order of the gradients.
  const ConvPart part(CHANNELS);
  float* to = scratch.conv_parts + static_cast<std::int64_t>(blockIdx.x) * part.size;
#pragma unroll
  for (int i = 0; i < 2 * kTiles3; ++i) {
    const int out = half * CHANNELS / 2 + i * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float* row = to + part.conv3 + (out * 4 + place) * kSecond + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(row) = {sum3[i / 2][j][i % 2 * 2], sum3[i / 2][j][i % 2 * 2 + 1]};
    }
    if (place == 0 && lane % 4 == 0) to[part.conv3_bias + out] = bias3[i / 2][i % 2 * 2];
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int out = half * 16 + i * 8 + lane / 4;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float* row = to + part.conv2 + (out * 4 + place) * kFirst + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(row) = {sum2[0][j][i * 2], sum2[0][j][i * 2 + 1]};
    }
    if (place == 0 && lane % 4 == 0) to[part.conv2_bias + out] = bias2[0][i * 2];
  }

  // Those of the first layer are of all warps; the fourth channel has the bias.
  __syncthreads();
  auto* sums = reinterpret_cast<float*>(images);  // [warp][out][place][channel]
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    sums[warp * 256 + (i / 2 % 2 * 8 + lane / 4) * 16 + i / 4 * 8 + lane % 4 * 2 + i % 2] =
        sum1[i / 4][i % 4];
  }
  __syncthreads();
  float total = 0;
  for (int w = 0; w < kConvWarps; ++w) total += sums[w * 256 + threadIdx.x];
  const int out_and_place = static_cast<int>(threadIdx.x) / 4;
  const int channel = static_cast<int>(threadIdx.x) % 4;
  if (channel < kIn) to[part.conv1 + out_and_place * kIn + channel] = total;
  if (threadIdx.x % 16 == kIn) to[part.conv1_bias + out_and_place / 4] = total;
}

}  // namespace

int conv_backward_smem_bytes(const Shape& shape) {
  const Grid grid(shape);
  return weight_bytes(shape.channels) + raw_bytes(grid, /*are_floats=*/true, 1) +
         LookBackLayout(grid, shape.channels).total;
}

int launch_conv_backward(const TrainPass& pass, const SavedActivations& saved,
                         const BackwardScratch& scratch, void* stream) {
  const Grid grid(pass.shape);
  const int channels = pass.shape.channels;
  const auto bytes_of = [&](int images) {
    // Small images leave less than the last sums need.
    return weight_bytes(channels) + raw_bytes(grid, pass.obs_are_floats, images) +
           std::max(images * LookBackLayout(grid, channels).total, kConvWarps * 256 * 4);
  };
  const int at_once = images_at_once(bytes_of);
  const int blocks = std::min((pass.batch + at_once - 1) / at_once, kMaxConvBlocks);
  const auto kernel = pass.shape.pool ? (channels == 64 ? look_back<64, 4> : look_back<32, 4>)
                                      : (channels == 64 ? look_back<64, 1> : look_back<32, 1>);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_of(at_once));
  kernel<<<blocks, kConvThreads, bytes_of(at_once), static_cast<cudaStream_t>(stream)>>>(
      grid, pass, saved, scratch, at_once);
  return blocks;
}

}  // namespace plr::cuda::grid_cnn
