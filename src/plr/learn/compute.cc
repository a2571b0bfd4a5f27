#include "plr/learn/compute.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <stdexcept>

#include "plr/base/usable_cpus.h"
#include "plr/learn/device_stream.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace plr::learn {
namespace {

// A mini-batch allocates and frees blocks of tens of megabytes.  By default the C library returns
// them to the operating system each time, which clears every page on the next use: a third of the
// time of training the grid CNN on the CPU.  So keep up to 1 GB of freed memory, and allocate
// blocks below 32 MB, the largest threshold that glibc accepts, from it.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

}  // namespace

ComputeConfig resolve_auto(ComputeConfig compute) {
  if (compute.device == "auto") compute.device = at::hasCUDA() ? "cuda" : "cpu";
  if (compute.precision == Precision::kAuto) {
    compute.precision = compute.device == "cpu" ? Precision::kFp32 : Precision::kBf16;
  }
  // None of our networks is faster with more than eight.
  if (compute.num_threads == 0) compute.num_threads = std::min(free_cpus(), 8);
  return compute;
}

int num_gpus() { return static_cast<int>(at::getNumGPUs()); }

at::Device configure(const ComputeConfig& given) {
  check_fields(given);
  const ComputeConfig compute = resolve_auto(given);
  const std::string& device = compute.device;
  const bool cuda = device == "cuda" || device.starts_with("cuda:");
  if (!cuda && device != "cpu") {
    throw std::invalid_argument("device must be auto, cpu, cuda or cuda:N, not " + device);
  }
  if (cuda && !at::hasCUDA()) {
    throw std::invalid_argument("device must be cpu, not " + device +
                                ": libtorch finds no CUDA device");
  }
  if (!cuda && compute.precision != Precision::kFp32) {
    throw std::invalid_argument("precision must be fp32 on the CPU, not " +
                                to_text(compute.precision) + ": tf32 and bf16 need CUDA");
  }

  if (!cuda) keep_freed_memory();
  at::set_num_threads(compute.num_threads);
  at::Context& context = at::globalContext();
  const bool tf32 = compute.precision == Precision::kTf32;
  context.setAllowTF32CuBLAS(tf32);
  context.setAllowTF32CuDNN(tf32);
  context.setDeterministicCuDNN(compute.deterministic);
  context.setDeterministicAlgorithms(compute.deterministic, false);
  // Every mini-batch has the same shape, so the search for the fastest convolution pays off at
  // once; but its choice may differ from run to run.
  context.setBenchmarkCuDNN(cuda && !compute.deterministic);
  use_pool_stream(at::Device(device));
  return at::Device(device);
}

}  // namespace plr::learn
