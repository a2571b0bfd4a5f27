// Where does a block keep what it sees?
//
//   shared memory:  A1 B1 | image | A2 B2 | A3 B3 | biases | ring of SLOTS layers' weights |
//   barriers: one for each slot, one for the biases, those for halos
#pragma once

#include "plr/learn/cuda/impala/image.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"

namespace plr::cuda::impala {

template <int BLOCKS, int SLOTS>
struct SeeMemory {
  using Band1 = Band<32 / BLOCKS, 32, 16>;
  using Band2 = Band<16 / BLOCKS, 16, 32>;
  using Band3 = Band<8 / BLOCKS, 8, 32>;
  static constexpr int kThreads = 512 / BLOCKS;
  static constexpr int kImageRows = 64 / BLOCKS + 3;  // from row -2 on
  static constexpr int kImageBytes = kImageRows * kImagePitch;

  // A block alone uses one place for the image, B1 and the second stage, one after the other.  In a
  // cluster a neighbour's rows may arrive while another warp still reads what was there before.
  static constexpr bool kShares = BLOCKS == 1;
  static constexpr int larger(int a, int b) { return a > b ? a : b; }
  static constexpr int kA1 = 0;
  static constexpr int kB1 = kA1 + Band1::kBytes;
  static constexpr int kImage = kShares ? kB1 : kB1 + Band1::kBytes;
  static constexpr int kA2 = kShares ? kB1 : kImage + kImageBytes;
  static constexpr int kB2 = kA2 + Band2::kBytes;
  static constexpr int kA3 =
      kShares ? kB1 + larger(larger(Band1::kBytes, 2 * Band2::kBytes), kImageBytes)
              : kB2 + Band2::kBytes;
  static constexpr int kB3 = kA3 + Band3::kBytes;
  static constexpr int kBias = kB3 + Band3::kBytes;
  static constexpr int kRing = (kBias + kNumLayers * kBiasStride * 4 + 127) / 128 * 128;
  static constexpr int kBarriers = kRing + SLOTS * kLargestLayer;
  static constexpr int kTotal = kBarriers + (SLOTS + 1 + Neighbours::kBarriers) * 8;
  static_assert(kTotal <= 227 * 1024, "a Hopper has no more");
};

}  // namespace plr::cuda::impala
