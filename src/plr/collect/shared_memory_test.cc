#include "plr/collect/shared_memory.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace plr::collect {
namespace {

TEST(SharedMemory, TwoMappingsAreTheSameMemory) {
  SharedMemory mine = SharedMemory::create(4096);
  EXPECT_EQ(mine.bytes()[4095], std::byte{0});
  const SharedMemory theirs = SharedMemory::open(mine.name(), 4096);
  mine.bytes()[17] = std::byte{5};
  EXPECT_EQ(theirs.bytes()[17], std::byte{5});
}

TEST(SharedMemory, IsGoneByNameWhenTheNameIsRemoved) {
  SharedMemory mine = SharedMemory::create(4096);
  const std::string name = mine.name();
  mine.remove_name();
  EXPECT_THROW(SharedMemory::open(name, 4096), std::runtime_error);
  mine.bytes()[0] = std::byte{1};  // still mapped
}

TEST(SharedMemory, RefusesAnotherSize) {
  const SharedMemory mine = SharedMemory::create(4096);
  EXPECT_THROW(SharedMemory::open(mine.name(), 8192), std::runtime_error);
}

TEST(SharedMemory, TheCreatorRemovesTheName) {
  std::string name;
  {
    const SharedMemory mine = SharedMemory::create(4096);
    name = mine.name();
  }
  EXPECT_THROW(SharedMemory::open(name, 4096), std::runtime_error);
}

}  // namespace
}  // namespace plr::collect
