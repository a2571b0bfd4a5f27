// Where do a network's weights and their gradients lie?
//
// All weights in one flat buffer, all gradients in another, so that clipping and the optimizer are
// one pass over each, and a checkpoint or a broadcast one copy.  A layer sees its weight as an
// ordinary tensor, a view into the buffer, whose gradient is a view into the other:
//
//   Parameters parameters({{"policy.w", {7, 64}, Init::kOrthogonal, 0.01}, {"policy.b", {7}}},
//                         streams.named("init"), at::kCPU);
//   const at::Tensor logits = at::linear(features, parameters["policy.w"], parameters["policy.b"]);
//   loss.backward();          // adds to parameters.grads()
//
// Weights of four dimensions, [out, in, height, width], lie in memory as [out, height, width, in],
// "channels last", as the fast convolutions want them; their shape and order as tensors are not
// affected.  Names and shapes never change.
//
// Movable; a copy of a tensor is a reference to the same numbers, hence no copies.  Not
// synchronized.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plr/base/random.h"

namespace plr::learn {

enum class Init { kZero, kOrthogonal, kXavierUniform };

struct ParameterSpec {
  std::string name;                 // unique
  std::vector<std::int64_t> shape;  // [out, in...]; [out] for a bias
  Init init = Init::kZero;
  double gain = 1;  // of kOrthogonal
};

// A tensor by name: what is saved of a network or an optimizer, and restored.
struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

// Copies each tensor of `from` into the one of that name in `into`, whatever its device; the shapes
// may differ where the order and number of elements do not.  Throws std::runtime_error, before
// anything is copied, if a name is missing on either side or a size does not fit.
void copy_by_name(std::span<const NamedTensor> from, std::span<const NamedTensor> into);

class Parameters {
 public:
  // Draws the weights, in the order given.
  Parameters(std::vector<ParameterSpec> specs, Random init, at::Device device);

  Parameters(Parameters&&) = default;
  Parameters& operator=(Parameters&&) = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  // The weight of this name, on which autograd works.  Throws std::out_of_range.
  const at::Tensor& operator[](std::string_view name) const;

  const at::Tensor& values() const { return values_; }  // flat
  const at::Tensor& grads() const { return grads_; }  // flat; add to it, zero it, never replace it

  // The parameters' names and shapes as views into a buffer laid out as values() is.
  std::vector<NamedTensor> views(const at::Tensor& flat) const;

  // How many numbers there are to learn; the buffers are a little longer, since views are aligned.
  std::int64_t count() const;

 private:
  std::vector<ParameterSpec> specs_;
  at::Tensor values_;
  at::Tensor grads_;
  std::vector<NamedTensor> leaves_;
};

}  // namespace plr::learn
