// Bump allocator: divides one block of device memory into arrays aligned to 256 bytes.
//
//   Arena arena(block);                    // or Arena(nullptr), which only measures
//   float* units = arena.allocate<float>(batch * 128);
//   std::int64_t size = arena.bytes();     // how large the block must be
//
// Running the same allocations with and without a block keeps the size and the layout in one place.
// Arrays are not initialized and are never freed.  Copyable; a copy continues from the same
// position.  Not thread-safe.
#pragma once

#include <cstdint>

namespace plr::cuda {

class Arena {
 public:
  static constexpr std::int64_t kAlignment = 256;  // enough for any access and for tensor maps

  // REQUIRES: `block` is null or aligned to kAlignment.
  explicit Arena(void* block) : block_(static_cast<char*>(block)) {}

  // Returns null if the arena only measures.
  template <class T>
  T* allocate(std::int64_t count) {
    char* array = block_ == nullptr ? nullptr : block_ + bytes_;
    const std::int64_t size = count * static_cast<std::int64_t>(sizeof(T));
    bytes_ += (size + kAlignment - 1) / kAlignment * kAlignment;
    return reinterpret_cast<T*>(array);
  }
  std::int64_t bytes() const { return bytes_; }

 private:
  char* block_;
  std::int64_t bytes_ = 0;
};

}  // namespace plr::cuda
