// plr experiment: makes a set of runs from one file, several at a time.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/procgen_setup.h"
#include "app/report.h"
#include "app/verbs.h"
#include "plr/base/counted.h"
#include "plr/base/fields.h"
#include "plr/base/files.h"
#include "plr/base/open_file.h"
#include "plr/experiment/gpu_sharing.h"
#include "plr/experiment/ownership.h"
#include "plr/experiment/packed_sessions.h"
#include "plr/experiment/packing.h"
#include "plr/experiment/plan.h"
#include "plr/experiment/plan_text.h"
#include "plr/experiment/run_job.h"
#include "plr/experiment/schedule.h"
#include "plr/experiment/session.h"
#include "plr/experiment/slurm_script.h"
#include "plr/terminal/number_text.h"
#include "plr/terminal/print.h"
#include "plr/terminal/progress_bar.h"
#include "plr/terminal/shell_word.h"
#include "plr/terminal/stop_signal.h"

namespace plr::app {
namespace {

namespace fs = std::filesystem;
using namespace plr::experiment;
using terminal::shell_word;

struct ExperimentArguments {
  std::string file;
  std::string out;
  double scale = 1;
  std::optional<int> max_running;
  std::optional<int> num_threads;
  std::vector<std::string> settings;  // NAME=VALUE
  std::vector<std::string> only;      // patterns of names
  std::optional<double> speed;        // steps per second of one run
  bool dry_run = false;
  bool slurm = false;
  std::vector<std::string> sbatch_options;
  std::optional<int> task;
  int ranks_per_run = 1;
  Locking locking = Locking::kRequired;
};

void check_arguments(const ExperimentArguments& arguments) {
  check_value("--scale", arguments.scale, above_to(0, 1));
  check_value("--jobs", arguments.max_running.value_or(1), at_least(1));
  check_value("--threads", arguments.num_threads.value_or(1), at_least(1));
  check_value("--speed", arguments.speed.value_or(1), above(0));
  if (!arguments.slurm && !arguments.sbatch_options.empty()) {
    throw std::invalid_argument("--sbatch requires --slurm");
  }
  check_value("--ranks-per-run", arguments.ranks_per_run, from_to(1, 1 << 12));
  if (!std::has_single_bit(static_cast<unsigned>(arguments.ranks_per_run))) {
    throw std::invalid_argument(
        fmt::format("--ranks-per-run must be a power of two, not {}", arguments.ranks_per_run));
  }
  if (arguments.ranks_per_run > 1 && !arguments.slurm && !arguments.task) {
    throw std::invalid_argument("--ranks-per-run requires --slurm, whose tasks start the ranks");
  }
}

fs::path experiment_folder(const ExperimentArguments& arguments, const Plan& plan) {
  if (!arguments.out.empty()) return arguments.out;
  const std::string scale = arguments.scale == 1 ? "" : fmt::format("-scale{}", arguments.scale);
  return fs::path("runs") / (plan.name + scale);
}

void write_slurm_script(const ExperimentArguments& arguments, const Plan& plan,
                        const fs::path& folder) {
  std::vector<std::string> command = {program_path(), "experiment", fs::absolute(arguments.file),
                                      "--out", fs::absolute(folder)};
  if (arguments.scale != 1) {
    command.insert(command.end(), {"--scale", fmt::to_string(arguments.scale)});
  }
  for (const std::string& setting : arguments.settings) {
    command.insert(command.end(), {"--set", setting});
  }
  for (const std::string& pattern : arguments.only) {
    command.insert(command.end(), {"--only", pattern});
  }
  if (arguments.locking == Locking::kIfSupported) command.emplace_back("--no-lock");
  if (arguments.ranks_per_run > 1) {
    command.insert(command.end(), {"--ranks-per-run", fmt::to_string(arguments.ranks_per_run)});
  }
  make_directories(folder / "output");
  const fs::path script = folder / "job.sh";
  write_text(script, slurm_script({.name = "plr-" + plan.name,
                                   .num_tasks = plan.runs.size(),
                                   .max_running = arguments.max_running.value_or(0),
                                   .ranks_per_run = arguments.ranks_per_run,
                                   .folder = folder,
                                   .command = command,
                                   .sbatch_options = arguments.sbatch_options}));
  terminal::print(
      "{} runs.  Submit them with\n  sbatch {}\nand compare them with\n  plr report {}\n",
      plan.runs.size(), shell_word(script.string()), shell_word(folder.string()));
}

// Replaces this process by the run, or by srun with its ranks, so that signals of a scheduler reach
// the run.
void exec_task(const std::vector<RunJob>& jobs, int task, int num_ranks, int num_workers,
               Locking locking) {
  check_value("--task", task, from_to(0, static_cast<double>(jobs.size() - 1)));
  const RunJob& job = jobs[static_cast<std::size_t>(task)];
  if (job.is_finished()) {
    terminal::print("{} is finished\n", job.run->name);
    return;
  }
  std::vector<std::string> command = job.command(program_path(), num_workers, locking);
  if (num_ranks > 1) {
    command.insert(command.begin(),
                   {"srun", fmt::format("--ntasks={}", num_ranks), "--kill-on-bad-exit=1"});
  }
  const std::vector<char*> words = exec_arguments(command);
  std::fflush(stdout);
  ::execvp(words[0], words.data());
  throw std::runtime_error("cannot start " + command[0]);
}

terminal::BarState bar_state(const SessionProgress& p) {
  std::string text =
      fmt::format("{} of {} runs finished, {} running  {}/s", p.num_finished, p.num_runs,
                  p.num_running, terminal::short_number(p.steps_per_second));
  if (p.num_failed > 0) text += fmt::format("  {} failed", p.num_failed);
  return {.fraction = p.fraction, .seconds_left = p.seconds_left, .text = text};
}

SessionsEnd run_sessions(std::vector<RunJob>& jobs, const SessionOptions& options,
                         PackingSearch& search, const TrialOptions& trials) {
  terminal::handle_stop_signals();
  terminal::ProgressBar bar(stderr);
  bool is_stopping = false;
  const auto should_stop = [&] {
    if (!is_stopping && terminal::stop_requested()) {
      is_stopping = true;
      bar.print_line("stopping: waiting for the runs to save");
    }
    return is_stopping;
  };
  const SessionsEnd end =
      run_packed_sessions(jobs, options, search,
                          {.progressed = [&](const SessionProgress& p) { bar.show(bar_state(p)); },
                           .message = [&](const std::string& line) { bar.print_line(line); },
                           .should_stop = should_stop},
                          trials);
  if (end.num_finished == jobs.size()) {
    bar.show({.fraction = 1, .seconds_left = 0, .text = "all runs finished"});
  }
  bar.finish();
  return end;
}

// The packings to try: one on the CPU, where the user gave numbers, and where the fastest has been
// measured before.
PackingSearch make_search(const Schedule& schedule, const Machine& machine, const fs::path& folder,
                          std::size_t num_runs) {
  const bool can_share = schedule.on_gpu && machine.can_share_gpus;
  if (!can_share || !schedule.is_default) return {{schedule.packing}, schedule.packing};
  const int num_gpus = std::max(1, machine.num_gpus);
  if (const auto known = load_packing(folder, machine.num_cores, num_gpus)) {
    return {{*known}, *known};
  }
  return {packings(machine.num_cores, num_gpus, static_cast<int>(num_runs)), schedule.packing};
}

void run_here(const Plan& plan, const fs::path& folder, const Schedule& schedule, Locking locking) {
  std::vector<RunJob> jobs = make_run_jobs(plan, folder);  // before anything is written
  make_directories(folder / "output");
  const OpenFile owned = own_experiment(folder, locking);
  jobs = make_run_jobs(plan, folder);  // the previous owner may have made runs meanwhile
  // Once, instead of in every run at the same time.
  for (const RunJob& job : jobs) {
    if (!job.is_finished()) prepare_procgen(job.run->config.task.env);
  }
  const std::vector<std::string> gpus =
      schedule.on_gpu ? visible_gpus() : std::vector<std::string>{};
  const Machine machine = this_machine();
  const auto num_unfinished = static_cast<std::size_t>(
      std::ranges::count_if(jobs, [](const RunJob& job) { return !job.is_finished(); }));
  PackingSearch search =
      make_search(schedule, machine, folder, std::max<std::size_t>(1, num_unfinished));
  const bool is_measuring = !search.is_done();
  std::optional<GpuSharing> sharing;
  const int max_running = search.current().max_running;
  if (schedule.on_gpu && (is_measuring || max_running > std::max<int>(1, std::ssize(gpus)))) {
    sharing.emplace();
  }
  terminal::print(stderr, "{} in {}, {} at a time{}\n", counted(jobs.size(), "run"),
                  folder.string(), max_running, is_measuring ? "; measuring other numbers" : "");
  if (sharing && !sharing->is_on()) {
    terminal::print(stderr, "CUDA MPS is unavailable; runs will time-slice the GPU.\n");
  }
  const SessionsEnd end = run_sessions(
      jobs, {.folder = folder, .program = program_path(), .gpus = gpus, .locking = locking}, search,
      {.chosen = [&] {
        save_packing(folder, search, machine.num_cores, std::max(1, machine.num_gpus));
      }});
  if (end.num_finished > 0) {
    terminal::print("{} of {} runs are finished: {}\n", end.num_finished, jobs.size(),
                    write_page(folder).string());
  }
  if (!end.failures.empty()) {
    throw std::runtime_error(fmt::format("{} of {} runs failed: {}", end.failures.size(),
                                         jobs.size(), fmt::join(end.failures, "; ")));
  }
  if (end.num_finished < jobs.size()) {
    terminal::print("Stopped and saved.  The same command resumes.\n");
    throw terminal::Stopped();
  }
}

void run_experiment(const ExperimentArguments& arguments) {
  check_arguments(arguments);
  // Read twice: the devices of the runs decide how many threads each gets, which is a setting too.
  PlanOptions options{.scale = arguments.scale, .only = arguments.only};
  for (const std::string& setting : arguments.settings) {
    options.settings.push_back(run::parse_assignment("--set", setting));
  }
  Plan plan = read_plan(arguments.file, options);
  const fs::path folder = experiment_folder(arguments, plan);
  if (arguments.slurm) return write_slurm_script(arguments, plan, folder);
  const Schedule schedule =
      make_schedule(plan, this_machine(), arguments.max_running, arguments.num_threads);
  options.num_threads = schedule.num_threads;
  plan = read_plan(arguments.file, options);
  if (arguments.dry_run) {
    const std::vector<RunJob> jobs = make_run_jobs(plan, folder);
    const double speed = arguments.speed ? *arguments.speed : logged_speed(plan, folder);
    terminal::print(
        "{}", plan_text(plan, jobs, folder,
                        {.steps_per_second = speed, .max_running = schedule.packing.max_running}));
  } else if (arguments.task) {
    exec_task(make_run_jobs(plan, folder), *arguments.task, arguments.ranks_per_run,
              schedule.packing.num_workers, arguments.locking);
  } else {
    run_here(plan, folder, schedule, arguments.locking);
  }
}

}  // namespace

void add_experiment(CLI::App& program) {
  auto arguments = std::make_shared<ExperimentArguments>();
  CLI::App* verb =
      program.add_subcommand("experiment", "make a set of runs from one file, several at a time");
  verb->footer(
      "Examples:\n"
      "  plr experiment experiments/quick.toml               takes minutes; resumes if repeated\n"
      "  plr experiment FILE --dry-run                       list the runs and their cost\n"
      "  plr experiment FILE --scale 0.01                    a rehearsal with short runs\n"
      "  plr experiment FILE --only '*-s1'                   the first seed of everything\n"
      "  plr experiment FILE --slurm --sbatch=--gres=gpu:1   a job script for a cluster\n"
      "\n"
      "docs/reference/experiment_files.md describes the format of FILE.");
  verb->add_option("FILE", arguments->file, "the runs; experiments/ has those of the paper")
      ->required();
  verb->add_option("--out", arguments->out, "folder of the runs (runs/ and the name of FILE)")
      ->type_name("DIR");
  verb->add_option("--jobs", arguments->max_running,
                   "runs at a time (CPU: one per core; GPU: the fastest number, which is measured)")
      ->type_name("N");
  verb->add_option("--threads", arguments->num_threads,
                   "threads and workers of each run (the cores, divided by --jobs)")
      ->type_name("N");
  verb->add_option("--set", arguments->settings,
                   "a setting of every run, in place of that of FILE; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--only", arguments->only,
                   "the runs whose names match, such as '*-plr-s1'; repeatable")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  verb->add_option("--scale", arguments->scale,
                   "fraction of the steps of every run, for a rehearsal")
      ->capture_default_str()
      ->type_name("FRACTION");
  verb->add_flag("--dry-run", arguments->dry_run, "list the runs and their cost, and exit");
  verb->add_option("--speed", arguments->speed,
                   "with --dry-run: steps per second of a run (that of a rehearsal)")
      ->type_name("N");
  verb->add_flag("--slurm", arguments->slurm, "write a job script for Slurm, and exit");
  verb->add_option(
          "--sbatch", arguments->sbatch_options,
          "with --slurm: an option of sbatch, such as --sbatch=--partition=gpu; repeatable")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  verb->add_option("--ranks-per-run", arguments->ranks_per_run,
                   "with --slurm: processes that make each run together, a power of two")
      ->type_name("N");
  verb->add_option("--task", arguments->task, "make only the run with this index, from 0")
      ->type_name("N");
  verb->add_flag_callback(
      "--no-lock", [arguments] { arguments->locking = Locking::kIfSupported; },
      "write to a file system without locks; make sure that no other process writes the runs");
  verb->callback([arguments] { run_experiment(*arguments); });
}

}  // namespace plr::app
