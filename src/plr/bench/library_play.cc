#include "plr/bench/library_play.h"

#include <thread>

namespace plr::bench {

LibraryPlay::LibraryPlay(const procgen::Variant& variant, SlotRange slots,
                         const procgen::Library& library)
    : actions_(slots.size(), ActionSpace::discrete(procgen::kNumActions)) {
  for (int slot = slots.begin; slot < slots.end; ++slot) {
    envs_.push_back(
        std::make_unique<procgen::RawEnv>(library, variant, 1, procgen::SeedRange{slot, 1}));
  }
}

int LibraryPlay::step() {
  const auto actions = actions_.next();
  for (std::size_t i = 0; i < envs_.size(); ++i) {
    envs_[i]->set_action(0, actions[i]);
    envs_[i]->act();
  }
  return static_cast<int>(envs_.size());
}

FreePlay::FreePlay(const procgen::Variant& variant, int num_slots, int num_threads) {
  for (int i = 0; i < num_threads; ++i) {
    const SlotRange slots = part_of_slots({0, num_slots}, i, num_threads);
    plays_.emplace_back(variant, slots,
                        procgen::Library::of_slot(slots.begin, num_slots, num_threads));
    meters_.emplace_back(wall_seconds);
  }
}

void FreePlay::run(double seconds) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < plays_.size(); ++i) {
    threads.emplace_back([&, i] { meters_[i].run(seconds, [&] { return plays_[i].step(); }); });
  }
  for (std::thread& thread : threads) thread.join();
}

double FreePlay::rate() const {
  double sum = 0;
  for (const Meter& meter : meters_) sum += meter.rate();
  return sum;
}

}  // namespace plr::bench
