// What are the steps of minigrid_learn.h?
//
// One file has each; they stand in the order in which they are taken.
// `stream` is a cudaStream_t everywhere.  What CUDA refuses shows when the last one was ordered.
#pragma once

#include "plr/learn/cuda/minigrid_memory.cuh"

namespace plr::cuda {

// minigrid_see.cu
void minigrid_pack(const MinigridPass& pass, const MinigridSaved& saved, void* stream);
void minigrid_see(const MinigridPass& pass, const MinigridSaved& saved, void* stream);

// minigrid_multiply.cu
void minigrid_hidden(const MinigridPass& pass, const MinigridSaved& saved, void* stream);
void minigrid_hidden_back(const MinigridPass& pass, const MinigridSaved& saved,
                          const MinigridScratchpad& scratch, void* stream);

// minigrid_heads.cu
void minigrid_heads(const MinigridPass& pass, const MinigridSaved& saved, float* logits,
                    float* value, void* stream);
void minigrid_heads_back(const MinigridPass& pass, const MinigridSaved& saved,
                         const float* logits_grad, const float* value_grad,
                         const MinigridScratchpad& scratch, void* stream);

// minigrid_look_back.cu; returns how many parts there are to be added up.
int minigrid_look_back(const MinigridPass& pass, const MinigridSaved& saved,
                       const MinigridScratchpad& scratch, void* stream);
// The shared memory that a block of it needs at least.
int look_back_bytes(const MinigridShape& shape);

// minigrid_add_up.cu
void minigrid_add_up(const MinigridPass& pass, const MinigridScratchpad& scratch,
                     int num_conv_parts, const MinigridGradients& grads, void* stream);

}  // namespace plr::cuda
