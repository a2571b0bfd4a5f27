// The stream on which this thread enqueues work for a device, and events in it.
//
// On the CPU, where work is done at once, nothing here has an effect.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace plr::learn {

// Makes a stream of libtorch's pool the current one of this thread: CUDA graphs cannot be recorded
// on the default stream.
void use_pool_stream(at::Device device);

// Waits until the device has finished what this thread has enqueued on its current stream.  Throws
// c10::Error if the device has failed.
void synchronize(at::Device device);

// A point in a stream.  Movable.  Not thread-safe.
class Event {
 public:
  explicit Event(at::Device device);
  void record();       // behind all that this thread has enqueued so far
  void wait() const;   // until the device has reached it
  bool ready() const;  // whether the device has reached it

 private:
  at::Device device_;
  std::optional<c10::Event> event_;  // none on the CPU
};

}  // namespace plr::learn
