#include "plr/learn/conv_pool.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace plr::learn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// The supported sizes, known to the compiler: one register per number.
constexpr std::int64_t kIn = 3;
constexpr std::int64_t kOut = 16;
constexpr std::int64_t kRow = 2 * kIn;  // numbers of a 2x2 patch that are contiguous
constexpr std::int64_t kPatch = 2 * kRow;

// Gradients are summed over blocks of images, and blocks in a fixed order: the same sum for any
// number of threads.
constexpr std::int64_t kBlock = 32;

// Compiled for several vector units; the best one is chosen when the program is loaded, which is
// before the thread sanitizer can run instrumented code.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define PLR_VECTORIZED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PLR_VECTORIZED
#endif

struct Sizes {
  std::int64_t height, width;  // of an image
  std::int64_t rows() const { return (height - 1) / 2; }
  std::int64_t columns() const { return (width - 1) / 2; }
  // The offset of the patch of the window's cell 0..3 from the window's first number.
  std::int64_t cell(std::int64_t which) const { return ((which / 2) * width + which % 2) * kIn; }
};

// All output channels of one cell, which compilers keep in registers.
using Lanes = float __attribute__((vector_size(kOut * sizeof(float))));
using LaneNumbers = std::int32_t __attribute__((vector_size(kOut * sizeof(std::int32_t))));
using LaneBytes = std::uint8_t __attribute__((vector_size(kOut)));

// One image.  weight: [kPatch, kOut]; out and argmax: [rows, columns, kOut].
PLR_VECTORIZED void image_forward(const Sizes s, const float* image, const float* weight,
                                  const float* bias, float* out, std::uint8_t* argmax) {
  Lanes weights[kPatch];
  std::memcpy(weights, weight, sizeof(weights));
  Lanes biases;
  std::memcpy(&biases, bias, sizeof(biases));
  for (std::int64_t y = 0; y < s.rows(); ++y) {
    for (std::int64_t x = 0; x < s.columns(); ++x, out += kOut, argmax += kOut) {
      const float* window = image + (2 * y * s.width + 2 * x) * kIn;
      float sums[4][kOut];
#pragma GCC unroll 4
      for (std::int64_t which = 0; which < 4; ++which) {
        const float* patch = window + s.cell(which);
        Lanes sum = biases;
#pragma GCC unroll 12
        for (std::int64_t j = 0; j < kPatch; ++j) {
          sum += patch[(j / kRow) * s.width * kIn + j % kRow] * weights[j];
        }
        std::memcpy(sums[which], &sum, sizeof(sum));
      }
      std::int32_t argmaxes[kOut];
      for (std::int64_t o = 0; o < kOut; ++o) {
        // The first of equal cells is the argmax, and NaN always, as in libtorch; none if the
        // maximum is at most zero.
        float best = 0;
        std::int32_t number = 0;
        for (std::int32_t which = 0; which < 4; ++which) {
          const float sum = sums[which][o];
          number = (sum > best || sum != sum) ? which + 1 : number;
          best = (sum > best || sum != sum) ? sum : best;
        }
        out[o] = best;
        argmaxes[o] = number;
      }
      LaneNumbers numbers;
      std::memcpy(&numbers, argmaxes, sizeof(argmaxes));
      const LaneBytes bytes = __builtin_convertvector(numbers, LaneBytes);
      std::memcpy(argmax, &bytes, sizeof(bytes));
    }
  }
}

// Adds the gradients of one image to sums [kPatch + 1, kOut], the bias last.
PLR_VECTORIZED void image_backward(const Sizes s, const float* image, const float* grad,
                                   const std::uint8_t* argmax, float* sums) {
  Lanes total[kPatch + 1];
  std::memcpy(total, sums, sizeof(total));
  for (std::int64_t y = 0; y < s.rows(); ++y) {
    for (std::int64_t x = 0; x < s.columns(); ++x, grad += kOut, argmax += kOut) {
      const float* window = image + (2 * y * s.width + 2 * x) * kIn;
      Lanes all;
      std::memcpy(&all, grad, sizeof(all));
      LaneBytes bytes;
      std::memcpy(&bytes, argmax, sizeof(bytes));
      const LaneNumbers indices = __builtin_convertvector(bytes, LaneNumbers);
#pragma GCC unroll 4
      for (std::int32_t which = 0; which < 4; ++which) {
        const float* patch = window + s.cell(which);
        const Lanes mine = indices == which + 1 ? all : Lanes{};
        total[kPatch] += mine;
#pragma GCC unroll 12
        for (std::int64_t j = 0; j < kPatch; ++j) {
          total[j] += patch[(j / kRow) * s.width * kIn + j % kRow] * mine;
        }
      }
    }
  }
  std::memcpy(sums, total, sizeof(total));
}

Sizes sizes_of(const at::Tensor& images) { return {images.size(2), images.size(3)}; }

// The weight as [kPatch, kOut]: by tap, then by channel.
at::Tensor by_patch(const at::Tensor& weight) {
  return weight.permute({2, 3, 1, 0}).reshape({kPatch, kOut}).contiguous();
}

// Returns the outputs; `argmax` gets one byte per output.
at::Tensor forward_pass(const at::Tensor& images, const at::Tensor& weight, const at::Tensor& bias,
                        at::Tensor& argmax) {
  const Sizes s = sizes_of(images);
  const std::int64_t batch = images.size(0);
  const std::int64_t image_size = s.height * s.width * kIn;
  const std::int64_t out_size = s.rows() * s.columns() * kOut;
  at::Tensor out = at::empty({batch, s.rows(), s.columns(), kOut}, images.options());
  argmax = at::empty(out.sizes(), at::kByte);
  const at::Tensor weights = by_patch(weight);
  const float* from = images.const_data_ptr<float>();
  const float* w = weights.const_data_ptr<float>();
  const float* b = bias.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  auto* indices = argmax.mutable_data_ptr<std::uint8_t>();
  at::parallel_for(0, batch, kBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      image_forward(s, from + i * image_size, w, b, to + i * out_size, indices + i * out_size);
    }
  });
  return out.permute({0, 3, 1, 2});
}

struct ConvPoolRelu : torch::autograd::Function<ConvPoolRelu> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& images,
                            const at::Tensor& weight, const at::Tensor& bias) {
    at::Tensor argmax;
    const at::Tensor out = forward_pass(images, weight, bias, argmax);
    context->save_for_backward({images, argmax});
    return out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    const auto saved = context->get_saved_variables();
    const at::Tensor& images = saved[0];
    const at::Tensor grad = grads[0].contiguous(at::MemoryFormat::ChannelsLast);
    const Sizes s = sizes_of(images);
    const std::int64_t batch = images.size(0);
    const std::int64_t image_size = s.height * s.width * kIn;
    const std::int64_t out_size = s.rows() * s.columns() * kOut;
    const std::int64_t num_blocks = (batch + kBlock - 1) / kBlock;
    const at::Tensor sums = at::zeros({num_blocks, kPatch + 1, kOut}, grad.options());
    const float* from = images.const_data_ptr<float>();
    const float* g = grad.const_data_ptr<float>();
    const auto* indices = saved[1].const_data_ptr<std::uint8_t>();
    float* to = sums.mutable_data_ptr<float>();
    at::parallel_for(0, num_blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block) {
        for (std::int64_t i = block * kBlock; i < std::min(batch, (block + 1) * kBlock); ++i) {
          image_backward(s, from + i * image_size, g + i * out_size, indices + i * out_size,
                         to + block * (kPatch + 1) * kOut);
        }
      }
    });
    const at::Tensor sum = sums.sum(0);
    const at::Tensor weight_grad =
        sum.narrow(0, 0, kPatch).view({2, 2, kIn, kOut}).permute({3, 2, 0, 1});
    return {at::Tensor(), weight_grad, sum[kPatch]};
  }
};

}  // namespace

at::Tensor conv_pool_relu(const at::Tensor& images, const Layer& layer) {
  const bool is_ours = images.is_cpu() && images.scalar_type() == at::kFloat &&
                       images.size(1) == kIn && layer.weight.size(0) == kOut &&
                       images.is_contiguous(at::MemoryFormat::ChannelsLast) &&
                       !images.requires_grad();
  // ReLU commutes with the max-pool, after which there are four times fewer numbers.
  if (!is_ours) return at::max_pool2d(conv(images, layer), {2, 2}).relu_();
  if (at::GradMode::is_enabled()) return ConvPoolRelu::apply(images, layer.weight, layer.bias);
  at::Tensor argmax;
  return forward_pass(images, layer.weight, layer.bias, argmax);
}

}  // namespace plr::learn
