// Weight gradients of the IMPALA network's first layer on Hopper: the kernel of
// conv1_weight_grad.cuh with bulk copies, two thread blocks per multiprocessor.

#include "plr/learn/cuda/impala/conv1_weight_grad.cuh"
#include "plr/learn/cuda/impala/variant.h"

namespace plr::cuda::impala {

void launch_conv1_weight_grad(const TrainBuffers& buffers, const Pixels& pixels, int batch,
                              cudaStream_t stream) {
  launch_conv1_kernel<BulkCopies<1, 3>, kMaxSmem / 2>(buffers, pixels, batch, stream);
}

}  // namespace plr::cuda::impala
