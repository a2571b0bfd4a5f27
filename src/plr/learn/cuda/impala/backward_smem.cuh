// Shared memory of a thread block of the backward pass: a policy class of Backward.
//
// BackwardSmem, on Hopper:
//
//   A3 B3 | A2 B2 | Q | ring of kSlots layers' weights | pool argmax | barriers
//
// A and B are the two row tiles of a stage.  Unpooled gradients are in B2 and Q; the first stage
// uses the memory of the others for its A, and Q for its B.
//
// PortableBackwardSmem, which fits on every GPU since Ampere:
//
//   A1 | A2 | A3 | pool argmax
//
// Every layer stores its results in place of what it has read.  Gradients before the third pool are
// in A2; of those before the second pool, A1 has one half of the channels after the other.  Weights
// are where no tile is: those of stages 3 and 2 in A1, of the last layer before stage 1 in A3, and
// of stage 1 in A2.
#pragma once

#include "plr/learn/cuda/common/copies.cuh"
#include "plr/learn/cuda/impala/row_tile.cuh"
#include "plr/learn/cuda/impala/variant.h"

namespace plr::cuda::impala {

inline constexpr int kArgmax3Bytes = 8 * 8 * 4 * 4;  // of an image
inline constexpr int kArgmax2Bytes = 16 * 16 * 4 * 4;

struct BackwardSmem {
  using Stage1Rows = RowTile<32, 32, 16>;
  using Stage2Rows = RowTile<16, 16, 32>;
  using Stage3Rows = RowTile<8, 8, 32>;
  using Unpooled2 = RowTile<32, 32, 32>;  // the gradient before the second pool
  static constexpr bool kInPlace = false;
  static constexpr int kSlots = 3;
  using Copies = BulkCopies<kSlots + 2>;  // slots of the ring, and the argmax of two pools
  static constexpr int kA3 = 0;
  static constexpr int kB3 = kA3 + Stage3Rows::kBytes;
  static constexpr int kA2 = kB3 + Stage3Rows::kBytes;
  static constexpr int kB2 = kA2 + Stage2Rows::kBytes;
  static constexpr int kQ = kB2 + Stage2Rows::kBytes;
  static constexpr int kA1 = 0;
  static constexpr int kB1 = kQ;
  static constexpr int kUnpooled3 = kB2;
  static constexpr int kUnpooled2 = kQ;
  static_assert(Stage1Rows::kBytes <= kQ && Stage1Rows::kBytes <= Unpooled2::kBytes);
  static constexpr int kRing = kQ + Unpooled2::kBytes;
  static constexpr int kLastInRing = 1;  // the last layer whose weights pass through the ring
  static constexpr int kArgmax3 = kRing + kSlots * kLargestLayer;
  static constexpr int kArgmax2 = kArgmax3 + kArgmax3Bytes;
  static constexpr int kBarriers = kArgmax2 + kArgmax2Bytes;
  static constexpr int kTotal = kBarriers + Copies::kBytes;
  static_assert(kTotal <= kMaxSmem, "more shared memory than a Hopper has");

  __device__ static int weights(int layer) {
    return kRing + (kLastLayer - layer) % kSlots * kLargestLayer;
  }
};

struct PortableBackwardSmem {
  using Stage1Rows = RowTile<32, 32, 16>;
  using Stage2Rows = RowTile<16, 16, 32>;
  using Stage3Rows = RowTile<8, 8, 32>;
  using Unpooled2 = RowTile<32, 32, 16>;
  using Copies = AsyncCopies<512>;
  static constexpr bool kInPlace = true;
  static constexpr int kSlots = 2;
  static constexpr int kA1 = 0;
  static constexpr int kB1 = kA1;
  static constexpr int kUnpooled2 = kA1;
  static constexpr int kRing = kA1;
  static_assert(kSlots * kLargestLayer <= Stage1Rows::kBytes);
  static constexpr int kLastInRing = kStage2;
  static constexpr int kA2 = kA1 + Stage1Rows::kBytes;
  static constexpr int kB2 = kA2;
  static constexpr int kUnpooled3 = kA2;
  static constexpr int kStage1Weights = kA2;
  static_assert((kStage2 - 1) * layer_bytes(1) <= Stage2Rows::kBytes);
  static constexpr int kA3 = kA2 + Stage2Rows::kBytes;
  static constexpr int kB3 = kA3;
  static constexpr int kStage2Weights = kA3;
  static_assert(layer_bytes(kStage2) >= Stage3Rows::kBytes);
  static constexpr int kArgmax3 = kA3 + layer_bytes(kStage2);
  static constexpr int kArgmax2 = kArgmax3 + kArgmax3Bytes;
  static constexpr int kBarriers = kArgmax2 + kArgmax2Bytes;
  static constexpr int kTotal = kBarriers + Copies::kBytes;
  static_assert(kTotal <= kMaxPortableSmem, "more shared memory than an Ada has");

  __device__ static int weights(int layer) {
    return layer > kStage2    ? kRing + (kLastLayer - layer) % kSlots * kLargestLayer
           : layer == kStage2 ? kStage2Weights
                              : kStage1Weights + (kStage2 - 1 - layer) * layer_bytes(1);
  }
};

}  // namespace plr::cuda::impala
