// The number of CPUs that this process may use, for the default number of threads.
//
//   config.num_threads = free_cpus();
//
// usable_cpus() is the smallest of: the CPUs of the machine, those of the process's affinity
// (taskset, Slurm), and the quota of its control groups (containers), rounded up. More threads than
// that would take turns.
//
// Reads a few small files of /proc and /sys; thread-safe.
#pragma once

#include <optional>
#include <string>

namespace plr {

// At least 1.
int usable_cpus();

// Of these, the CPUs that are idle now, at least 1. Observes the machine for 50 ms in the first
// call, whose result later calls return.
int free_cpus();

// The number of tasks that run or wait for a CPU, from the content of /proc/loadavg; nothing if it
// has another form.
std::optional<int> runnable_tasks(const std::string& loadavg);

// The CPUs of a quota "MICROSECONDS PERIOD", the content of cpu.max in a control group; nothing if
// it is unlimited ("max 100000") or has another form.
std::optional<int> cpus_of_quota(const std::string& text);

}  // namespace plr
