#include "plr/learn/max_pool.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>

namespace plr {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct Sizes {
  std::int64_t batch, channels, height, width;  // of the larger side
};

Sizes sizes_of(const at::Tensor& x) { return {x.size(0), x.size(1), x.size(2), x.size(3)}; }

// Calls visit(offset of the window's first cell, offset in the pooled tensor) for every window;
// both count floats of channels-last memory.
template <class Visit>
void for_each_window(const Sizes& s, Visit visit) {
  const std::int64_t rows = s.height / 2;
  const std::int64_t columns = s.width / 2;
  at::parallel_for(0, s.batch, 32, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x) {
          visit(((b * s.height + 2 * y) * s.width + 2 * x) * s.channels,
                ((b * rows + y) * columns + x) * s.channels);
        }
      }
    }
  });
}

at::Tensor empty_pooled(const at::Tensor& x) {
  const Sizes s = sizes_of(x);
  return at::empty({s.batch, s.channels, s.height / 2, s.width / 2},
                   x.options().memory_format(at::MemoryFormat::ChannelsLast));
}

// Compiled for the vector units that there may be, of which the best is taken at run time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PLR_VECTORIZED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PLR_VECTORIZED
#endif

// The largest of four cells in each channel and, as a float too so that it shares their lanes,
// which it was: the first of equals.  NaN wins, as in libtorch.
PLR_VECTORIZED void best_of_four(const float* __restrict a, const float* __restrict b,
                                 const float* __restrict c, const float* __restrict d,
                                 std::int64_t channels, float* __restrict best,
                                 float* __restrict winner) {
  for (std::int64_t i = 0; i < channels; ++i) {
    float value = a[i];
    float which = 0;
    which = (b[i] > value || b[i] != b[i]) ? 1 : which;
    value = (b[i] > value || b[i] != b[i]) ? b[i] : value;
    which = (c[i] > value || c[i] != c[i]) ? 2 : which;
    value = (c[i] > value || c[i] != c[i]) ? c[i] : value;
    which = (d[i] > value || d[i] != d[i]) ? 3 : which;
    value = (d[i] > value || d[i] != d[i]) ? d[i] : value;
    best[i] = value;
    winner[i] = which;
  }
}

// The gradient goes to the cell that won, zero to the others.
PLR_VECTORIZED void give_to_winner(const float* __restrict grad, const float* __restrict winner,
                                   float which, std::int64_t channels, float* __restrict cell) {
  for (std::int64_t i = 0; i < channels; ++i) cell[i] = winner[i] == which ? grad[i] : 0;
}

void pool(const at::Tensor& x, at::Tensor& out, at::Tensor& winner) {
  const Sizes s = sizes_of(x);
  const float* from = x.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  float* which = winner.mutable_data_ptr<float>();
  const std::int64_t below = s.width * s.channels;
  for_each_window(s, [&](std::int64_t first, std::int64_t pooled) {
    const float* cell = from + first;
    best_of_four(cell, cell + s.channels, cell + below, cell + below + s.channels, s.channels,
                 to + pooled, which + pooled);
  });
}

struct MaxPool : torch::autograd::Function<MaxPool> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    at::Tensor out = empty_pooled(x);
    at::Tensor winner = empty_pooled(x);
    pool(x, out, winner);
    context->save_for_backward({winner});
    context->saved_data["height"] = x.size(2);
    context->saved_data["width"] = x.size(3);
    return out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& grads) {
    const at::Tensor winner = context->get_saved_variables()[0];
    const at::Tensor grad = grads[0].contiguous(at::MemoryFormat::ChannelsLast);
    const Sizes s = {winner.size(0), winner.size(1), context->saved_data["height"].toInt(),
                     context->saved_data["width"].toInt()};
    at::Tensor out =
        at::zeros({s.batch, s.height, s.width, s.channels}, grad.options()).permute({0, 3, 1, 2});
    const float* from = grad.const_data_ptr<float>();
    const float* which = winner.const_data_ptr<float>();
    float* to = out.mutable_data_ptr<float>();
    const std::int64_t below = s.width * s.channels;
    for_each_window(s, [&](std::int64_t first, std::int64_t pooled) {
      float number = 0;
      for (const std::int64_t cell : {std::int64_t{0}, s.channels, below, below + s.channels}) {
        give_to_winner(from + pooled, which + pooled, number++, s.channels, to + first + cell);
      }
    });
    return {out};
  }
};

}  // namespace

at::Tensor max_pool_2x2(const at::Tensor& x) {
  const bool is_ours = x.is_cpu() && x.scalar_type() == at::kFloat &&
                       x.is_contiguous(at::MemoryFormat::ChannelsLast);
  if (!is_ours) return at::max_pool2d(x, {2, 2});
  if (at::GradMode::is_enabled() && x.requires_grad()) return MaxPool::apply(x);
  at::Tensor out = empty_pooled(x);
  at::Tensor winner = empty_pooled(x);
  pool(x, out, winner);
  return out;
}

}  // namespace plr
