// How is work for the device repeated without being described again?
//
// To launch a kernel takes the host some microseconds, and a mini-batch is a hundred small kernels:
// a fast device waits for its orders most of the time.  Repeated work is done as described the
// first times, which lets libtorch choose its algorithms; then the orders are recorded once, as a
// CUDA graph, and given all at once from then on.
//
//   Repeated step;
//   for (...) step([&] { learn_from_the_next_minibatch(); });
//
// So the work must be the same each time: the same tensors at the same places, nothing decided,
// drawn or awaited on the host.  What differs between repetitions stands in the tensors.  On the
// CPU, and where libtorch's CUDA headers were missing at build time, it is simply done each time.
//
// Movable.  Not synchronized.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <functional>
#include <memory>
#include <optional>

namespace plr::learn {

class Repeated {
 public:
  explicit Repeated(at::Device device);
  ~Repeated();
  Repeated(Repeated&&) noexcept;
  Repeated& operator=(Repeated&&) noexcept;

  // Does the work, or what it was when it was recorded.
  void operator()(const std::function<void()>& work);

 private:
  struct Graph;

  at::Device device_;
  int num_calls_ = 0;
  std::unique_ptr<Graph> graph_;
};

// Lets this thread give its orders to a stream of its own from now on, as recording demands.
void use_own_stream(at::Device device);

// Orders a copy from pinned memory to the device, both in one piece of the same size and type.  As
// copy_(), without the microseconds that libtorch takes to see that nothing is to be converted.
void bring(const at::Tensor& from, const at::Tensor& to);

// Waits until the device has done what this thread has ordered.
void wait_for(at::Device device);

// A point in what is ordered, which one can wait for while more is ordered behind it.  Movable.
class Milestone {
 public:
  explicit Milestone(at::Device device);
  void pass();              // puts it behind what this thread has ordered so far
  void wait() const;        // until the device has come there
  bool is_reached() const;  // whether it has

 private:
  at::Device device_;
  std::optional<c10::Event> event_;  // none on the CPU, where orders are done at once
};

}  // namespace plr::learn
