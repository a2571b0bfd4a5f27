// A long short-term memory (Hochreiter and Schmidhuber 1997) over sequences with resets.
//
//   i, f, o = sigmoid(x Wx + h Wh + b)     g = tanh(x Wx + h Wh + b)
//   c = f c + i g                          h = o tanh(c)
//
//   const at::Tensor x_gates = at::linear(x, input_weight, bias).view({L, B, 4 * H});
//   const LstmOutput out = lstm(x_gates, hidden_weight, state, resets);    // out.hidden: [L, B, H]
//
// The input's part of the gates is computed by the caller, for all steps at once.  Where `resets`
// is 1, h and c are zero before the step.  Gradients flow through all L steps; the gradient of the
// hidden weight is one product over all of them.
//
// Everything is float.  Differentiable in x_gates and hidden_weight, not in the state. Thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

namespace plr::learn {

struct LstmOutput {
  at::Tensor hidden;  // [L, B, H]: h after every step
  at::Tensor state;   // [B, 2 H]: c and h after the last step; not differentiable
};

// x_gates [L, B, 4 H] in the order i, f, g, o; hidden_weight [4 H, H]; state [B, 2 H]: c and h;
// resets [L, B].
LstmOutput lstm(const at::Tensor& x_gates, const at::Tensor& hidden_weight, const at::Tensor& state,
                const at::Tensor& resets);

}  // namespace plr::learn
