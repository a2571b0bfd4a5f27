// The weights of a network and their gradients.
//
// All weights are in one flat buffer, all gradients in another, so that clipping and the optimizer
// are one pass over each, and a checkpoint is one copy.  A layer's weight is an ordinary tensor, a
// view into the buffer, whose gradient is a view into the other:
//
//   Parameters parameters({{"policy.w", {7, 64}, Init::kOrthogonal, 0.01}, {"policy.b", {7}}},
//                         streams.named("init"), at::kCPU);
//   const at::Tensor logits = at::linear(features, parameters["policy.w"], parameters["policy.b"]);
//   loss.backward();          // adds to parameters.grads()
//
// Weights of four dimensions, [out, in, height, width], are stored as [out, height, width, in],
// "channels last", the layout of fast convolutions; their shape and order as tensors are not
// affected.  Names and shapes never change.
//
// Movable; a copy of a tensor refers to the same numbers, hence no copies.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/base/random.h"

namespace plr::learn {

enum class Init {
  kZero,
  kOrthogonal,
  kOrthogonalGates,  // the four gates of an LSTM, each an orthogonal matrix
  kXavierUniform,
  kTruncatedNormal,
};

struct ParameterSpec {
  std::string name;                 // unique
  std::vector<std::int64_t> shape;  // [out, in...]; [out] for a bias
  Init init = Init::kZero;
  double gain = 1;  // of kOrthogonal and kOrthogonalGates
};

// A tensor by name, as networks and optimizers are saved and restored.
struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

// Copies each tensor of `from` into the one of that name in `into`, on any device; the shapes may
// differ if the order and number of elements do not.  Throws std::runtime_error, before anything is
// copied, if a name is missing on either side or a size does not match.
void copy_by_name(std::span<const NamedTensor> from, std::span<const NamedTensor> into);

class Parameters {
 public:
  // Draws the weights, in the order given.
  Parameters(std::vector<ParameterSpec> specs, Random init, at::Device device);

  Parameters(Parameters&&) = default;
  Parameters& operator=(Parameters&&) = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  // The weight of this name, a leaf of autograd.  Throws std::out_of_range.
  const at::Tensor& operator[](std::string_view name) const;

  const at::Tensor& values() const { return values_; }  // flat
  const at::Tensor& grads() const { return grads_; }  // flat; add to it, zero it, never replace it

  // Views into a buffer of the layout of values(), with the parameters' names and shapes.
  std::vector<NamedTensor> views(const at::Tensor& flat) const;

  // The number of parameters; the buffers are a little longer, since views are aligned.
  std::int64_t count() const;

 private:
  std::vector<ParameterSpec> specs_;
  at::Tensor values_;
  at::Tensor grads_;
  std::vector<NamedTensor> leaves_;
};

}  // namespace plr::learn
