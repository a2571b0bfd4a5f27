#include "plr/learn/device_stream.h"

#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <thread>

namespace plr::learn {
namespace {

constexpr std::chrono::microseconds kPollInterval(50);

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

void sleep_until_finished(at::Device device) {
  if (!device.is_cuda()) return;
  c10::Event finished(device.type());
  finished.record(current_stream(device));
  while (!finished.query()) std::this_thread::sleep_for(kPollInterval);
}

}  // namespace plr::learn
