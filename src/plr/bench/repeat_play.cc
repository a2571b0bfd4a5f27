#include "plr/bench/repeat_play.h"

#include "plr/bench/clock.h"

namespace plr::bench {

RepeatPlay::RepeatPlay(VectorEnv& env)
    : env_(env), actions_(env.spec().num_slots, env.spec().actions), buffers_(env.spec()) {
  for (int slot = 0; slot < env_.spec().num_slots; ++slot) repeat(slot);
  run_starts();
}

int RepeatPlay::step() {
  const int num_slots = env_.spec().num_slots;
  const StepBatch batch = buffers_.batch();
  env_.step({0, num_slots}, actions_.next(), batch);
  num_steps_ += num_slots;
  for (int slot = 0; slot < num_slots; ++slot) {
    if (batch.ended(slot)) repeat(slot);
  }
  if (!starts_.empty()) run_starts();
  return num_slots;
}

void RepeatPlay::run_starts() {
  const double begin = thread_seconds();
  env_.start(starts_, buffers_.batch());
  start_seconds_ += thread_seconds() - begin;
  num_starts_ += std::ssize(starts_);
  starts_.clear();
}

}  // namespace plr::bench
