#include "plr/learn/lstm.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

#include <tuple>
#include <vector>

namespace plr::learn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Cell {
  at::Tensor hidden;
  at::Tensor cell;
  at::Tensor gates;  // [B, 4 H] after their activations
};

// One step from the sum of both parts of the gates.
Cell cell_forward(const at::Tensor& x_gates, const at::Tensor& h_gates, const at::Tensor& cell) {
  if (x_gates.is_cuda()) {
    auto [hidden, next, gates] = at::_thnn_fused_lstm_cell(x_gates, h_gates, cell);
    return {hidden, next, gates};
  }
  const at::Tensor gates = x_gates + h_gates;
  const std::vector<at::Tensor> parts = gates.chunk(4, 1);
  parts[0].sigmoid_();
  parts[1].sigmoid_();
  parts[2].tanh_();
  parts[3].sigmoid_();
  const at::Tensor next = parts[1] * cell + parts[0] * parts[2];
  return {parts[3] * next.tanh(), next, gates};
}

// The gradients of a step's gates, before their activations, and of the cell before the step.
std::tuple<at::Tensor, at::Tensor> cell_backward(const at::Tensor& grad_hidden,
                                                 const at::Tensor& grad_cell,
                                                 const at::Tensor& cell_before,
                                                 const at::Tensor& cell, const at::Tensor& gates) {
  if (gates.is_cuda()) {
    auto [grad_gates, grad_before, unused] = at::_thnn_fused_lstm_cell_backward_impl(
        grad_hidden, grad_cell, cell_before, cell, gates, /*has_bias=*/false);
    return {grad_gates, grad_before};
  }
  const std::vector<at::Tensor> parts = gates.chunk(4, 1);
  const at::Tensor& i = parts[0];
  const at::Tensor& f = parts[1];
  const at::Tensor& g = parts[2];
  const at::Tensor& o = parts[3];
  const at::Tensor tanh_cell = cell.tanh();
  const at::Tensor grad = grad_cell + grad_hidden * o * (1 - tanh_cell * tanh_cell);
  const at::Tensor grad_gates =
      at::cat({grad * g * i * (1 - i), grad * cell_before * f * (1 - f), grad * i * (1 - g * g),
               grad_hidden * tanh_cell * o * (1 - o)},
              1);
  return {grad_gates, grad * f};
}

class Lstm : public torch::autograd::Function<Lstm> {
 public:
  // Saves for every step the gates, the cell before and after it, and h before it.
  static variable_list forward(AutogradContext* context, const at::Tensor& x_gates,
                               const at::Tensor& hidden_weight, const at::Tensor& state,
                               const at::Tensor& resets) {
    const std::int64_t num_steps = x_gates.size(0);
    const std::int64_t size = hidden_weight.size(1);
    const at::Tensor keep = (1 - resets).unsqueeze(2);  // [L, B, 1]
    const at::Tensor transposed = hidden_weight.t();
    at::Tensor cell = state.narrow(1, 0, size);
    at::Tensor hidden = state.narrow(1, size, size);
    std::vector<at::Tensor> gates;
    std::vector<at::Tensor> cells;
    std::vector<at::Tensor> cells_before;
    std::vector<at::Tensor> hidden_before;
    std::vector<at::Tensor> outputs;
    for (std::int64_t t = 0; t < num_steps; ++t) {
      hidden_before.push_back(hidden * keep[t]);
      cells_before.push_back(cell * keep[t]);
      Cell next =
          cell_forward(x_gates[t], at::mm(hidden_before.back(), transposed), cells_before.back());
      hidden = next.hidden;
      cell = next.cell;
      outputs.push_back(next.hidden);
      cells.push_back(next.cell);
      gates.push_back(next.gates);
    }
    context->save_for_backward({hidden_weight, keep, at::stack(gates), at::stack(cells),
                                at::stack(cells_before), at::stack(hidden_before)});
    at::Tensor last = at::cat({cell, hidden}, 1);
    context->mark_non_differentiable({last});
    return {at::stack(outputs), last};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& hidden_weight = saved[0];
    const at::Tensor& keep = saved[1];
    const at::Tensor& gates = saved[2];
    const at::Tensor& cells = saved[3];
    const at::Tensor& cells_before = saved[4];
    const at::Tensor& hidden_before = saved[5];
    const at::Tensor& grad_outputs = grads[0];
    const std::int64_t num_steps = gates.size(0);
    const at::Tensor grad_gates = at::empty_like(gates);
    at::Tensor grad_hidden = at::zeros_like(hidden_before[0]);  // through the step after
    at::Tensor grad_cell = at::zeros_like(cells[0]);
    for (std::int64_t t = num_steps; t-- > 0;) {
      const auto [grad_step, grad_before] = cell_backward(grad_hidden + grad_outputs[t], grad_cell,
                                                          cells_before[t], cells[t], gates[t]);
      grad_gates[t].copy_(grad_step);
      grad_hidden = at::mm(grad_step, hidden_weight) * keep[t];
      grad_cell = grad_before * keep[t];
    }
    const at::Tensor grad_weight =
        at::mm(grad_gates.flatten(0, 1).t(), hidden_before.flatten(0, 1));
    return {grad_gates, grad_weight, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

LstmOutput lstm(const at::Tensor& x_gates, const at::Tensor& hidden_weight, const at::Tensor& state,
                const at::Tensor& resets) {
  // With precision = bf16, autocast would compute single operations in bf16, but not their
  // gradients.
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCUDA);
  if (x_gates.size(0) == 1 && !at::GradMode::is_enabled()) {  // inference: nothing is saved
    const std::int64_t size = hidden_weight.size(1);
    const at::Tensor before = state * (1 - resets[0]).unsqueeze(1);
    const Cell next =
        cell_forward(x_gates[0], at::mm(before.narrow(1, size, size), hidden_weight.t()),
                     before.narrow(1, 0, size));
    return {.hidden = next.hidden.unsqueeze(0), .state = at::cat({next.cell, next.hidden}, 1)};
  }
  const variable_list out = Lstm::apply(x_gates, hidden_weight, state, resets);
  return {.hidden = out[0], .state = out[1]};
}

}  // namespace plr::learn
