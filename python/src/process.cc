#include "process.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

namespace plr::python {
namespace {

// The number of forks between the process that loaded the module and this one.
std::atomic<std::uint64_t> num_forks = 0;

std::uint64_t count_forks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { num_forks.fetch_add(1, std::memory_order_relaxed); });
  if (registered != 0) throw std::runtime_error("pthread_atfork failed");
  return num_forks.load(std::memory_order_relaxed);
}

constexpr const char* kRemedy =
    "keep one sampler in the parent process with plr.LevelVectorEnv(make_env, num_envs, "
    "curriculum=..., processes=...), or create a sampler in each process";

}  // namespace

HomeProcess::HomeProcess() : id_(getpid()), num_forks_(count_forks()) {}

void HomeProcess::check(std::string_view type) const {
  if (num_forks.load(std::memory_order_relaxed) == num_forks_) return;
  throw std::runtime_error("this " + std::string(type) + " belongs to process " +
                           std::to_string(id_) + " and cannot be used in its fork " +
                           std::to_string(getpid()) + ", whose draws and results would be lost; " +
                           kRemedy);
}

std::string worker_refusal(std::string_view type) {
  return "a " + std::string(type) +
         " cannot be sent to a worker process, where its draws and results would be lost; " +
         kRemedy;
}

}  // namespace plr::python
