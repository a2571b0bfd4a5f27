// A range of slots, and the parts of one.
//
// A plain struct: copyable, without synchronization.
#pragma once

namespace plr {

// The slots begin <= slot < end.
struct SlotRange {
  int begin = 0;
  int end = 0;
  int size() const { return end - begin; }
};

// One of `num_parts` parts of a range, whose sizes differ by at most one.
inline SlotRange part_of_slots(SlotRange slots, int part, int num_parts) {
  const auto boundary = [&](int i) {
    return slots.begin + static_cast<int>(static_cast<long long>(slots.size()) * i / num_parts);
  };
  return {boundary(part), boundary(part + 1)};
}

}  // namespace plr
