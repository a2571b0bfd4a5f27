// What are the steps of grid_cnn/training.h?
//
// One file has each; they stand in the order in which they are taken.
// `stream` is a cudaStream_t everywhere.  What CUDA refuses shows when the last one was ordered.
#pragma once

#include "plr/learn/cuda/grid_cnn/buffers.cuh"

namespace plr::cuda::grid_cnn {

// grid_cnn/conv_forward.cu
void launch_pack(const TrainPass& pass, const SavedActivations& saved, void* stream);
void launch_conv_forward(const TrainPass& pass, const SavedActivations& saved, void* stream);

// grid_cnn/gemm.cu
void launch_hidden_forward(const TrainPass& pass, const SavedActivations& saved, void* stream);
void launch_hidden_backward(const TrainPass& pass, const SavedActivations& saved,
                            const BackwardScratch& scratch, void* stream);

// grid_cnn/heads.cu
void launch_heads_forward(const TrainPass& pass, const SavedActivations& saved, float* logits,
                          float* value, void* stream);
void launch_heads_backward(const TrainPass& pass, const SavedActivations& saved,
                           const float* logits_grad, const float* value_grad,
                           const BackwardScratch& scratch, void* stream);

// grid_cnn/conv_backward.cu; returns how many parts there are to be added up.
int launch_conv_backward(const TrainPass& pass, const SavedActivations& saved,
                         const BackwardScratch& scratch, void* stream);
// The shared memory that a block of it needs at least.
int conv_backward_smem_bytes(const Shape& shape);

// grid_cnn/reduce_partials.cu
void launch_reduce_partials(const TrainPass& pass, const BackwardScratch& scratch,
                            int num_conv_parts, const Gradients& grads, void* stream);

}  // namespace plr::cuda::grid_cnn
