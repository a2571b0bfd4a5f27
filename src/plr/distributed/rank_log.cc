#include "plr/distributed/rank_log.h"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace plr::distributed {
namespace {

using collect::SharedMemory;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// The memory that rank 0 creates, if all ranks can open it.
std::optional<SharedMemory> share_memory(World& world, std::size_t size) {
  std::optional<SharedMemory> memory;
  std::string name;
  if (world.is_first()) {
    try {
      memory.emplace(SharedMemory::create(size));
      name = memory->name();
    } catch (const std::exception&) {
      // The ranks exchange messages then.
    }
  }
  const std::vector<std::byte> given = world.broadcast(bytes_of(name));
  name.assign(reinterpret_cast<const char*>(given.data()), given.size());
  if (!world.is_first() && !name.empty()) {
    try {
      memory.emplace(SharedMemory::open(name, size));
    } catch (const std::exception&) {
      // As above: this rank is on another machine.
    }
  }
  const std::byte has_memory{memory.has_value()};
  const bool all_have = std::ranges::all_of(world.gather({&has_memory, 1}), [](const auto& bytes) {
    return bytes.front() == std::byte{1};
  });
  if (!all_have) return std::nullopt;
  memory->remove_name();
  return memory;
}

}  // namespace

RankLog::RankLog(World& world, std::size_t num_steps, std::size_t num_slots, bool use_messages)
    : memory_(world.size() == 1 || use_messages
                  ? std::nullopt
                  : share_memory(world, collect::StepLog::num_bytes(
                                            {num_steps, num_slots, world.size(), world.rank()}))),
      log_({num_steps, num_slots, world.size(), world.rank()},
           memory_ ? memory_->bytes() : std::span<std::byte>()) {
  if (world.size() > 1 && !memory_) exchange_.emplace(log_, world.open_exchange());
  world.barrier();  // all logs exist: ranks can be checked from now on
}

}  // namespace plr::distributed
