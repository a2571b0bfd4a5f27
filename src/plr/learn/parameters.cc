#include "plr/learn/parameters.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <stdexcept>

#include "plr/learn/initialization.h"

namespace plr::learn {
namespace {

// Views begin at multiples of 16 floats, a cache line, so that vector loads are aligned.
constexpr std::int64_t kAlignment = 16;

std::int64_t size_of(const ParameterSpec& spec) {
  std::int64_t size = 1;
  for (const std::int64_t n : spec.shape) size *= n;
  return size;
}

std::int64_t stored_size_of(const ParameterSpec& spec) {
  return (size_of(spec) + kAlignment - 1) / kAlignment * kAlignment;
}

at::Tensor initial(const ParameterSpec& spec, Random& random) {
  const std::int64_t size = size_of(spec);
  std::vector<double> numbers;
  switch (spec.init) {
    case Init::kZero:
      numbers.resize(static_cast<std::size_t>(size));
      break;
    case Init::kOrthogonal:
      numbers = orthogonal(spec.shape[0], size / spec.shape[0], spec.gain, random);
      break;
    case Init::kOrthogonalGates:
      for (int gate = 0; gate < 4; ++gate) {
        const auto part = orthogonal(spec.shape[0] / 4, spec.shape[1], spec.gain, random);
        numbers.insert(numbers.end(), part.begin(), part.end());
      }
      break;
    case Init::kTruncatedNormal:
      numbers = truncated_normal(size, size / spec.shape[0], random);
      break;
    case Init::kXavierUniform: {
      const std::int64_t kernel = size / (spec.shape[0] * spec.shape[1]);
      numbers = xavier_uniform(size, spec.shape[1] * kernel, spec.shape[0] * kernel, random);
      break;
    }
  }
  return at::from_blob(numbers.data(), spec.shape, at::kDouble).to(at::kFloat);
}

const at::Tensor* find(std::span<const NamedTensor> tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
  return found == tensors.end() ? nullptr : &found->tensor;
}

}  // namespace

void copy_by_name(std::span<const NamedTensor> from, std::span<const NamedTensor> into) {
  for (const NamedTensor& source : from) {
    if (find(into, source.name) == nullptr)
      throw std::runtime_error("tensor " + source.name + " is unknown");
  }
  for (const NamedTensor& target : into) {
    const at::Tensor* source = find(from, target.name);
    if (source == nullptr) throw std::runtime_error("tensor " + target.name + " is missing");
    if (source->numel() != target.tensor.numel()) {
      throw std::runtime_error("tensor " + target.name + " must have " +
                               std::to_string(target.tensor.numel()) + " elements, not " +
                               std::to_string(source->numel()));
    }
  }
  const at::NoGradGuard no_grad;
  for (const NamedTensor& target : into) {
    target.tensor.copy_(find(from, target.name)->reshape(target.tensor.sizes()));
  }
}

Parameters::Parameters(std::vector<ParameterSpec> specs, Random init, at::Device device)
    : specs_(std::move(specs)) {
  std::int64_t length = 0;
  for (const ParameterSpec& spec : specs_) length += stored_size_of(spec);
  values_ = at::zeros({length}, at::TensorOptions(device));
  grads_ = at::zeros({length}, at::TensorOptions(device));

  leaves_ = views(values_);
  const std::vector<NamedTensor> grad_views = views(grads_);
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    at::Tensor& leaf = leaves_[i].tensor;
    leaf.copy_(initial(specs_[i], init));
    leaf.requires_grad_();
    leaf.mutable_grad() = grad_views[i].tensor;
  }
}

const at::Tensor& Parameters::operator[](std::string_view name) const {
  const at::Tensor* leaf = find(leaves_, name);
  if (leaf == nullptr) throw std::out_of_range("parameter " + std::string(name) + " is unknown");
  return *leaf;
}

std::vector<NamedTensor> Parameters::views(const at::Tensor& flat) const {
  std::vector<NamedTensor> named;
  std::int64_t offset = 0;
  for (const ParameterSpec& spec : specs_) {
    const std::vector<std::int64_t>& s = spec.shape;
    // detach() lets the view of a tensor be a leaf of autograd.
    at::Tensor view = flat.detach().narrow(0, offset, size_of(spec));
    view = s.size() == 4 ? view.view({s[0], s[2], s[3], s[1]}).permute({0, 3, 1, 2}) : view.view(s);
    named.push_back({spec.name, view});
    offset += stored_size_of(spec);
  }
  return named;
}

std::int64_t Parameters::count() const {
  std::int64_t total = 0;
  for (const ParameterSpec& spec : specs_) total += size_of(spec);
  return total;
}

}  // namespace plr::learn
