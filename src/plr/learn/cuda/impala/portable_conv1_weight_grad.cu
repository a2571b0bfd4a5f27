// Weight gradients of the IMPALA network's first layer on every GPU since Ampere: the kernel of
// conv1_weight_grad.cuh with cp.async.

#include "plr/learn/cuda/impala/conv1_weight_grad.cuh"
#include "plr/learn/cuda/impala/variant.h"

namespace plr::cuda::impala::portable {

void launch_conv1_weight_grad(const TrainBuffers& buffers, const Pixels& pixels, int batch,
                              cudaStream_t stream) {
  launch_conv1_kernel<AsyncCopies<kConv1Threads>, kMaxPortableSmem>(buffers, pixels, batch, stream);
}

}  // namespace plr::cuda::impala::portable
