// plr experiment: a set of runs from one file, side by side.
#include "plr/train/experiment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "app/experiment_member.h"
#include "app/experiment_session.h"
#include "app/procgen_setup.h"
#include "app/progress_bar.h"
#include "app/report.h"
#include "app/run_pool.h"
#include "app/run_state.h"
#include "app/shell_word.h"
#include "app/slurm_script.h"
#include "app/stop_wanted.h"
#include "app/verbs.h"
#include "plr/base/fields.h"
#include "plr/base/files.h"
#include "plr/catalog/family.h"
#include "plr/run/gpu_sharing.h"

namespace plr::app {
namespace {

namespace fs = std::filesystem;

struct ExperimentArguments {
  std::string file;
  std::string out;
  double scale = 1;
  std::optional<int> num_jobs;  // else as many as cores and GPUs allow
  std::optional<int> num_threads;
  std::optional<double> speed;  // steps per second of one run, for --dry-run
  bool dry_run = false;
  bool slurm = false;
  std::vector<std::string> sbatch_options;
  std::optional<int> task;
};

fs::path folder_of(const ExperimentArguments& arguments, const train::Experiment& experiment) {
  if (!arguments.out.empty()) return arguments.out;
  const std::string scale = arguments.scale == 1 ? "" : fmt::format("-scale{}", arguments.scale);
  return fs::path("runs") / (experiment.name + scale);
}

// ---- how many at a time

int num_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

bool uses_gpu(const train::Experiment& experiment) {
  return std::any_of(experiment.runs.begin(), experiment.runs.end(),
                     [](const train::PlannedRun& run) {
                       return learn::plain(run.config.compute).device.starts_with("cuda");
                     });
}

int num_gpus() { return std::max(1, static_cast<int>(usable_gpus().size())); }

// The share of a GPU that suits every run of the experiment.
GpuShare gpu_share(const train::Experiment& experiment) {
  GpuShare share{.cores_per_run = 1, .runs_per_gpu = std::numeric_limits<int>::max()};
  for (const train::PlannedRun& run : experiment.runs) {
    const Family* family = catalog::find_family(run.config.task.env);
    const GpuShare wanted = family != nullptr ? family->gpu_share : GpuShare{};
    share.cores_per_run = std::max(share.cores_per_run, wanted.cores_per_run);
    share.runs_per_gpu = std::min(share.runs_per_gpu, wanted.runs_per_gpu);
  }
  return share;
}

// On the CPU one per core, each with one thread: no core waits for another.  On GPUs one for each,
// or several where they can share it.
int default_jobs(bool on_gpu, const train::Experiment& experiment) {
  if (!on_gpu) return num_cores();
  const GpuShare sharing = gpu_share(experiment);
  const int shared = run::GpuSharing::is_possible() ? std::min(num_cores() / sharing.cores_per_run,
                                                               num_gpus() * sharing.runs_per_gpu)
                                                    : 1;
  return std::max(shared, std::min(num_gpus(), num_cores()));
}

// ---- what it will cost

// Steps per second of runs like these that have been made here, rehearsals included; 0 if unknown.
double known_speed(const ExperimentArguments& arguments, const train::Experiment& experiment,
                   const fs::path& folder) {
  if (arguments.speed) return *arguments.speed;
  std::vector<double> speeds;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder.parent_path().empty() ? "." : folder.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(experiment.name)) continue;
    for (const train::PlannedRun& run : experiment.runs) {
      const LoggedState logged = logged_state(entry.path() / run.name);
      if (logged.steps_per_second > 0) speeds.push_back(logged.steps_per_second);
    }
  }
  if (speeds.empty()) return 0;
  double sum = 0;
  for (const double speed : speeds) sum += speed;
  return sum / static_cast<double>(speeds.size());
}

std::string duration(double seconds) {
  return seconds < 3600 ? fmt::format("{:.0f} min", std::ceil(seconds / 60))
                        : fmt::format("{:.1f} h", seconds / 3600);
}

void print_plan(const ExperimentArguments& arguments, const train::Experiment& experiment,
                const std::vector<Member>& members, const fs::path& folder, int num_jobs) {
  const double speed = known_speed(arguments, experiment, folder);
  double left = 0;
  fmt::print("{}{}{}\n\n", experiment.name, experiment.summary.empty() ? "" : ": ",
             experiment.summary);
  for (const Member& member : members) {
    const std::int64_t steps_left =
        member.is_finished() ? 0 : member.steps - std::min(member.steps, member.state.steps);
    left += static_cast<double>(steps_left);
    const std::string state = member.is_finished()     ? "finished"
                              : member.state.has_begun ? "goes on"
                                                       : "new";
    fmt::print(
        "{:<8}  {:>8} steps  {:>8}  {}\n", state, short_number(static_cast<double>(member.steps)),
        speed > 0 ? duration(static_cast<double>(steps_left) / speed) : "", member.run->name);
    if (!member.is_finished()) {
      std::vector<std::string> words = member.command();
      std::ranges::transform(words, words.begin(), shell_word);
      fmt::print("          plr {}\n", fmt::join(words.begin() + 1, words.end(), " "));
    }
  }
  fmt::print("\n{} runs in {}, {} steps to go", members.size(), folder.string(),
             short_number(left));
  if (speed > 0) {
    fmt::print("; {} in all at {} steps/s, {} at a time: about {}", duration(left / speed),
               short_number(speed), num_jobs, duration(left / speed / num_jobs));
  } else {
    fmt::print("; how long is known after a rehearsal (--scale 0.01) or with --speed");
  }
  fmt::print("\n");
}

// ---- elsewhere

void write_slurm_script(const ExperimentArguments& arguments, const train::Experiment& experiment,
                        const fs::path& folder) {
  std::vector<std::string> command = {own_path(), "experiment", fs::absolute(arguments.file),
                                      "--out", fs::absolute(folder)};
  if (arguments.scale != 1) {
    command.insert(command.end(), {"--scale", fmt::to_string(arguments.scale)});
  }
  make_directories(folder / "output");
  const fs::path script = folder / "job.sh";
  write_text(script, slurm_script({.name = "plr-" + experiment.name,
                                   .num_tasks = experiment.runs.size(),
                                   .max_running = arguments.num_jobs.value_or(0),
                                   .folder = folder,
                                   .command = command,
                                   .sbatch_options = arguments.sbatch_options}));
  fmt::print("{} runs.  Submit with\n  sbatch {}\nand look at them with\n  plr report {}\n",
             experiment.runs.size(), shell_word(script.string()), shell_word(folder.string()));
}

// In the place of this process, so that whoever started it ends the run by ending it.
void become_task(const std::vector<Member>& members, int task) {
  check_value("--task", task, from_to(0, static_cast<double>(members.size() - 1)));
  const Member& member = members[static_cast<std::size_t>(task)];
  if (member.is_finished()) {
    fmt::print("{} is finished\n", member.run->name);
    return;
  }
  std::vector<std::string> command = member.command();
  const std::vector<char*> words = pointers_to(command);
  std::fflush(stdout);
  ::execv(words[0], words.data());
  throw std::runtime_error("cannot start " + command[0]);
}

void check_arguments(const ExperimentArguments& arguments) {
  check_value("--scale", arguments.scale, above_to(0, 1));
  check_value("--jobs", arguments.num_jobs.value_or(1), at_least(1));
  check_value("--threads", arguments.num_threads.value_or(1), at_least(1));
  check_value("--speed", arguments.speed.value_or(1), above(0));
  if (!arguments.slurm && !arguments.sbatch_options.empty()) {
    throw std::invalid_argument("--sbatch goes with --slurm only");
  }
}

void run_here(std::vector<Member>& members, const fs::path& folder, int num_jobs, bool on_gpu) {
  // Once, before the runs would do it at the same time.
  for (const Member& member : members) {
    if (!member.is_finished()) prepare_procgen(member.run->config.task.env);
  }
  make_directories(folder / "output");
  std::optional<run::GpuSharing> sharing;
  if (on_gpu && num_jobs > num_gpus()) sharing.emplace();
  fmt::print(stderr, "{} runs in {}, {} at a time\n", members.size(), folder.string(), num_jobs);
  if (sharing && !sharing->is_on()) {
    fmt::print(stderr,
               "They use the GPU by turns: nvidia-cuda-mps-control is not there or fails\n");
  }
  Session session(members, folder, num_jobs, on_gpu ? usable_gpus() : std::vector<std::string>{});
  const std::vector<std::string> failures = session.run();
  if (session.num_finished() > 0) {
    fmt::print("{} of {} runs are finished: {}\n", session.num_finished(), members.size(),
               write_page(folder).string());
  }
  if (!failures.empty()) {
    throw std::runtime_error(fmt::format("{} of {} runs failed: {}", failures.size(),
                                         members.size(), fmt::join(failures, "; ")));
  }
  if (session.num_finished() < members.size()) {
    fmt::print("Stopped, and saved.  Go on with the same command.\n");
    throw Stopped();
  }
}

void experiment(const ExperimentArguments& arguments) {
  check_arguments(arguments);
  // Whether it runs on a GPU decides how many threads each run gets, and that is part of its plan.
  train::Experiment plan = train::read_experiment(arguments.file, {.scale = arguments.scale});
  const fs::path folder = folder_of(arguments, plan);
  if (arguments.slurm) return write_slurm_script(arguments, plan, folder);
  const bool on_gpu = uses_gpu(plan);
  const int num_jobs =
      std::min<int>(arguments.num_jobs ? *arguments.num_jobs : default_jobs(on_gpu, plan),
                    static_cast<int>(plan.runs.size()));
  const int num_threads =
      arguments.num_threads ? *arguments.num_threads : std::max(1, num_cores() / num_jobs);
  plan = train::read_experiment(arguments.file,
                                {.scale = arguments.scale, .num_threads = num_threads});
  std::vector<Member> members = members_of(plan, folder);
  if (arguments.dry_run) return print_plan(arguments, plan, members, folder, num_jobs);
  if (arguments.task) return become_task(members, *arguments.task);
  run_here(members, folder, num_jobs, on_gpu);
}

}  // namespace

void add_experiment(CLI::App& program) {
  auto arguments = std::make_shared<ExperimentArguments>();
  CLI::App* verb =
      program.add_subcommand("experiment", "make a set of runs from one file, side by side");
  verb->footer(
      "Examples:\n"
      "  plr experiment experiments/quick.toml               minutes; goes on where it stopped\n"
      "  plr experiment FILE --dry-run                       the runs and what they will cost\n"
      "  plr experiment FILE --scale 0.01                    a rehearsal with short runs\n"
      "  plr experiment FILE --slurm --sbatch=--gres=gpu:1   a job script for a cluster\n"
      "\n"
      "src/plr/train/experiment.h tells what a file may say.");
  verb->add_option("FILE", arguments->file, "which runs; experiments/ has the paper's")->required();
  verb->add_option("--out", arguments->out, "the folder of the runs (runs/ and the file's name)")
      ->type_name("DIR");
  verb->add_option("--jobs", arguments->num_jobs,
                   "runs at a time (one per core; on a GPU up to 8 of MiniGrid, 2 of Procgen)")
      ->type_name("N");
  verb->add_option("--threads", arguments->num_threads,
                   "of each run, and its workers (the cores shared out)")
      ->type_name("N");
  verb->add_option("--scale", arguments->scale, "shorten every run, for a rehearsal")
      ->capture_default_str()
      ->type_name("FRACTION");
  verb->add_flag("--dry-run", arguments->dry_run, "list the runs and their cost, and stop");
  verb->add_option("--speed", arguments->speed,
                   "of --dry-run: steps per second of a run (as its rehearsal had)")
      ->type_name("N");
  verb->add_flag("--slurm", arguments->slurm, "write a job script for Slurm instead, and stop");
  verb->add_option("--sbatch", arguments->sbatch_options,
                   "of --slurm: an option of sbatch, as --sbatch=--partition=gpu; may be repeated")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  verb->add_option("--task", arguments->task, "make only this run of the list, counted from 0")
      ->type_name("N");
  verb->callback([arguments] { experiment(*arguments); });
}

}  // namespace plr::app
