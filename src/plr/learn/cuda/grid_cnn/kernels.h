// What are the steps of grid_cnn/training.h?
//
// One file has each; they stand in the order in which they are taken.
// `stream` is a cudaStream_t everywhere.  What CUDA refuses shows when the last one was ordered.
#pragma once

#include "plr/learn/cuda/grid_cnn/buffers.cuh"

namespace plr::cuda {

// grid_cnn/conv_forward.cu
void minigrid_pack(const MinigridPass& pass, const MinigridSaved& saved, void* stream);
void minigrid_see(const MinigridPass& pass, const MinigridSaved& saved, void* stream);

// grid_cnn/gemm.cu
void minigrid_hidden(const MinigridPass& pass, const MinigridSaved& saved, void* stream);
void minigrid_hidden_back(const MinigridPass& pass, const MinigridSaved& saved,
                          const MinigridScratchpad& scratch, void* stream);

// grid_cnn/heads.cu
void minigrid_heads(const MinigridPass& pass, const MinigridSaved& saved, float* logits,
                    float* value, void* stream);
void minigrid_heads_back(const MinigridPass& pass, const MinigridSaved& saved,
                         const float* logits_grad, const float* value_grad,
                         const MinigridScratchpad& scratch, void* stream);

// grid_cnn/conv_backward.cu; returns how many parts there are to be added up.
int minigrid_look_back(const MinigridPass& pass, const MinigridSaved& saved,
                       const MinigridScratchpad& scratch, void* stream);
// The shared memory that a block of it needs at least.
int look_back_bytes(const MinigridShape& shape);

// grid_cnn/reduce_partials.cu
void minigrid_add_up(const MinigridPass& pass, const MinigridScratchpad& scratch,
                     int num_conv_parts, const MinigridGradients& grads, void* stream);

}  // namespace plr::cuda
