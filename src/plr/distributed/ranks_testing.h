// Ranks that are threads of a test.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "plr/distributed/world.h"

namespace plr::distributed {

// Calls f(world) on every rank at the same time, and waits for all.
inline void on_ranks(int num_ranks, const std::function<void(const std::shared_ptr<World>&)>& f) {
  std::vector<std::jthread> threads;
  for (const auto& world : World::of_threads(num_ranks)) threads.emplace_back(f, world);
}

}  // namespace plr::distributed
