// Memory that processes of one machine share by name.
//
//   SharedMemory mine = SharedMemory::create(1 << 20);     // one process; all zeros
//   SharedMemory theirs = SharedMemory::open(name, 1 << 20);   // the others, given mine.name()
//   mine.remove_name();                                    // when all have opened it
//
// The memory is freed when the last process unmaps it.  Aligned to pages.  Movable.  Not
// thread-safe; the memory itself is for those who share it to coordinate.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace plr::collect {

class SharedMemory {
 public:
  // Both throw std::runtime_error if the system refuses.
  static SharedMemory create(std::size_t size);
  static SharedMemory open(const std::string& name, std::size_t size);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  const std::string& name() const { return name_; }
  std::span<std::byte> bytes() const { return bytes_; }

  // No further process can open it.  Done by the destructor of the process that created it, too.
  void remove_name();

 private:
  SharedMemory(std::string name, std::span<std::byte> bytes, bool has_name);

  std::string name_;
  std::span<std::byte> bytes_;
  bool has_name_;  // this process removes it
};

}  // namespace plr::collect
