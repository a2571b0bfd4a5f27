// Layers of the grid CNN for inference by clusters: products on tensor cores in fp32, as three in
// fp16 (split_half.cuh).
//
// Weights and activations are stored as quads: four consecutive inputs as split numbers, 16 bytes.
// Activations are scaled, and saturate, so that they do not overflow.
//
// Lanes of a warp are numbered by g = lane / 4 and q = lane % 4.  A product runs over chunks of 16
// inputs, of which a lane has one quad, 4 q ... 4 q + 3; inputs may be summed in any order as long
// as both operands agree.
//
// A warp computes 16 channels of 16 pixels in two tiles of 8 columns.  A lane has the results of
// four consecutive channels, 4 q ... 4 q + 3, which are a quad of the next layer: the columns are
// therefore a permutation of the channels (channel_of()).
#pragma once

#include "plr/learn/cuda/common/split_half.cuh"
#include "plr/learn/cuda/grid_cnn/cluster_layout.cuh"

namespace plr::cuda::grid_cnn {

__device__ inline int lane_row() { return static_cast<int>(threadIdx.x) % 32 / 4; }      // g
__device__ inline int lane_quarter() { return static_cast<int>(threadIdx.x) % 32 % 4; }  // q
__device__ inline int warp_index() { return static_cast<int>(threadIdx.x) / 32; }

__device__ inline const float4& float4_at(const float* p) {
  return *reinterpret_cast<const float4*>(p);
}
__device__ inline const uint4& quad_at(const float* p) {
  return *reinterpret_cast<const uint4*>(p);
}
__device__ inline uint4& quad_at(float* p) { return *reinterpret_cast<uint4*>(p); }

// Of activations: up to 65504 * 256, about 1.7e7, can be represented, with an error below 4e-9.
inline constexpr float kActivationScale = 1.0F / 256;

// Larger activations saturate: as infinities they would make the next layer's sums NaN, which its
// ReLU would turn into zeros.
__device__ inline float scaled_activation(float v) { return fminf(v * kActivationScale, 65504.0F); }

__device__ inline uint4 activation_quad(const float4& v) {
  return split_halves({scaled_activation(v.x), scaled_activation(v.y), scaled_activation(v.z),
                       scaled_activation(v.w)});
}

// The channel of a column of one of two column tiles, among 16.
__device__ inline int channel_of(int tile, int column) {
  return 4 * (column / 2) + 2 * tile + column % 2;
}

// Results of 16 rows and 8 columns: at(0), at(1) of row g and columns 2q, 2q + 1; at(2), at(3) of
// row g + 8.
struct TileSum {
  float big[4] = {};
  float small[2][4] = {};

  __device__ float at(int i) const {
    return big[i] + (small[0][i] + small[1][i]) * (1 / kSmallScale);
  }

  // Adds 16 inputs of rows g and g + 8 times those of column g.
  __device__ void add(const uint4& upper, const uint4& lower, const uint4& column) {
    mma_f16(small[0], upper.z, lower.z, upper.w, lower.w, column.x, column.y);
    mma_f16(small[1], upper.x, lower.x, upper.y, lower.y, column.z, column.w);
    mma_f16(big, upper.x, lower.x, upper.y, lower.y, column.x, column.y);
  }
};

__device__ inline float4 larger(const float4& a, const float4& b) {
  return {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)};
}

// The four channels of row g + 8 * half of two column tiles, times `scale`, plus bias.
__device__ inline float4 channels_of(const TileSum (&sums)[2], int half, float scale,
                                     const float4& bias) {
  return {fmaf(sums[0].at(2 * half), scale, bias.x), fmaf(sums[0].at(2 * half + 1), scale, bias.y),
          fmaf(sums[1].at(2 * half), scale, bias.z), fmaf(sums[1].at(2 * half + 1), scale, bias.w)};
}

// Where four channels of a pixel are in the output of conv 2, in floats.
__device__ inline int conv2_out_at(int pixel, int channel) {
  return pixel * kConv2OutPitch + (channel ^ (pixel & 1) * (kConv2Channels / 2));
}
// The same in the output of conv 1.
__device__ inline int conv1_out_at(int pixel, int channel) {
  return pixel * kConv1OutPitch + channel;
}

// The first convolution, max pool over POOL_SIDE x POOL_SIDE, and ReLU, for `pixels` outputs.  The
// image has a quad per pixel, not scaled, whose last number is zero: lane quarter q multiplies tap
// q.
template <int POOL_SIDE>
__device__ inline void conv1_layer(const float* image, int width, const float* weights,
                                   const float* biases, int pixels, int pitch, float* out) {
  const int g = lane_row();
  const int q = lane_quarter();
  uint4 columns[2];
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    columns[j] = quad_at(weights + channel_of(j, g) * kConv1WeightPitch + 4 * q);
  }
  const float4 bias = float4_at(biases + 4 * q);
  const auto address = [&](int pixel) {  // of this lane's tap
    pixel = min(pixel, pixels - 1);
    const int y = pixel / pitch;
    const int x = pixel - y * pitch;
    return image + 4 * ((POOL_SIDE * y + q / 2) * width + POOL_SIDE * x + q % 2);
  };
  for (int first = warp_index() * kPixelTile; first < pixels; first += kClusterWarps * kPixelTile) {
    const float* upper = address(first + g);
    const float* lower = address(first + g + 8);
    float4 best[2] = {};
#pragma unroll
    for (int tap = 0; tap < POOL_SIDE * POOL_SIDE; ++tap) {
      const int offset = 4 * (tap / POOL_SIDE * width + tap % POOL_SIDE);
      TileSum sums[2];
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        sums[j].add(quad_at(upper + offset), quad_at(lower + offset), columns[j]);
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        best[half] = larger(best[half], channels_of(sums, half, 1, bias));
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      quad_at(out + conv1_out_at(first + g + 8 * half, 4 * q)) = activation_quad(best[half]);
    }
  }
}

// A 2x2 convolution and ReLU for `pixels` outputs.  Calls store(pixel, first channel, four
// channels), also for the last tile's pixels beyond `pixels`.
template <int IN, int OUT, class Store>
__device__ inline void conv2x2_layer(const float* in, const float* weights, const float* biases,
                                     int pixels, int pitch, Store store) {
  constexpr int kChunks = 4 * IN / kChunk;
  constexpr int kGroups = OUT / 16;  // of channels; warps with the same one share the pixels
  constexpr int kWeightPitch = 4 * IN + 16;
  const auto in_at = [&](int pixel, int channel) {
    return quad_at(
        in + (IN == kConv1Channels ? conv1_out_at(pixel, channel) : conv2_out_at(pixel, channel)));
  };
  const int g = lane_row();
  const int q = lane_quarter();
  const int group = warp_index() % kGroups;
  uint4 columns[2][kChunks];
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const float* row = weights + (group * 16 + channel_of(j, g)) * kWeightPitch + 4 * q;
#pragma unroll
    for (int c = 0; c < kChunks; ++c) columns[j][c] = quad_at(row + c * kChunk);
  }
  const float4 bias = float4_at(biases + group * 16 + 4 * q);
  constexpr int kStride = kClusterWarps / kGroups * kPixelTile;
  for (int first = warp_index() / kGroups * kPixelTile; first < pixels; first += kStride) {
    TileSum sums[2];
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
      const int tap = c / (IN / kChunk);
      const int pixel = first + g + tap / 2 * pitch + tap % 2;
      const int channel = c % (IN / kChunk) * kChunk + 4 * q;
      const uint4 upper = in_at(pixel, channel);
      const uint4 lower = in_at(pixel + 8, channel);
      sums[0].add(upper, lower, columns[0][c]);
      sums[1].add(upper, lower, columns[1][c]);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      store(first + g + 8 * half, group * 16 + 4 * q,
            larger(channels_of(sums, half, 1 / kActivationScale, bias), float4{}));
    }
  }
}

// Adds `chunks` chunks of the features of 8 images per tile to the sums of a warp's 16 hidden
// units: rows g and g + 8 are units 2 g and 2 g + 1, columns are images.
template <int TILES>
__device__ inline void hidden_layer(const float* weights, int weight_pitch, const float* features,
                                    int features_pitch, int chunks, TileSum (&sums)[TILES]) {
  const int g = lane_row();
  const int q = lane_quarter();
  const float* upper = weights + (16 * warp_index() + 2 * g) * weight_pitch + 4 * q;
  const float* column = features + g * features_pitch + 4 * q;
#pragma unroll 4
  for (int c = 0; c < chunks; ++c) {
    const uint4 a = quad_at(upper + c * kChunk);
    const uint4 b = quad_at(upper + weight_pitch + c * kChunk);
#pragma unroll
    for (int tile = 0; tile < TILES; ++tile) {
      sums[tile].add(a, b, quad_at(column + 8 * tile * features_pitch + c * kChunk));
    }
  }
}

}  // namespace plr::cuda::grid_cnn
