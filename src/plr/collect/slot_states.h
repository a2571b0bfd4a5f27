// The episodes that slots are playing, as a checkpoint has them.
//
//   SlotStates states = collector.slot_states();       // of this rank
//   states.append(SlotStates::read(reader, num_slots, observation_size));  // and of the next one
//   states.write(writer);
//
// Copyable.  Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plr/base/bytes.h"

namespace plr::collect {

struct SlotStates {
  std::vector<std::uint8_t> observations;        // the current ones, slot after slot
  std::vector<std::vector<std::byte>> episodes;  // by slot, as VectorEnv::save() writes them

  void append(SlotStates other);
  void write(ByteWriter& writer) const;
  // Throws std::runtime_error as the reader does.
  static SlotStates read(ByteReader& reader, std::size_t num_slots, std::size_t observation_size);
};

}  // namespace plr::collect
