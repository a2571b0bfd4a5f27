// Reads an observation from pinned host memory in words of 4 or 16 bytes.
//
// Observations of odd sizes begin at any address.  They are therefore read from the last multiple
// of the word's size before them to the first one after them: a word that contains one byte of an
// observation never crosses a page.
//
//   const ObsRange<uint4> range(job, slot, image_bytes);
//   for (int i = threadIdx.x; i < range.num_words; i += kThreads) words[i] = range.load(i);
//   // byte i of the observation is byte i + range.skew of the words
#pragma once

#include <cstdint>

#include "plr/learn/cuda/common/inference_job.h"

namespace plr::cuda {

template <class Word>
struct ObsRange {
  const Word* words;
  int skew;  // bytes before the range in the first word
  int num_words;

  // `num_bytes` bytes of a slot's observation of `image_bytes` bytes, from `first_byte` on.
  __device__ ObsRange(const InferenceJob& job, int slot, int image_bytes, int first_byte,
                      int num_bytes) {
    constexpr int kSize = sizeof(Word);
    const std::uint8_t* begin =
        job.host_obs + static_cast<std::int64_t>(slot) * image_bytes + first_byte;
    skew = static_cast<int>(reinterpret_cast<std::uintptr_t>(begin) % kSize);
    words = reinterpret_cast<const Word*>(begin - skew);
    num_words = (skew + num_bytes + kSize - 1) / kSize;
  }
  __device__ ObsRange(const InferenceJob& job, int slot, int image_bytes)
      : ObsRange(job, slot, image_bytes, 0, image_bytes) {}

  // Not from L1, where an earlier observation may be.
  __device__ Word load(int word) const { return __ldcg(words + word); }
};

}  // namespace plr::cuda
