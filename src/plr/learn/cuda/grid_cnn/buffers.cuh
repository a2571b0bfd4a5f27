// Where does what MiniGrid's learning kernels hand to each other lie in global memory?
//
// Two blocks, of which one stays from the forward to the backward pass; each is cut into arrays
// here, in one place for those who ask for their sizes and those who use them.
#pragma once

#include <cuda_bf16.h>

#include <algorithm>
#include <cstdint>

#include "plr/learn/cuda/grid_cnn/tiling.cuh"

namespace plr::cuda::grid_cnn {

// Cuts arrays off a block of memory, each aligned for any access; of no block at all, it counts.
class Cutter {
 public:
  explicit Cutter(void* block) : block_(static_cast<char*>(block)) {}

  template <class T>
  T* cut(std::int64_t count) {
    char* at = block_ == nullptr ? nullptr : block_ + used_;
    used_ += (count * static_cast<std::int64_t>(sizeof(T)) + 255) / 256 * 256;
    return reinterpret_cast<T*>(at);
  }
  std::int64_t used() const { return used_; }

 private:
  char* block_;
  std::int64_t used_ = 0;
};

constexpr int kMaxConvBlocks = 264;  // two for each multiprocessor of a Hopper
constexpr int kHeadSamples = 16;     // of a block
constexpr int kStep = 64;            // of what a product's sum runs over

// Into how many parts a product's sum over `length` is cut, so that `tiles` of results occupy a
// device: at most eight, since they must be added up.
inline int parts_of(int tiles, int length) {
  const int steps = (length + kStep - 1) / kStep;
  return std::clamp(kMaxConvBlocks / 2 / tiles, 1, std::min(steps, 8));
}

// The same for the two products that need it.
inline int unit_parts(int batch, int features) { return parts_of((batch + 63) / 64, features); }
inline int hidden_parts(int batch, int features) { return parts_of((features + 63) / 64, batch); }

struct SavedActivations {
  // Weights in bf16: as Columns wants them, whose fourth input channel is zero in the first layer,
  // and as they lie in the network.
  std::uint32_t* columns1;  // [16][16]
  std::uint32_t* columns2;  // [32][64]
  std::uint32_t* columns3;  // [C][128]
  std::uint32_t* conv2;
  std::uint32_t* conv3;
  __nv_bfloat16* hidden;    // [128][F]
  __nv_bfloat16* second;    // [B][second_pixels][32]
  __nv_bfloat16* features;  // [B][F]
  float* unit_parts;        // [parts][B][128]
  float* units;             // [B][128]
  std::int64_t bytes;

  SavedActivations(const Shape& s, std::int64_t batch, void* block) {
    Cutter cutter(block);
    const int features_of = s.num_features();
    columns1 = cutter.cut<std::uint32_t>(16 * 16 / 2);
    columns2 = cutter.cut<std::uint32_t>(kSecond * 4 * kFirst / 2);
    columns3 = cutter.cut<std::uint32_t>(s.channels * 4 * kSecond / 2);
    conv2 = cutter.cut<std::uint32_t>(kSecond * 4 * kFirst / 2);
    conv3 = cutter.cut<std::uint32_t>(s.channels * 4 * kSecond / 2);
    hidden = cutter.cut<__nv_bfloat16>(std::int64_t{kUnits} * features_of);
    second = cutter.cut<__nv_bfloat16>(batch * Grid(s).second_pixels * kSecond);
    features = cutter.cut<__nv_bfloat16>(batch * features_of);
    unit_parts =
        cutter.cut<float>(grid_cnn::unit_parts(static_cast<int>(batch), features_of) * batch * kUnits);
    units = cutter.cut<float>(batch * kUnits);
    bytes = cutter.used();
  }
};

// Sums of one block of a kernel, in floats: of the convolutions, and of the heads.
struct ConvPart {
  int conv3 = 0, conv3_bias, conv2, conv2_bias, conv1, conv1_bias, size;
  __host__ __device__ explicit ConvPart(int channels)
      : conv3_bias(channels * 4 * kSecond),
        conv2(conv3_bias + channels),
        conv2_bias(conv2 + kSecond * 4 * kFirst),
        conv1(conv2_bias + kSecond),
        conv1_bias(conv1 + kFirst * 4 * kIn),
        size(conv1_bias + kFirst) {}
};
struct HeadPart {
  int policy = 0, value, units_bias, policy_bias, value_bias, size;
  __host__ __device__ explicit HeadPart(int num_actions)
      : value(num_actions * kHidden),
        units_bias(value + kHidden),
        policy_bias(units_bias + kUnits),
        value_bias(policy_bias + num_actions),
        size(value_bias + 1) {}
};

struct BackwardScratch {
  __nv_bfloat16* units_grad;     // [B][128], before tanh
  __nv_bfloat16* features_grad;  // [B][F], before ReLU
  float* hidden_parts;           // [parts][128][F]
  float* head_parts;             // [blocks][HeadPart]
  float* conv_parts;             // [kMaxConvBlocks][ConvPart]
  std::int64_t bytes;

  BackwardScratch(const Shape& s, std::int64_t batch, void* block) {
    Cutter cutter(block);
    const int features = s.num_features();
    units_grad = cutter.cut<__nv_bfloat16>(batch * kUnits);
    features_grad = cutter.cut<__nv_bfloat16>(batch * features);
    hidden_parts = cutter.cut<float>(std::int64_t{kUnits} * features *
                                     grid_cnn::hidden_parts(static_cast<int>(batch), features));
    head_parts =
        cutter.cut<float>((batch + kHeadSamples - 1) / kHeadSamples * HeadPart(s.num_actions).size);
    conv_parts = cutter.cut<float>(std::int64_t{kMaxConvBlocks} * ConvPart(s.channels).size);
    bytes = cutter.used();
  }
};

}  // namespace plr::cuda::grid_cnn
