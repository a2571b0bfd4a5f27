// Launchers of the kernels of training.h, in the order in which they run.
//
// `stream` is a cudaStream_t.  Launch errors are checked once, after the last kernel of a pass.
#pragma once

#include "plr/learn/cuda/grid_cnn/buffers.cuh"

namespace plr::cuda::grid_cnn {

// pack.cu
void launch_pack_weights(const TrainPass& pass, const SavedActivations& saved, void* stream);

// conv_forward.cu
void launch_conv_forward(const TrainPass& pass, const SavedActivations& saved, void* stream);

// gemm.cu
void launch_hidden_forward(const TrainPass& pass, const SavedActivations& saved, void* stream);
void launch_hidden_backward(const TrainPass& pass, const SavedActivations& saved,
                            const BackwardScratch& scratch, void* stream);

// heads.cu
void launch_heads_forward(const TrainPass& pass, const SavedActivations& saved, float* logits,
                          float* value, void* stream);
void launch_heads_backward(const TrainPass& pass, const SavedActivations& saved,
                           const float* logits_grad, const float* value_grad,
                           const BackwardScratch& scratch, void* stream);

// conv_backward.cu; returns the number of partial sums of the convolutions.
int launch_conv_backward(const TrainPass& pass, const SavedActivations& saved,
                         const BackwardScratch& scratch, void* stream);
// The shared memory that one of its thread blocks needs at least.
int conv_backward_smem_bytes(const Shape& shape);

// reduce_partials.cu
void launch_reduce_partials(const TrainPass& pass, const BackwardScratch& scratch,
                            int num_conv_partials, const Gradients& grads, void* stream);

}  // namespace plr::cuda::grid_cnn
