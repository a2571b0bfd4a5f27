#include "plr/experiment/schedule.h"

#include <algorithm>
#include <limits>

#include "plr/base/usable_cpus.h"
#include "plr/catalog/family.h"
#include "plr/experiment/gpu_sharing.h"

namespace plr::experiment {
namespace {

bool uses_gpu(const Plan& plan) {
  return std::ranges::any_of(plan.runs, [](const PlannedRun& run) {
    return learn::resolve_auto(run.config.compute).device.starts_with("cuda");
  });
}

// The share of a GPU that suits every run of the plan.
GpuShare gpu_share(const Plan& plan) {
  GpuShare share{.cores_per_run = 1, .runs_per_gpu = std::numeric_limits<int>::max()};
  for (const PlannedRun& run : plan.runs) {
    const Family* family = catalog::find_family(run.config.task.env);
    const GpuShare wanted = family != nullptr ? family->gpu_share : GpuShare{};
    share.cores_per_run = std::max(share.cores_per_run, wanted.cores_per_run);
    share.runs_per_gpu = std::min(share.runs_per_gpu, wanted.runs_per_gpu);
  }
  return share;
}

int default_max_running(const Plan& plan, const Machine& machine, bool on_gpu) {
  if (!on_gpu) return machine.num_cores;
  const int num_gpus = std::max(1, machine.num_gpus);
  const GpuShare share = gpu_share(plan);
  const int shared = machine.can_share_gpus ? std::min(machine.num_cores / share.cores_per_run,
                                                       num_gpus * share.runs_per_gpu)
                                            : 1;
  return std::max(shared, std::min(num_gpus, machine.num_cores));
}

}  // namespace

Machine this_machine() {
  return {.num_cores = usable_cpus(),
          .num_gpus = static_cast<int>(visible_gpus().size()),
          .can_share_gpus = GpuSharing::is_available()};
}

Schedule make_schedule(const Plan& plan, const Machine& machine, std::optional<int> max_running,
                       std::optional<int> num_threads) {
  Schedule schedule{.on_gpu = uses_gpu(plan)};
  const int at_a_time =
      max_running ? *max_running : default_max_running(plan, machine, schedule.on_gpu);
  schedule.packing.max_running = std::min(at_a_time, static_cast<int>(plan.runs.size()));
  schedule.num_threads =
      num_threads ? *num_threads : std::max(1, machine.num_cores / schedule.packing.max_running);
  const bool shares_gpus = schedule.on_gpu && machine.can_share_gpus &&
                           schedule.packing.max_running > std::max(1, machine.num_gpus);
  schedule.packing.num_workers =
      shares_gpus && !num_threads
          ? workers_of_shared_run(machine.num_cores, schedule.packing.max_running)
          : schedule.num_threads;
  schedule.is_default = !max_running && !num_threads;
  return schedule;
}

}  // namespace plr::experiment
