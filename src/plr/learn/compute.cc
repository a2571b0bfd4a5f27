#include "plr/learn/compute.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "plr/learn/repeated.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace plr::learn {
namespace {

// A mini-batch takes and frees blocks of tens of megabytes.  By default the C library gives them
// back to the kernel each time, which then clears every page anew: a third of the time of training
// MiniGrid's network on the CPU.  So keep up to a gigabyte, and take what is below 32 MB, the
// largest bound that glibc accepts, from there.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

}  // namespace

Compute plain(Compute compute) {
  if (compute.device == "auto") compute.device = at::hasCUDA() ? "cuda" : "cpu";
  if (compute.precision == Precision::kAuto) {
    compute.precision = compute.device == "cpu" ? Precision::kFp32 : Precision::kBf16;
  }
  // More than eight help none of our networks.
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (compute.num_threads == 0) compute.num_threads = std::min(cores, 8);
  return compute;
}

at::Device configure(const Compute& given) {
  check_fields(given);
  const Compute compute = plain(given);
  const std::string& device = compute.device;
  const bool cuda = device == "cuda" || device.starts_with("cuda:");
  if (!cuda && device != "cpu") {
    throw std::invalid_argument("device must be auto, cpu, cuda or cuda:N, not " + device);
  }
  if (cuda && !at::hasCUDA()) {
    throw std::invalid_argument("device is " + device + ", but libtorch finds no CUDA device");
  }
  if (!cuda && compute.precision != Precision::kFp32) {
    throw std::invalid_argument(
        "precision: the CPU computes in fp32 only; tf32 and bf16 need CUDA");
  }

  if (!cuda) keep_freed_memory();
  at::set_num_threads(compute.num_threads);
  at::Context& context = at::globalContext();
  const bool tf32 = compute.precision == Precision::kTf32;
  context.setAllowTF32CuBLAS(tf32);
  context.setAllowTF32CuDNN(tf32);
  context.setDeterministicCuDNN(compute.deterministic);
  context.setDeterministicAlgorithms(compute.deterministic, false);
  // Every mini-batch has the same shape, so the search for the fastest convolution pays at once;
  // but what it finds may differ from run to run.
  context.setBenchmarkCuDNN(cuda && !compute.deterministic);
  use_own_stream(at::Device(device));
  return at::Device(device);
}

}  // namespace plr::learn
