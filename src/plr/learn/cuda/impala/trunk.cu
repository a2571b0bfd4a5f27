// Forward and backward pass of the IMPALA network's convolutions as sequences of kernel launches;
// no kernels of its own.

#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/trunk.h"

namespace plr::cuda::impala {
namespace {

// The layers in the order in which their weight gradients are launched: those that take longest
// come first, and the others fill the multiprocessors that they leave.
constexpr int kLaunchSequence[kNumLayers] = {5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 11, 12, 13, 14};

// Streams that run one kernel per layer concurrently, between two points of a main stream.
class SideStreams {
 public:
  SideStreams() {
    check(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming), "creating an event");
    for (int i = 0; i < kNumLayers; ++i) {
      check(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking), "creating a stream");
      check(cudaEventCreateWithFlags(&joins_[i], cudaEventDisableTiming), "creating an event");
    }
  }
  ~SideStreams() {
    cudaEventDestroy(fork_);
    for (int i = 0; i < kNumLayers; ++i) {
      cudaStreamDestroy(streams_[i]);
      cudaEventDestroy(joins_[i]);
    }
  }
  SideStreams(const SideStreams&) = delete;
  SideStreams& operator=(const SideStreams&) = delete;

  // Calls enqueue(i, stream) for every i.  The work runs after what is in `main` already and before
  // what is enqueued there later.
  template <class Enqueue>
  void run(cudaStream_t main, Enqueue enqueue) const {
    check(cudaEventRecord(fork_, main), "forking a stream");
    for (int i = 0; i < kNumLayers; ++i) {
      check(cudaStreamWaitEvent(streams_[i], fork_, 0), "forking a stream");
      enqueue(i, streams_[i]);
      check(cudaEventRecord(joins_[i], streams_[i]), "joining a stream");
      check(cudaStreamWaitEvent(main, joins_[i], 0), "joining a stream");
    }
  }

 private:
  cudaEvent_t fork_ = nullptr;
  cudaStream_t streams_[kNumLayers] = {};
  cudaEvent_t joins_[kNumLayers] = {};
};

}  // namespace

struct Trunk::Plan {
  Variant variant;
  int batch;
  bool relu_skip;
  TrainBuffers buffers;
  SideStreams side;
  // Of kHopper alone.
  LayerMaps inputs, output_grads;
  WeightGradMaps weight_grad[kNumLayers];
};

std::int64_t Trunk::bytes(int batch) { return train_buffer_bytes(batch); }

Trunk::Trunk(Variant variant, int batch, bool relu_skip, void* memory)
    : plan_(std::make_unique<Plan>()) {
  Plan& p = *plan_;
  p.variant = variant;
  p.batch = batch;
  p.relu_skip = relu_skip;
  p.buffers = make_train_buffers(memory, batch);
  for (int l = 1; l < kNumLayers && variant == Variant::kHopper; ++l) {
    const int side = layer_side(l);
    const BoxShape whole = {1, side, side + 2};  // the two extra columns are the halo
    p.inputs.layer[l] = make_tensor_map(p.buffers.inputs[l], batch, side, layer_inputs(l), whole);
    p.output_grads.layer[l] =
        make_tensor_map(p.buffers.output_grads[l], batch, side, layer_outputs(l), whole);
    p.weight_grad[l] = make_weight_grad_maps(l, p.buffers, batch);
  }
}

Trunk::~Trunk() = default;

void Trunk::forward(const Weights& weights, const Pixels& pixels, void* features, void* stream) {
  const Plan& p = *plan_;
  pack_weights(weights,
               {.conv = p.buffers.packed_weights,
                .conv_bias = p.buffers.biases,
                .mirrored_conv = p.buffers.mirrored_weights},
               stream);
  const auto queue = static_cast<cudaStream_t>(stream);
  if (p.variant == Variant::kHopper) {
    launch_forward(p.buffers, p.inputs, pixels, p.relu_skip, p.batch, features, queue);
  } else {
    portable::launch_forward(p.buffers, pixels, p.relu_skip, p.batch, features, queue);
  }
}

void Trunk::backward(const Pixels& pixels, const void* features, const void* features_grad,
                     const Gradients& grads, void* stream) {
  const Plan& p = *plan_;
  const auto main = static_cast<cudaStream_t>(stream);
  const bool is_hopper = p.variant == Variant::kHopper;
  if (is_hopper) {
    launch_backward(p.buffers, p.output_grads, p.relu_skip, p.batch, features, features_grad, main);
  } else {
    portable::launch_backward(p.buffers, p.relu_skip, p.batch, features, features_grad, main);
  }
  p.side.run(main, [&](int i, cudaStream_t side) {
    const int layer = kLaunchSequence[i];
    if (layer == kStage1) {
      (is_hopper ? launch_conv1_weight_grad : portable::launch_conv1_weight_grad)(p.buffers, pixels,
                                                                                  p.batch, side);
    } else if (is_hopper) {
      launch_weight_grad(layer, p.buffers, p.weight_grad[layer], p.batch, side);
    } else {
      portable::launch_weight_grad(layer, p.buffers, p.batch, side);
    }
  });
  launch_reduce_partials(p.buffers, grads, main);
}

}  // namespace plr::cuda::impala
