// How much memory is taken, and how often?
//
// Linking counting_allocator.cc into a program replaces its global allocator by one that counts.
#pragma once

#include <cstddef>

namespace plr::testing {

// Calls of operator new so far, and the bytes they asked for.
std::size_t num_allocations();
std::size_t allocated_bytes();

}  // namespace plr::testing
