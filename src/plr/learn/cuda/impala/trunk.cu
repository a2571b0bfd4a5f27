#include "plr/learn/cuda/impala/kernels.h"
#include "plr/learn/cuda/impala/trunk.h"

namespace plr::cuda::impala {
namespace {

// The layers whose gradients take longest come first: the others fill what they leave.
constexpr int kOrder[kNumLayers] = {5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 11, 12, 13, 14};

// Streams beside another one, for work that may run side by side.
class SideStreams {
 public:
  SideStreams() {
    check(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming), "an event");
    for (int i = 0; i < kNumLayers; ++i) {
      check(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking), "a stream");
      check(cudaEventCreateWithFlags(&joins_[i], cudaEventDisableTiming), "an event");
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

  // Orders work(i, stream) for every i, all after what was ordered before and before what follows.
  template <class Work>
  void run(cudaStream_t main, Work work) const {
    check(cudaEventRecord(fork_, main), "forking a stream");
    for (int i = 0; i < kNumLayers; ++i) {
      check(cudaStreamWaitEvent(streams_[i], fork_, 0), "forking a stream");
      work(i, streams_[i]);
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
  int batch;
  bool relu_skip;
  TrainBuffers tape;
  LayerMaps inputs, gradients;
  WeighMaps weigh[kNumLayers];
  SideStreams side;
};

std::int64_t Trunk::bytes(int batch) { return train_buffer_bytes(batch); }

Trunk::Trunk(int batch, bool relu_skip, void* memory) : plan_(std::make_unique<Plan>()) {
  Plan& p = *plan_;
  p.batch = batch;
  p.relu_skip = relu_skip;
  p.tape = make_train_buffers(memory, batch);
  for (int l = 1; l < kNumLayers; ++l) {
    const int side = layer_side(l);
    const BoxShape whole = {1, side, side + 2};  // two columns that are not there: the halo
    p.inputs.of[l] = make_map(p.tape.inputs[l], batch, side, layer_inputs(l), whole);
    p.gradients.of[l] = make_map(p.tape.gradients[l], batch, side, layer_outputs(l), whole);
    p.weigh[l] = maps_to_weigh(l, p.tape, batch);
  }
}

Trunk::~Trunk() = default;

void Trunk::forward(const Weights& weights, const Pixels& pixels, void* features, void* stream) {
  const Plan& p = *plan_;
  pack_weights(weights,
               {.conv = p.tape.weights,
                .conv_bias = p.tape.biases,
                .mirrored_conv = p.tape.mirrored_weights},
               stream);
  order_forward(p.tape, p.inputs, pixels, p.relu_skip, p.batch, features,
                static_cast<cudaStream_t>(stream));
}

void Trunk::backward(const Pixels& pixels, const void* features, const void* d_features,
                     const Gradients& grads, void* stream) {
  const Plan& p = *plan_;
  const auto main = static_cast<cudaStream_t>(stream);
  order_backward(p.tape, p.gradients, p.relu_skip, p.batch, features, d_features, main);
  p.side.run(main, [&](int i, cudaStream_t side) {
    const int layer = kOrder[i];
    if (layer == 0) {
      order_weigh_first(p.tape, pixels, p.batch, side);
    } else {
      order_weigh(layer, p.tape, p.weigh[layer], p.batch, side);
    }
  });
  order_add(p.tape, grads, main);
}

}  // namespace plr::cuda::impala
