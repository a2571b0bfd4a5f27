// Shared memory of a thread block of the forward pass: a policy class of Forward.
//
// ForwardSmem, on Hopper:
//
//   A1 B1 | image | A2 B2 | A3 B3 | biases | ring of SLOTS layers' weights | barriers
//
// A and B are the two row tiles of a stage.  There is a barrier for each slot of the ring, one for
// the biases, and those of the halos.
//
// PortableForwardSmem, which fits on every GPU since Ampere:
//
//   image, A1, A2 and A3 | biases | ring of 2 layers' weights
//
// Every layer stores its output in place of its input, after all warps have read that.
#pragma once

#include "plr/learn/cuda/common/copies.cuh"
#include "plr/learn/cuda/impala/image.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"
#include "plr/learn/cuda/impala/variant.h"

namespace plr::cuda::impala {

template <int CLUSTER_SIZE, int SLOTS>
struct ForwardSmem {
  using Stage1Rows = RowTile<32 / CLUSTER_SIZE, 32, 16>;
  using Stage2Rows = RowTile<16 / CLUSTER_SIZE, 16, 32>;
  using Stage3Rows = RowTile<8 / CLUSTER_SIZE, 8, 32>;
  using Copies = BulkCopies<SLOTS + 1>;  // slots of the ring, and the biases
  static constexpr bool kInPlace = false;
  static constexpr int kClusterSize = CLUSTER_SIZE;
  static constexpr int kSlots = SLOTS;
  static constexpr int kThreads = 512 / CLUSTER_SIZE;
  static constexpr int kImageRows = 64 / CLUSTER_SIZE + 3;  // from row -2 on
  static constexpr int kImageBytes = kImageRows * kImagePitch;

  // A thread block without neighbors uses the same memory for the image, B1 and the second stage,
  // one after the other.  In a cluster a neighbor's rows may arrive while another warp still reads
  // what was there before.
  static constexpr bool kReusesMemory = CLUSTER_SIZE == 1;
  static constexpr int larger(int a, int b) { return a > b ? a : b; }
  static constexpr int kA1 = 0;
  static constexpr int kB1 = kA1 + Stage1Rows::kBytes;
  static constexpr int kImage = kReusesMemory ? kB1 : kB1 + Stage1Rows::kBytes;
  static constexpr int kA2 = kReusesMemory ? kB1 : kImage + kImageBytes;
  static constexpr int kB2 = kA2 + Stage2Rows::kBytes;
  static constexpr int kA3 =
      kReusesMemory ? kB1 + larger(larger(Stage1Rows::kBytes, 2 * Stage2Rows::kBytes), kImageBytes)
                    : kB2 + Stage2Rows::kBytes;
  static constexpr int kB3 = kA3 + Stage3Rows::kBytes;
  static constexpr int kBias = kB3 + Stage3Rows::kBytes;
  static constexpr int kRing = (kBias + kNumLayers * kBiasStride * 4 + 127) / 128 * 128;
  static constexpr int kBarriers = kRing + SLOTS * kLargestLayer;
  static constexpr int kHaloBarriers = kBarriers + Copies::kBytes;
  static constexpr int kTotal = kHaloBarriers + ClusterHalo::kNumBarriers * 8;
  static_assert(kTotal <= kMaxSmem, "more shared memory than a Hopper has");
};

struct PortableForwardSmem {
  using Stage1Rows = RowTile<32, 32, 16>;
  using Stage2Rows = RowTile<16, 16, 32>;
  using Stage3Rows = RowTile<8, 8, 32>;
  using Copies = AsyncCopies<512>;
  static constexpr bool kInPlace = true;
  static constexpr bool kReusesMemory = false;
  static constexpr int kClusterSize = 1;
  static constexpr int kSlots = 2;
  static constexpr int kThreads = 512;
  static constexpr int kImageRows = 64 + 3;  // from row -2 on
  static constexpr int kImage = 0;
  static constexpr int kA1 = 0;
  static constexpr int kB1 = 0;
  static constexpr int kA2 = 0;
  static constexpr int kB2 = 0;
  static constexpr int kA3 = 0;
  static constexpr int kB3 = 0;
  static_assert(kImageRows * kImagePitch <= Stage1Rows::kBytes);
  static constexpr int kBias = Stage1Rows::kBytes;
  static constexpr int kRing = kBias + kNumLayers * kBiasStride * 4;
  static constexpr int kBarriers = kRing + kSlots * kLargestLayer;
  static constexpr int kHaloBarriers = kBarriers;  // none, since an image is one thread block's
  static constexpr int kTotal = kBarriers + Copies::kBytes;
  static_assert(kTotal <= kMaxPortableSmem, "more shared memory than an Ada has");
};

}  // namespace plr::cuda::impala
