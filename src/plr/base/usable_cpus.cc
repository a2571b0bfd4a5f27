#include "plr/base/usable_cpus.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace plr {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGroups = "/sys/fs/cgroup";

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The smallest quota of the process's group and the groups around it (version 2).
std::optional<int> quota_of_groups() {
  std::ifstream groups("/proc/self/cgroup");
  std::optional<int> smallest;
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    fs::path group = line.substr(4);
    while (true) {
      const std::optional<int> quota = cpus_of_quota(first_line(kGroups / group / "cpu.max"));
      if (quota) smallest = std::min(*quota, smallest.value_or(*quota));
      if (group.empty()) break;
      group = group.parent_path();
    }
  }
  return smallest;
}

// The quota of version 1, as seen from inside a container.
std::optional<int> quota_of_container() {
  const fs::path folder = fs::path(kGroups) / "cpu";
  return cpus_of_quota(first_line(folder / "cpu.cfs_quota_us") + " " +
                       first_line(folder / "cpu.cfs_period_us"));
}

}  // namespace

std::optional<int> cpus_of_quota(const std::string& text) {
  std::istringstream words(text);
  double quota = 0;
  double period = 0;
  // "max" and -1 are no quota.
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, 1e6));
}

int usable_cpus() {
  int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  cpu_set_t allowed;  // fails on machines with more CPUs than it holds
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    count = std::clamp(CPU_COUNT(&allowed), 1, count);
  }
  for (const std::optional<int>& quota : {quota_of_groups(), quota_of_container()}) {
    if (quota) count = std::min(count, *quota);
  }
  return count;
}

std::optional<int> runnable_tasks(const std::string& loadavg) {
  std::istringstream words(loadavg);
  std::string average;
  int count = 0;
  char slash = 0;
  if (!(words >> average >> average >> average >> count >> slash) || slash != '/' || count < 0) {
    return std::nullopt;
  }
  return count;
}

int free_cpus() {
  static const int result = [] {
    constexpr int kNumSamples = 11;
    std::vector<int> others;
    for (int i = 0; i < kNumSamples; ++i) {
      const std::optional<int> running = runnable_tasks(first_line("/proc/loadavg"));
      if (!running) return usable_cpus();
      others.push_back(std::max(0, *running - 1));  // without this task
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::ranges::nth_element(others, others.begin() + kNumSamples / 2);
    // All of the machine, like the tasks.
    const int num_cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    return std::clamp(num_cpus - others[kNumSamples / 2], 1, usable_cpus());
  }();
  return result;
}

}  // namespace plr
