// The stream on which this thread enqueues work for a device.
//
// On the CPU, where work is done at once, nothing here has an effect.
#pragma once

#include <c10/core/Device.h>

namespace plr::learn {

// Makes a stream of libtorch's pool the current one of this thread: CUDA graphs cannot be recorded
// on the default stream.
void use_pool_stream(at::Device device);

// Waits until the device has finished what this thread has enqueued on its current stream.  Throws
// c10::Error if the device has failed.
void synchronize(at::Device device);

// The same for waits of milliseconds: leaves the core to other threads and returns up to 0.1 ms
// late.
void sleep_until_finished(at::Device device);

}  // namespace plr::learn
