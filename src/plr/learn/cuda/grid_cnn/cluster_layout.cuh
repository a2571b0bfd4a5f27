// How a cluster of 16 thread blocks divides inference for up to 16 images, and its shared memory.
//
// Thread block i computes the convolutions and the heads of image i.  For the hidden layers the
// cluster is divided in another way: thread block r has the weights of every 16th chunk of 16
// features, r, r + 16, ..., and multiplies them with those features of all images.
//
// As in tiling.cuh, the outputs of all convolutions have the row pitch of the first one, so that a
// tile is 16 consecutive pixels whatever the width.
#pragma once

#include "plr/learn/cuda/grid_cnn/network.h"

namespace plr::cuda::grid_cnn {

inline constexpr int kClusterBlocks = 16;
inline constexpr int kMaxClusterImages = kClusterBlocks;
inline constexpr int kClusterThreads = 256;
inline constexpr int kClusterWarps = kClusterThreads / 32;
inline constexpr int kChunk = 16;      // features, or inputs of a convolution
inline constexpr int kPixelTile = 16;  // pixels

// Pitches in floats.  Eight lanes read 16 bytes each of two rows at a time.  The rows are 64 bytes
// apart modulo 128, or every second row is 32 bytes apart, so that there are no bank conflicts; in
// the output of conv 2, odd pixels have their two halves exchanged instead.
inline constexpr int kConv1OutPitch = kConv1Channels;
inline constexpr int kConv2OutPitch = kConv2Channels;
inline constexpr int kConv1WeightPitch = 16;  // 4 taps of 3 channels and a zero
inline constexpr int kConv2WeightPitch = 4 * kConv1Channels + 16;
inline constexpr int kConv3WeightPitch = 4 * kConv2Channels + 16;

// Offsets of a thread block's arrays in shared memory, in floats, and what they depend on.
struct ClusterLayout {
  int images;       // of a cluster, at most kMaxClusterImages
  int rows, pitch;  // of the output of conv 1, after the pool
  int num_chunks;   // of all features
  int hidden_pitch, features_pitch;
  int conv1_weights, conv2_weights, conv3_weights, conv_biases, hidden_biases, heads, head_biases;
  int hidden_weights, weights_end;  // the weights are a copy of packed ones (cluster_pack.cu)
  int features, raw, image, conv1, conv2, partials, total;

  ClusterLayout(const Shape& s, int images_of_cluster) : images(images_of_cluster) {
    const auto in_tiles = [](int pixels) {
      return (pixels + kPixelTile - 1) / kPixelTile * kPixelTile;
    };
    const int image_pixels = s.height * s.width;
    rows = s.pooled_height();
    pitch = s.pooled_width();
    num_chunks = s.num_features() / kChunk;
    const int max_chunks = (num_chunks + kClusterBlocks - 1) / kClusterBlocks;
    hidden_pitch = max_chunks * kChunk + 8;
    features_pitch = (max_chunks | 1) * kChunk;

    total = 0;
    const auto allocate = [&](int floats) {
      const int begin = total;
      total += (floats + 31) / 32 * 32;
      return begin;
    };
    conv1_weights = allocate(kConv1Channels * kConv1WeightPitch);
    conv2_weights = allocate(kConv2Channels * kConv2WeightPitch);
    conv3_weights = allocate(s.channels * kConv3WeightPitch);
    conv_biases = allocate(kConv1Channels + kConv2Channels + s.channels);
    hidden_biases = allocate(kUnits);
    heads = allocate((s.num_actions + 1) * kHidden);  // the policy's, then the value's
    head_biases = allocate(s.num_actions + 1);
    hidden_weights = allocate(kUnits * hidden_pitch);
    weights_end = total;
    // Missing images are read as what follows, and their results are not used.
    features = allocate(images * features_pitch);
    raw = allocate((image_pixels * kObsChannels + 3) / 4 + 8);  // in words of 16 bytes
    image = allocate(4 * image_pixels);
    // A tile reads the pixels of its last pixel's taps too.
    conv1 = allocate((in_tiles(rows * pitch) + pitch + 1) * kConv1OutPitch);
    conv2 = allocate((in_tiles((rows - 1) * pitch) + pitch + 1) * kConv2OutPitch);
    partials = allocate(kClusterBlocks * kUnits);
  }
  int bytes() const { return total * static_cast<int>(sizeof(float)); }

  // Of the features that thread block `rank` multiplies.
  __device__ int chunks_of(int rank) const {
    return (num_chunks - rank + kClusterBlocks - 1) / kClusterBlocks;
  }
};

}  // namespace plr::cuda::grid_cnn
