// plr train: trains an agent, or resumes a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "app/next_steps.h"
#include "app/play.h"
#include "app/procgen_setup.h"
#include "app/ranks.h"
#include "app/report.h"
#include "app/verbs.h"
#include "plr/base/open_file.h"
#include "plr/catalog/plugins.h"
#include "plr/catalog/short_name.h"
#include "plr/distributed/launch.h"
#include "plr/distributed/world.h"
#include "plr/run/file_name.h"
#include "plr/run/layout.h"
#include "plr/terminal/number_text.h"
#include "plr/terminal/print.h"
#include "plr/terminal/progress_bar.h"
#include "plr/terminal/stop_signal.h"
#include "plr/train/config.h"
#include "plr/train/rank_agreement.h"
#include "plr/train/run_settings.h"
#include "plr/train/test_env.h"
#include "plr/train/trainer.h"
#include "plr/train/training_levels.h"

namespace plr::app {
namespace {

using terminal::clock_text;
using terminal::short_number;

struct TrainArguments {
  std::string preset = "small";
  std::string algorithm;  // empty: that of the preset
  std::string method;     // empty: that of the preset
  std::string config;
  std::string resume;
  std::string out;
  bool is_dry_run = false;
  std::map<std::string, std::string> settings;  // given as flags
  std::vector<std::string> others;              // given flags that are not settings
  Locking locking = Locking::kRequired;
};

void warn_if_obsolete(const std::string& setting) {
  const std::string_view reason = train::obsolete_reason(setting);
  if (!reason.empty()) terminal::print(stderr, "plr: {} has no effect: {}\n", setting, reason);
}

constexpr const char* kPlugin = "plugin";

// Before a file is read: it replaces the plug-in that the file names.
void load_given_plugin(const TrainArguments& arguments) {
  const auto given = arguments.settings.find(kPlugin);
  if (given == arguments.settings.end()) return;
  catalog::load_plugin(given->second, catalog::NamedBy::kUser);
}

// Later ones win: preset, algorithm, method, file, flags.
train::TrainConfig make_config(const TrainArguments& arguments) {
  train::TrainConfig config = train::preset(arguments.preset);
  train::set_algorithm(config, arguments.algorithm);
  train::set_method(config, arguments.method);
  load_given_plugin(arguments);
  if (!arguments.config.empty()) {
    if (!std::filesystem::exists(arguments.config)) {
      throw std::invalid_argument("there is no file " + arguments.config + " for --config");
    }
    for (const std::string& name : train::set_by_file(config, arguments.config)) {
      warn_if_obsolete(name);
    }
  }
  for (const auto& [name, value] : arguments.settings) {
    warn_if_obsolete(name);
    train::set(config, name, value);
  }
  if (arguments.settings.contains(kPlugin)) train::set_plugin(config.task, config.task.plugin);
  train::make_env_names_absolute(config.task);
  config.task.levels = train::checked_levels(config.task.levels);
  return config;
}

// runs/doorkey-6x6-plr-s1 or runs/doorkey-6x6-ucb-drac+plr-s1, with a number appended if the
// folder exists.
std::filesystem::path new_folder(const train::TrainConfig& config) {
  const std::string name =
      run::file_name(fmt::format("{}-{}-s{}", catalog::short_env_name(config.task.env),
                                 train::method_name(config), config.schedule.seed));
  std::filesystem::path folder = std::filesystem::path("runs") / name;
  for (int i = 2; std::filesystem::exists(folder); ++i) {
    folder = std::filesystem::path("runs") / fmt::format("{}-{}", name, i);
  }
  return folder;
}

void prepare_procgen(const train::TaskConfig& task) {
  app::prepare_procgen(task.env);
  app::prepare_procgen(task.test_env);
}

// Whether the launcher has started the ranks again after a failure, and the folder of --out holds
// the run that they have begun.
bool continues_begun_run(const TrainArguments& arguments, const distributed::Launch& launch,
                         distributed::World& world) {
  if (launch.attempt == 0 || arguments.out.empty()) return false;
  const auto file = std::filesystem::path(arguments.out) / run::layout::kConfig;
  return train::from_first(world, [&] { return std::filesystem::exists(file) ? "run" : ""; }) ==
         "run";
}

train::Trainer make_trainer(const TrainArguments& arguments, const distributed::Launch& launch,
                            std::filesystem::path& folder) {
  const std::shared_ptr<distributed::World> world = distributed::World::join(launch);
  if (arguments.resume.empty()) {
    const train::TrainConfig config = make_config(arguments);
    prepare_procgen(config.task);
    folder = arguments.out.empty() ? new_folder(config) : std::filesystem::path(arguments.out);
    if (continues_begun_run(arguments, launch, *world)) {
      return train::Trainer::resume(folder, {}, arguments.locking, world);
    }
    return train::Trainer(config, folder, arguments.locking, world);
  }
  folder = arguments.resume;
  const auto refuse = [](const std::string& flag) {
    throw std::invalid_argument(
        flag + " cannot be changed with --resume; only --steps, --num-workers and --plugin can");
  };
  for (const std::string& flag : arguments.others) refuse(flag);
  train::ResumeSettings changed;
  train::TrainConfig given;
  for (const auto& [name, value] : arguments.settings) {
    if (name == kPlugin) continue;
    set(given, name, value);
    if (name == train::ScheduleConfig::kSteps.name()) {
      changed.steps = given.schedule.steps;
    } else if (name == EnvOptions::kNumWorkers.name()) {
      changed.num_workers = given.env.num_workers;
    } else {
      refuse(train::flag_of(name));
    }
  }
  load_given_plugin(arguments);
  if (world->is_first()) prepare_procgen(train::config_of_run(folder).task);
  return train::Trainer::resume(folder, changed, arguments.locking, world);
}

terminal::BarState bar_state(const train::Progress& p) {
  const auto left = static_cast<double>(p.num_updates - p.update);
  const double per_second = p.steps_per_second;
  const double steps_left = left * static_cast<double>(p.steps) / static_cast<double>(p.update);
  std::string text = fmt::format("{} steps  {}/s  train {:.2f}", short_number(double(p.steps)),
                                 short_number(per_second), p.train_return);
  if (p.test_return)
    text += fmt::format("  test {:.2f} ({:.0f}%)", *p.test_return, 100 * *p.test_success);
  return {.fraction = static_cast<double>(p.update) / static_cast<double>(p.num_updates),
          .seconds_left = per_second > 0 ? steps_left / per_second : 0,
          .text = text};
}

void print_end(const train::Trainer& trainer, const std::filesystem::path& folder) {
  const train::Progress p = trainer.progress();
  const train::TaskConfig& task = trainer.config().task;
  terminal::print("\nTrained on {} ({} levels, {}): {} steps, {} episodes, {}.\n", task.env,
                  task.levels, train::method_name(trainer.config()), short_number(double(p.steps)),
                  p.num_episodes, clock_text(p.seconds));
  if (p.test_return) {
    terminal::print("On {}: return {:.3f}, success {:.0f}%.\n",
                    task.test_env.empty() ? "levels outside the training set" : task.test_env,
                    *p.test_return, 100 * *p.test_success);
  }
  terminal::print("\nNext:\n{}", next_steps(trainer.config(), folder));
}

// Writes the pictures of a finished run. The run is saved at this point, so that a failure is only
// a warning.
void write_pictures(const std::filesystem::path& folder) {
  const auto attempt = [&](std::string_view file, const auto& write) {
    try {
      write();
    } catch (const std::exception& error) {  // also if its observations are no pictures
      terminal::print(stderr, "no {}: {}\n", file, error.what());
    }
  };
  attempt(run::layout::kReport, [&] { write_page(folder); });
  attempt(run::layout::kEpisode, [&] {
    const std::filesystem::path file = folder / run::layout::kEpisode;
    // It would be followed, as outputs that the user names are.
    if (std::filesystem::is_symlink(file)) std::filesystem::remove(file);
    write_episode(folder, file);
  });
}

// All ranks check the settings; rank 0 prints them.
void print_settings(const TrainArguments& arguments, const distributed::Launch& launch) {
  const train::TrainConfig config =
      arguments.resume.empty() ? make_config(arguments) : train::config_of_run(arguments.resume);
  train::check(config);
  if (launch.rank == 0) terminal::print("{}", train::to_toml(config));
}

// Trains as a rank above 0, which writes and prints nothing.
void train_quietly(train::Trainer& trainer) {
  if (!trainer.run({.should_stop = terminal::stop_requested})) throw terminal::Stopped();
}

void train_visibly(train::Trainer& trainer, const std::filesystem::path& folder) {
  terminal::print(stderr, "{} on {} in {}\n",
                  trainer.progress().update == 0 ? "training" : "resuming training",
                  trainer.config().task.env, folder.string());
  for (const std::string& note : trainer.notes()) terminal::print(stderr, "{}\n", note);
  terminal::ProgressBar bar(stderr);
  const auto surveyed = [&bar, survey = terminal::FractionDone(bar, "survey")](double f) mutable {
    if (f == 0) survey = terminal::FractionDone(bar, "survey");
    survey(f);
  };
  const bool is_done =
      trainer.run({.updated = [&](const train::Progress& p) { bar.show(bar_state(p)); },
                   .evaluated = terminal::FractionDone(bar, "final evaluation"),
                   .surveyed = surveyed,
                   .should_stop = terminal::stop_requested});
  bar.finish();
  if (is_done) {
    write_pictures(folder);
    print_end(trainer, folder);
  } else {
    terminal::print("Stopped after {} steps, and saved.  Resume with\n  {}\n",
                    trainer.progress().steps, resume_command(trainer.config(), folder));
    throw terminal::Stopped();
  }
}

void train(const TrainArguments& arguments, const distributed::Launch& launch) {
  std::filesystem::path folder;
  train::Trainer trainer = make_trainer(arguments, launch, folder);
  terminal::handle_stop_signals();  // before the first output, which may raise SIGPIPE
  if (launch.rank == 0) {
    train_visibly(trainer, folder);
  } else {
    train_quietly(trainer);
  }
}

std::string preset_help() {
  std::string text = "initial settings:";
  for (const auto& [name, summary] : train::presets())
    text += fmt::format("\n  {}: {}", name, summary);
  return text;
}

// ": one, another" for an enumeration; empty for other types.
template <NamedEnum E>
std::string choices(const E&) {
  return fmt::format(": {}", fmt::join(enum_names(E{}), ", "));
}
std::string choices(const auto&) { return ""; }

std::string method_names() {
  const auto& names = enum_names(train::Method{});
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_train(CLI::App& program) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* verb = program.add_subcommand("train", "train an agent, or resume a run");
  verb->footer(
      "Examples:\n"
      "  plr train                                    learn a small task in minutes\n"
      "  plr train --curriculum uniform --seed 2      the baseline\n"
      "  plr train --method ucb-drac+plr              another method of the paper\n"
      "  plr train --mixreg 0.01 --drac --augmentation crop   a combination\n"
      "  plr train --preset minigrid-multiroom        the paper's setting\n"
      "  plr train --levels full --buffer-size 500    on the full distribution of levels\n"
      "  plr train --resume runs/NAME                 continue a run that was stopped\n"
      "\n"
      "Settings can also be given in a file: --config FILE with lines such as  steps = 1000000");
  verb->add_option("--preset", arguments->preset, preset_help())->capture_default_str();
  verb->add_option(
      "--algorithm", arguments->algorithm,
      "replaces the preset's choices where the paper, its code and this program differ; paper: "
      "exactly the paper; released-code: the code of its authors; default: the paper, but episodes "
      "are scored in pieces (D6) and MiniGrid's network is the preset's (E3, E4)");
  verb->add_option("--method", arguments->method,
                   "a method of the paper with its best settings: " + method_names());
  verb->add_option("--config", arguments->config, "a file of settings");
  verb->add_option("--resume", arguments->resume, "folder of a run to continue");
  verb->add_option("--out", arguments->out, "folder of the new run (runs/ and a descriptive name)");
  verb->add_flag_callback(
      "--no-lock", [arguments] { arguments->locking = Locking::kIfSupported; },
      "write to a file system without locks; make sure that no other process writes the run");
  verb->add_flag("--dry-run", arguments->is_dry_run,
                 "print the settings of the run, as in its config.toml, and exit");
  const train::TrainConfig defaults = train::preset("small");
  visit_groups(defaults, [&](const char* title, const auto& group) {
    visit_fields(
        group, [&](std::string_view name, const auto& value, const Bounds&, std::string_view help) {
          const std::string field(name);
          CLI::Option* option = verb->add_option_function<std::string>(
                                        train::flag_of(name),
                                        [arguments, field](const std::string& text) {
                                          arguments->settings[field] = text;
                                        },
                                        std::string(help) + choices(value))
                                    ->take_last()
                                    ->group(title)
                                    ->type_name("")
                                    ->default_str(to_text(value));
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>) {
            // --drac alone is --drac true.
            option->expected(0, 1)->default_str("true")->option_text("=" + to_text(value));
          }
        });
  });
  for (const train::ObsoleteSetting& setting : train::kObsoleteSettings) {
    const std::string field(setting.name);
    verb->add_option_function<std::string>(
            train::flag_of(field),
            [arguments, field](const std::string& text) { arguments->settings[field] = text; })
        ->group("");  // not in the help
  }
  verb->callback([arguments, verb] {
    for (const char* flag : {"--preset", "--algorithm", "--method", "--config", "--out"}) {
      if (verb->count(flag) > 0) arguments->others.emplace_back(flag);
    }
    const auto work = arguments->is_dry_run ? print_settings : train;
    run_as_rank("plr train", [&](const distributed::Launch& launch) { work(*arguments, launch); });
  });
}

}  // namespace plr::app
