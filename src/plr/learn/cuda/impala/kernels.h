// The kernels of impala/trunk.h; each function orders one.
#pragma once

#include <cuda_runtime_api.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/impala/buffers.h"
#include "plr/learn/cuda/impala/tensor_maps.h"
#include "plr/learn/cuda/impala/trunk.h"

namespace plr::cuda::impala {

// `inputs`: maps of tape.inputs, whole images as they lie in shared memory.
void order_forward(const TrainBuffers& tape, const LayerMaps& inputs, const Pixels& pixels,
                   bool relu_skip, int batch, void* features, cudaStream_t stream);

// `gradients`: maps of tape.gradients, likewise.
void order_backward(const TrainBuffers& tape, const LayerMaps& gradients, bool relu_skip, int batch,
                    const void* features, const void* d_features, cudaStream_t stream);

// The parts of a layer's gradient, which only layers but the first need maps for.
struct WeighMaps {
  CUtensorMap inputs, gradients;
};
WeighMaps maps_to_weigh(int layer, const TrainBuffers& tape, int batch);
void order_weigh(int layer, const TrainBuffers& tape, const WeighMaps& maps, int batch,
                 cudaStream_t stream);
void order_weigh_first(const TrainBuffers& tape, const Pixels& pixels, int batch,
                       cudaStream_t stream);

// The sums of all parts.
void order_add(const TrainBuffers& tape, const Gradients& grads, cudaStream_t stream);

// Lets a kernel have more shared memory than it would get unasked.
template <class Kernel>
void allow_memory(Kernel* kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "asking for shared memory");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        "asking for shared memory");
}

}  // namespace plr::cuda::impala
