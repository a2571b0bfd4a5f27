// Launchers of the kernels of trunk.h, in the order in which they run.
#pragma once

#include <cuda_runtime_api.h>

#include "plr/learn/cuda/common/check.h"
#include "plr/learn/cuda/impala/buffers.h"
#include "plr/learn/cuda/impala/tensor_maps.h"
#include "plr/learn/cuda/impala/trunk.h"
#include "plr/learn/cuda/impala/weight_grad_maps.h"

namespace plr::cuda::impala {

// forward.cu.  `inputs`: maps of buffers.inputs, whole images as they are in shared memory.
void launch_forward(const TrainBuffers& buffers, const LayerMaps& inputs, const Pixels& pixels,
                    bool relu_skip, int batch, void* features, cudaStream_t stream);

// backward.cu.  `output_grads`: maps of buffers.output_grads, likewise.
void launch_backward(const TrainBuffers& buffers, const LayerMaps& output_grads, bool relu_skip,
                     int batch, const void* features, const void* features_grad,
                     cudaStream_t stream);

// weight_grad.cu.  All layers but the first.
void launch_weight_grad(int layer, const TrainBuffers& buffers, const WeightGradMaps& maps,
                        int batch, cudaStream_t stream);

// conv1_weight_grad.cu.  The first layer.
void launch_conv1_weight_grad(const TrainBuffers& buffers, const Pixels& pixels, int batch,
                              cudaStream_t stream);

// The same for every GPU since Ampere, bitwise identical.
namespace portable {

// portable_forward.cu
void launch_forward(const TrainBuffers& buffers, const Pixels& pixels, bool relu_skip, int batch,
                    void* features, cudaStream_t stream);

// portable_backward.cu
void launch_backward(const TrainBuffers& buffers, bool relu_skip, int batch, const void* features,
                     const void* features_grad, cudaStream_t stream);

// portable_weight_grad.cu.  All layers but the first.
void launch_weight_grad(int layer, const TrainBuffers& buffers, int batch, cudaStream_t stream);

// portable_conv1_weight_grad.cu.  The first layer.
void launch_conv1_weight_grad(const TrainBuffers& buffers, const Pixels& pixels, int batch,
                              cudaStream_t stream);

}  // namespace portable

// reduce_partials.cu
void launch_reduce_partials(const TrainBuffers& buffers, const Gradients& grads,
                            cudaStream_t stream);

}  // namespace plr::cuda::impala
