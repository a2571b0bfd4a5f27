#include "plr/learn/cuda/impala/buffers.h"

namespace plr::cuda::impala {
namespace {

// Hands out memory from its start on, or only counts it.
class Memory {
 public:
  explicit Memory(void* start) : start_(static_cast<std::uint8_t*>(start)) {}

  template <class T>
  void take(std::int64_t count, T*& place) {
    if (start_ != nullptr) place = reinterpret_cast<T*>(start_ + taken_);
    taken_ += (count * static_cast<std::int64_t>(sizeof(T)) + 255) / 256 * 256;
  }
  std::int64_t taken() const { return taken_; }

 private:
  std::uint8_t* start_;
  std::int64_t taken_ = 0;
};

void lay_out(std::int64_t batch, Memory& memory, TrainBuffers& tape) {
  for (int l = 0; l < kNumLayers; ++l) {
    const int side = layer_side(l);
    const int stage = l / 5;
    if (l > 0) memory.take(batch * side * side * layer_inputs(l), tape.inputs[l]);
    const int made = l == 0 ? 32 : side;
    memory.take(batch * made * made * layer_outputs(l), tape.gradients[l]);
    if (!is_pooled(l)) memory.take(batch * kLearnThreads * (4 >> stage), tape.masks[l]);
    memory.take(static_cast<std::int64_t>(sum_blocks(l)) * sum_size(l), tape.parts[l]);
  }
  for (int pool = 0; pool < kPools; ++pool) {
    const int side = 32 >> pool;
    memory.take(batch * side * side * layer_outputs(5 * pool) / 8, tape.places[pool]);
  }
  memory.take(kPackedBytes / 4, tape.weights);
  memory.take(kPackedBytes / 4, tape.mirrored_weights);
  memory.take(kNumLayers * kBiasStride, tape.biases);
}

}  // namespace

std::int64_t train_buffer_bytes(int batch) {
  Memory memory(nullptr);
  TrainBuffers tape;
  lay_out(batch, memory, tape);
  return memory.taken();
}

TrainBuffers make_train_buffers(void* start, int batch) {
  Memory memory(start);
  TrainBuffers tape;
  lay_out(batch, memory, tape);
  return tape;
}

}  // namespace plr::cuda::impala
