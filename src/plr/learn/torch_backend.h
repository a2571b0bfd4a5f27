// The backend that uses libtorch for everything, on any device.
//
// Not copyable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>

#include "plr/learn/backend.h"

namespace plr::learn {

class TorchBackend : public Backend {
 public:
  using Backend::Backend;

  bool is_native() const override { return false; }
  std::unique_ptr<collect::Inference> make_inference(const PolicyConfig& config,
                                                     std::size_t num_slots,
                                                     const RolloutTensors& rollout) override;
  Minibatch gather(const UpdateTensors& update) override;
  at::Tensor backward(const PpoConfig& config, const Minibatch& minibatch, const ForwardPass& pass,
                      const at::Tensor& extra_loss) override;
  void step(const at::Tensor& losses, const at::Tensor& broken, Adam& adam) override;
  void store_losses(const at::Tensor& losses, const UpdateTensors& update) override;

 private:
  ForwardPass forward_all(const at::Tensor& obs, const Recurrence& recurrence) override;
};

}  // namespace plr::learn
