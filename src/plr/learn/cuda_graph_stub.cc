// For builds without CUDA's compiler, in place of cuda_graph.cc: work is enqueued each time.
#include "plr/learn/cuda_graph.h"

namespace plr::learn {

struct CudaGraphRunner::Graph {};

CudaGraphRunner::CudaGraphRunner(at::Device device) : device_(device) {}
CudaGraphRunner::~CudaGraphRunner() = default;
CudaGraphRunner::CudaGraphRunner(CudaGraphRunner&&) noexcept = default;
CudaGraphRunner& CudaGraphRunner::operator=(CudaGraphRunner&&) noexcept = default;

void CudaGraphRunner::run(const std::function<void()>& work) { work(); }

}  // namespace plr::learn
