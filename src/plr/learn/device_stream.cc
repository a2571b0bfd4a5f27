#include "plr/learn/device_stream.h"

#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace plr::learn {
namespace {

c10::Stream current_stream(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

}  // namespace

void use_pool_stream(at::Device device) {
  if (!device.is_cuda()) return;
  const c10::impl::VirtualGuardImpl impl(device.type());
  impl.exchangeStream(impl.getStreamFromGlobalPool(device));
}

void synchronize(at::Device device) {
  if (!device.is_cuda()) return;
  current_stream(device).synchronize();
}

Event::Event(at::Device device) : device_(device) {
  if (device.is_cuda()) event_.emplace(device.type());
}

void Event::record() {
  if (event_) event_->record(current_stream(device_));
}

void Event::wait() const {
  if (event_) event_->synchronize();
}

bool Event::ready() const { return !event_ || event_->query(); }

}  // namespace plr::learn
