// Repeats work for the device as a CUDA graph.
//
// To launch a kernel takes the host some microseconds, and a mini-batch may be a hundred small
// kernels: a fast device waits for the host most of the time.  The runner calls the given work the
// first two times, which lets libtorch choose its algorithms, records the third call as a CUDA
// graph, and from then on replays it in one launch.
//
//   CudaGraphRunner step(device);
//   for (...) step.run([&] { enqueue_next_minibatch(); });
//
// REQUIRES: the work is the same each time: the same tensors at the same addresses, nothing
// decided, drawn or awaited on the host.  What differs between repetitions is in the tensors.
//
// On the CPU, and where CUDA's headers were missing at build time (cuda_graph_stub.cc), the work is
// called each time.
//
// Movable, not copyable.  Not thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

namespace plr::learn {

class CudaGraphRunner {
 public:
  explicit CudaGraphRunner(at::Device device);
  ~CudaGraphRunner();
  CudaGraphRunner(CudaGraphRunner&&) noexcept;
  CudaGraphRunner& operator=(CudaGraphRunner&&) noexcept;

  // Calls the work, or replays what it enqueued when it was recorded.
  void run(const std::function<void()>& work);

 private:
  struct Graph;

  at::Device device_;
  int num_calls_ = 0;
  std::unique_ptr<Graph> graph_;
};

}  // namespace plr::learn
