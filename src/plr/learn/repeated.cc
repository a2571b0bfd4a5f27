#include "plr/learn/repeated.h"

#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#ifdef PLR_CUDA
#include <ATen/cuda/CUDAGraph.h>
#endif

#ifdef PLR_KERNELS
#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda_device.h"
#endif

namespace plr::learn {
namespace {

// Libraries load and choose algorithms in the first call, libtorch's memory settles in the second.
constexpr int kCallsBeforeRecording = 2;

c10::Stream stream_of(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

}  // namespace

#ifdef PLR_CUDA
struct Repeated::Graph {
  at::cuda::CUDAGraph graph;
};
#else
struct Repeated::Graph {};
#endif

Repeated::Repeated(at::Device device) : device_(device) {}
Repeated::~Repeated() = default;
Repeated::Repeated(Repeated&&) noexcept = default;
Repeated& Repeated::operator=(Repeated&&) noexcept = default;

void Repeated::operator()(const std::function<void()>& work) {
#ifdef PLR_CUDA
  if (device_.is_cuda() && num_calls_++ >= kCallsBeforeRecording) {
    if (!graph_) {
      wait_for(device_);
      auto recording = std::make_unique<Graph>();
      recording->graph.capture_begin();
      work();
      recording->graph.capture_end();
      graph_ = std::move(recording);
    }
    graph_->graph.replay();
    return;
  }
#endif
  work();
}

void use_own_stream(at::Device device) {
  if (!device.is_cuda()) return;
  const c10::impl::VirtualGuardImpl impl(device.type());
  impl.exchangeStream(impl.getStreamFromGlobalPool(device));
}

void bring(const at::Tensor& from, const at::Tensor& to) {
#ifdef PLR_KERNELS
  if (to.is_cuda()) {
    cuda::check(
        cudaMemcpyAsync(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes(),
                        cudaMemcpyHostToDevice, static_cast<cudaStream_t>(current_stream())),
        "a copy to the device");
    return;
  }
#endif
  to.copy_(from, /*non_blocking=*/true);
}

void wait_for(at::Device device) {
  if (!device.is_cuda()) return;
  stream_of(device).synchronize();
}

Milestone::Milestone(at::Device device) : device_(device) {
  if (device.is_cuda()) event_.emplace(device.type());
}

void Milestone::pass() {
  if (event_) event_->record(stream_of(device_));
}

void Milestone::wait() const {
  if (event_) event_->synchronize();
}

bool Milestone::is_reached() const { return !event_ || event_->query(); }

}  // namespace plr::learn
