#include "plr/learn/cuda_graph.h"

#include <ATen/cuda/CUDAGraph.h>

#include "plr/learn/device_stream.h"

namespace plr::learn {
namespace {

// Libraries load and choose algorithms in the first call, libtorch's memory settles in the second.
constexpr int kCallsBeforeRecording = 2;

}  // namespace

struct CudaGraphRunner::Graph {
  at::cuda::CUDAGraph graph;
};

CudaGraphRunner::CudaGraphRunner(at::Device device) : device_(device) {}
CudaGraphRunner::~CudaGraphRunner() = default;
CudaGraphRunner::CudaGraphRunner(CudaGraphRunner&&) noexcept = default;
CudaGraphRunner& CudaGraphRunner::operator=(CudaGraphRunner&&) noexcept = default;

void CudaGraphRunner::run(const std::function<void()>& work) {
  if (!device_.is_cuda() || num_calls_++ < kCallsBeforeRecording) return work();
  if (!graph_) {
    synchronize(device_);
    auto recording = std::make_unique<Graph>();
    recording->graph.capture_begin();
    work();
    recording->graph.capture_end();
    graph_ = std::move(recording);
  }
  graph_->graph.replay();
}

}  // namespace plr::learn
