// A process that plays some slots of a Python environment: requests, replies and shared memory.
//
//   SlotProcess process(socket, 16);              // 16 slots
//   process.spec();                               // of the environment that it has made
//   process.submit({.kind = Request::kStep, .begin = 0, .end = 16});
//   process.collect();                            // waits; results are in results()
//
// python/plr/env_process.py is the other side. The protocol, with little-endian numbers of 32 bits
// where nothing else is said:
//
//   here                                  there
//   version, number of slots        ->
//                                   <-    status 0, size, the spec as text; or 1, size, an error
//   a descriptor of shared memory   ->
//   kind, begin, end, size,         ->    start begin at the level; step begin..end-1;
//   level (64 bits), size bytes           save begin; load begin from the bytes
//                                   <-    status 0, size, saved bytes; or 1, size, an error
//
// The shared memory has, one after the other: rewards [n] (64-bit floats), actions [n, words],
// observations [n], terminated [n], truncated [n], solved [n] (bytes; solved 2: unknown).
//
// submit() and collect() alternate, under the caller's lock(). Errors throw std::runtime_error. Not
// copyable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "plr/env/vector_env.h"
#include "plr/remote/channel.h"

namespace plr::remote {

struct Request {
  enum Kind : std::uint32_t { kStart = 1, kStep = 2, kSave = 3, kLoad = 4 };
  std::uint32_t kind = kStep;
  std::uint32_t begin = 0;  // slots of the process
  std::uint32_t end = 0;
  std::uint32_t size = 0;  // of the bytes that follow
  std::uint64_t level = 0;
};
static_assert(sizeof(Request) == 24);

// What a process says about its environment.
struct RemoteSpec {
  std::array<int, 3> observation_shape = {};
  ElementType observation_type = ElementType::kByte;
  ActionSpace actions = {};
  int max_steps = 0;
  bool can_save = false;

  friend bool operator==(const RemoteSpec&, const RemoteSpec&) = default;
};

// Throws std::runtime_error if the text is no spec.
RemoteSpec parse_spec(const std::string& text);

class SlotProcess {
 public:
  // Waits until the process has made its environments.
  SlotProcess(const std::filesystem::path& socket, int num_slots);
  ~SlotProcess();
  SlotProcess(const SlotProcess&) = delete;
  SlotProcess& operator=(const SlotProcess&) = delete;

  const RemoteSpec& spec() const { return spec_; }
  int num_slots() const { return num_slots_; }
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  void submit(Request request, std::span<const std::byte> bytes = {});
  // Waits for the reply and returns its bytes.
  std::vector<std::byte> collect();

  // The shared memory.
  std::span<Action> actions();             // [n, words]
  StepBatch results();                     // [n]
  std::span<const std::uint8_t> solved();  // [n]: 0, 1, or 2 if it is unknown

 private:
  Channel channel_;
  int num_slots_;
  RemoteSpec spec_;
  std::size_t observation_size_ = 0;  // bytes of one
  std::size_t memory_size_ = 0;
  std::byte* memory_ = nullptr;
  std::mutex mutex_;
};

}  // namespace plr::remote
