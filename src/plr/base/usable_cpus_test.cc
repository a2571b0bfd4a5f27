#include "plr/base/usable_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

namespace plr {
namespace {

TEST(UsableCpus, RoundsAQuotaUp) {
  EXPECT_EQ(cpus_of_quota("200000 100000"), 2);
  EXPECT_EQ(cpus_of_quota("150000 100000"), 2);
  EXPECT_EQ(cpus_of_quota("1000 100000"), 1);
}

TEST(UsableCpus, KnowsNoQuotaIfItIsUnlimitedOrOfAnotherForm) {
  for (const char* text : {"max 100000", "-1 100000", "", " ", "5", "0 0", "one two"}) {
    EXPECT_EQ(cpus_of_quota(text), std::nullopt) << text;
  }
}

TEST(UsableCpus, AreThoseOfTheAffinity) {
  std::thread([] {
    cpu_set_t allowed;
    ::sched_getaffinity(0, sizeof allowed, &allowed);
    int first = 0;
    while (CPU_ISSET(first, &allowed) == 0) ++first;
    CPU_ZERO(&allowed);
    CPU_SET(first, &allowed);
    ASSERT_EQ(::sched_setaffinity(0, sizeof allowed, &allowed), 0);
    EXPECT_EQ(usable_cpus(), 1);
  }).join();
}

TEST(FreeCpus, CountTasksThatRunOrWait) {
  EXPECT_EQ(runnable_tasks("0.52 0.58 0.59 3/1206 12345"), 3);
  for (const char* text : {"", "0.52 0.58 0.59", "0.52 0.58 0.59 x/1206 12345", "1 2 3 4"}) {
    EXPECT_EQ(runnable_tasks(text), std::nullopt) << text;
  }
}

TEST(FreeCpus, AreOneOnABusyMachine) {
  std::atomic<bool> is_done = false;
  std::vector<std::thread> busy;
  for (int i = 0; i < 2 * static_cast<int>(std::thread::hardware_concurrency()); ++i) {
    busy.emplace_back([&] {
      while (!is_done) {
      }
    });
  }
  EXPECT_EQ(free_cpus(), 1);
  is_done = true;
  for (std::thread& thread : busy) thread.join();
}

}  // namespace
}  // namespace plr
