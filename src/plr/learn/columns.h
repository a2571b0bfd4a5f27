// Columns of the two tables that libtorch code and CUDA kernels share in a PPO update.
//
//   samples  [T * N, SampleColumn::kCount] floats: one row per step of the rollout
//   losses   [mini-batches, LossColumn::kCount] floats: one row of PpoLosses per mini-batch
//
// The enumerators are plain ints: row[LossColumn::kTotal].  No dependencies, usable in device code.
#pragma once

namespace plr::learn {

struct SampleColumn {
  // kAction is 0 if the space is not discrete.
  enum Index : int { kAction, kLogProb, kValue, kAdvantage, kReturn, kCount };
};

// In the order of the fields of PpoLosses.
struct LossColumn {
  enum Index : int {
    kValueLoss,  // with its factor 0.5, without value_coef
    kPolicyLoss,
    kEntropy,
    kExtraLoss,
    kTotal,
    kGradNorm,  // before clipping; the optimizer writes it
    kClipFraction,
    kApproxKl,
    kCount,
  };
};

}  // namespace plr::learn
