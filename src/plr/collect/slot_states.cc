#include "plr/collect/slot_states.h"

#include <iterator>
#include <utility>

namespace plr::collect {

void SlotStates::append(SlotStates other) {
  observations.insert(observations.end(), other.observations.begin(), other.observations.end());
  episodes.insert(episodes.end(), std::make_move_iterator(other.episodes.begin()),
                  std::make_move_iterator(other.episodes.end()));
}

void SlotStates::write(ByteWriter& writer) const {
  writer.numbers<std::uint8_t>(observations);
  for (const std::vector<std::byte>& episode : episodes) writer.numbers<std::byte>(episode);
}

SlotStates SlotStates::read(ByteReader& reader, std::size_t num_slots,
                            std::size_t observation_size) {
  SlotStates states;
  states.observations = reader.numbers<std::uint8_t>(num_slots * observation_size);
  reader.require(states.observations.size() == num_slots * observation_size,
                 "its observations have another shape");
  for (std::size_t slot = 0; slot < num_slots; ++slot) {
    states.episodes.push_back(reader.numbers<std::byte>(kMaxNestedState));
  }
  return states;
}

}  // namespace plr::collect
