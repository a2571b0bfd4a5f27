// Counts allocations.
//
// Linking counting_allocator.cc into a program replaces its global allocator by one that counts.
// Thread-safe.
#pragma once

#include <cstddef>

namespace plr::testing {

// The number of calls of operator new so far, and the sum of their sizes.
std::size_t num_allocations();
std::size_t allocated_bytes();

}  // namespace plr::testing
