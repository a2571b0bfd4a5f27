#include "tests/support/counting_allocator.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> count = 0;
std::atomic<std::size_t> bytes = 0;
}  // namespace

namespace plr::testing {
std::size_t num_allocations() { return count; }
std::size_t allocated_bytes() { return bytes; }
}  // namespace plr::testing

void* operator new(std::size_t size) {
  ++count;
  bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
