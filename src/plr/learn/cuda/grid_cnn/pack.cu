// Rounds all weights of the grid CNN to bf16 for the training kernels.
//
// The convolutions are written in the order of WeightFragments, and those of conv 2 and conv 3 also
// as they are in the network, for the backward pass.
//
// Grid: one thread per pair of weights, layers one after another; blocks of 256 threads; no shared
// memory.  Each thread owns one word of the outputs.

#include <cuda_runtime.h>

#include "plr/learn/cuda/grid_cnn/kernels.h"

namespace plr::cuda::grid_cnn {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    pack_weights(Weights from, SavedActivations to, int channels, int num_features, bool shared) {
  int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const auto pair = [](const float* p) { return pack_bf16(p[0], p[1]); };
  if (i < kConv1Channels * 8) {
    const FragmentWord word = fragment_word(i, 16);  // of inputs [2][2][4]
    const float* tap = from.conv1 + (word.channel * 4 + word.k / 4) * kObsChannels;
    to.fragments1[i] = word.k % 4 == 0 ? pair(tap) : pack_bf16(tap[2], 0.0F);
    return;
  }
  i -= kConv1Channels * 8;
  const auto pack_conv = [&](const float* weights, int inputs, std::uint32_t* fragments,
                             std::uint32_t* plain) {
    const FragmentWord word = fragment_word(i, inputs);
    fragments[i] = pair(weights + word.channel * inputs + word.k);
    plain[i] = pair(weights + 2 * i);
  };
  if (i < kConv2Channels * 4 * kConv1Channels / 2) {
    pack_conv(from.conv2, 4 * kConv1Channels, to.fragments2, to.conv2_weights);
    return;
  }
  i -= kConv2Channels * 4 * kConv1Channels / 2;
  if (i < channels * 4 * kConv2Channels / 2) {
    pack_conv(from.conv3, 4 * kConv2Channels, to.fragments3, to.conv3_weights);
    return;
  }
  i -= channels * 4 * kConv2Channels / 2;
  const int half = kHidden * num_features / 2;
  if (i >= 2 * half) return;
  auto* hidden = reinterpret_cast<std::uint32_t*>(to.hidden_weights);
  if (i < half) {
    hidden[i] = pair(from.actor + 2 * i);
  } else {
    hidden[i] = shared ? 0 : pair(from.critic + 2 * (i - half));
  }
}

}  // namespace

void launch_pack_weights(const TrainPass& pass, const SavedActivations& saved, void* stream) {
  const int features = pass.shape.num_features();
  const int pairs = kConv1Channels * 8 + kConv2Channels * 4 * kConv1Channels / 2 +
                    pass.shape.channels * 4 * kConv2Channels / 2 + kHidden * features;
  const int blocks = (pairs + kThreads - 1) / kThreads;
  pack_weights<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      pass.weights, saved, pass.shape.channels, features, pass.shared_hidden);
}

}  // namespace plr::cuda::grid_cnn
