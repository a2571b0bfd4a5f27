// plr eval: evaluates a trained agent.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "app/eval_cvar.h"
#include "app/plugin_option.h"
#include "app/procgen_setup.h"
#include "app/verbs.h"
#include "plr/base/fields.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/short_name.h"
#include "plr/run/record_files.h"
#include "plr/terminal/print.h"
#include "plr/terminal/progress_bar.h"
#include "plr/train/config.h"
#include "plr/train/evaluator.h"
#include "plr/train/run_settings.h"
#include "plr/train/saved_agent.h"
#include "plr/train/test_env.h"
#include "plr/train/training_levels.h"

namespace plr::app {
namespace {

using Json = nlohmann::ordered_json;

struct EvalArguments {
  std::string run;
  std::int64_t episodes = 100;
  std::string env;     // empty: that of the run
  std::string levels;  // empty: test and training levels
  std::string step_limit;
  std::uint64_t seed = 0;
  bool greedy = false;
  bool json = false;
  bool cvar = false;
  std::int64_t cvar_levels = 10'000;
};

Json described(const train::Evaluation& evaluation) {
  return {{"episodes", evaluation.episodes.size()},
          {"return", evaluation.mean_return()},
          {"standard_error", evaluation.standard_error()},
          {"success_rate", evaluation.success_rate()},
          {"length", evaluation.mean_length()}};
}

void print_row(const std::string& name, const Json& row) {
  terminal::print("{:<14} {:>9} {:>10.4f} {:>10.4f} {:>9.1f}% {:>9.1f}\n", name,
                  row.at("episodes").get<int>(), row.at("return").get<double>(),
                  row.at("standard_error").get<double>(),
                  100 * row.at("success_rate").get<double>(), row.at("length").get<double>());
}

// The agent of a run with the environments of an evaluation.
class Evaluated {
 public:
  explicit Evaluated(const EvalArguments& arguments) : arguments_(arguments) {
    train::TaskConfig task = train::config_of_run(arguments.run).task;
    if (!arguments.env.empty()) task.test_env = arguments.env;
    prepare_procgen(task.env);
    prepare_procgen(task.test_env);
    agent_ = train::load_agent(arguments.run, train::evaluation_slots(arguments.episodes));
    if (!agent_.note.empty()) terminal::print(stderr, "{}\n", agent_.note);
    const bool is_trained_env = task.test_env == task.env && arguments.step_limit.empty();
    if (task.test_env.empty() || is_trained_env) return;
    EnvOptions options = agent_.config.env;
    if (!arguments.step_limit.empty()) {
      options.maze.step_limit = enum_from<StepLimit>("step_limit", arguments.step_limit);
    }
    test_env_ = catalog::make_env(catalog::absolute_env_name(task.test_env), options);
    train::check_same_interface(arguments.env.empty() ? "test_env" : "env", agent_.env->spec(),
                                test_env_->spec());
  }

  Json result() {
    const EnvSpec& spec = env().spec();
    Json result = {{"run", arguments_.run},   {"update", agent_.update},
                   {"env", spec.name},        {"max_steps", spec.max_steps},
                   {"seed", arguments_.seed}, {"greedy", arguments_.greedy}};
    const auto count = static_cast<std::size_t>(arguments_.episodes);
    Random random = Streams(arguments_.seed).named("evaluate");
    if (!arguments_.levels.empty()) {
      const LevelSet asked = train::training_levels(arguments_.levels, spec);
      add("levels", train::sample_levels(asked, count, random), result);
    } else if (!arguments_.env.empty()) {
      add("levels", train::evaluation_levels(spec, count, random), result);
    } else {
      add_test_and_training(count, random, result);
    }
    return result;
  }

 private:
  VectorEnv& env() { return test_env_ ? *test_env_ : *agent_.env; }

  train::Evaluation play(VectorEnv& env, const std::vector<LevelId>& levels,
                         const std::string& name) {
    terminal::ProgressBar bar(stderr);
    const train::Evaluation evaluation =
        train::Evaluator(env, *agent_.backend)
            .play(levels, arguments_.greedy, Streams(arguments_.seed).named("evaluate/" + name),
                  {.progressed = terminal::FractionDone(bar, name)});
    bar.finish();
    return evaluation;
  }

  // Plays these levels of env(); fixed levels are listed one by one too.
  double add(const std::string& name, const std::vector<LevelId>& levels, Json& result) {
    const train::Evaluation evaluation = play(env(), levels, name);
    result[name] = described(evaluation);
    for (const run::TestLevel& level : by_level(env(), evaluation)) {
      result["test_levels"].push_back(run::record_to_json(level));
    }
    return evaluation.mean_return();
  }

  void add_test_and_training(std::size_t count, Random& random, Json& result) {
    const EnvSpec& trained = agent_.env->spec();
    const LevelSet training = train::training_levels(agent_.config.task.levels, trained);
    const double test_return =
        add("test",
            test_env_ ? train::evaluation_levels(test_env_->spec(), count, random)
                      : train::test_levels(trained, training, count, random),
            result);
    const train::Evaluation train =
        play(*agent_.env, train::sample_levels(training, count, random), "train");
    result["train"] = described(train);
    result["gap"] = train.mean_return() - test_return;
  }

  const EvalArguments& arguments_;
  train::SavedAgent agent_;
  std::unique_ptr<VectorEnv> test_env_;  // null: that of the agent
};

void print_levels(const Json& levels) {
  std::size_t width = 5;
  for (const Json& level : levels) {
    width = std::max(width, level.at("name").get<std::string>().size());
  }
  terminal::print("\n{:<{}} {:>9} {:>10} {:>10}\n", "level", width, "episodes", "solved", "return");
  double rate_sum = 0;
  double return_sum = 0;
  for (const Json& level : levels) {
    const auto episodes = level.at("episodes").get<double>();
    const double rate = level.at("solved").get<double>() / episodes;
    const auto mean_return = level.at("return").get<double>();
    rate_sum += rate;
    return_sum += mean_return;
    terminal::print("{:<{}} {:>9} {:>9.1f}% {:>10.4f}\n", level.at("name").get<std::string>(),
                    width, episodes, 100 * rate, mean_return);
  }
  const auto count = static_cast<double>(levels.size());
  terminal::print("{:<{}} {:>9} {:>9.1f}% {:>10.4f}\n", "mean", width, "", 100 * rate_sum / count,
                  return_sum / count);
}

void eval(const EvalArguments& arguments) {
  check_value("--episodes", arguments.episodes, train::kEpisodes);
  if (arguments.cvar) {
    return eval_cvar({.run = arguments.run,
                      .env = arguments.env,
                      .num_levels = arguments.cvar_levels,
                      .seed = arguments.seed,
                      .json = arguments.json});
  }
  const Json result = Evaluated(arguments).result();
  if (arguments.json) {
    terminal::print("{}\n", result.dump(2));
    return;
  }
  const auto env = result.at("env").get<std::string>();
  terminal::print("{} after {} updates, on {} (episodes of up to {} steps)\n\n", arguments.run,
                  result.at("update").get<int>(), env, result.at("max_steps").get<int>());
  terminal::print("{:<14} {:>9} {:>10} {:>10} {:>10} {:>9}\n", "levels", "episodes", "return", "+-",
                  "success", "length");
  const bool has_fixed_levels = result.contains("test_levels");
  for (const auto& [key, name] :
       {std::pair{"test", has_fixed_levels ? "test" : "unseen"}, std::pair{"train", "training set"},
        std::pair{"levels", arguments.levels.empty() ? "all" : "given"}}) {
    if (result.contains(key)) print_row(name, result.at(key));
  }
  if (has_fixed_levels) print_levels(result.at("test_levels"));
  if (result.contains("gap"))
    terminal::print("\ngap (training - test): {:.4f}\n", result.at("gap").get<double>());
}

}  // namespace

void add_eval(CLI::App& program) {
  auto arguments = std::make_shared<EvalArguments>();
  CLI::App* verb = program.add_subcommand("eval", "evaluate a trained agent");
  verb->footer(
      "Examples:\n"
      "  plr eval runs/NAME                        on test levels, and on training levels\n"
      "  plr eval runs/NAME --episodes 1000        more episodes\n"
      "  plr eval runs/NAME --levels 5000-5999     on these levels\n"
      "  plr eval runs/NAME --env maze/JaxUED-8    on another environment; named levels one by "
      "one\n"
      "  plr eval runs/NAME --env maze/Labyrinth --step-limit area   with the limit of minimax\n"
      "  plr eval runs/NAME --cvar                 success on the worst of 10,000 random mazes");
  verb->add_option("run", arguments->run, "folder of a run")->required();
  verb->add_option("--episodes", arguments->episodes,
                   "episodes per row of the table; spread evenly over named levels")
      ->capture_default_str();
  verb->add_option("--env", arguments->env,
                   "evaluate on this environment, with observations and actions as in training");
  add_plugin_option(*verb);
  CLI::Option* levels =
      verb->add_option("--levels", arguments->levels,
                       "evaluate on these instead: a range, a number of levels, a file, or full");
  CLI::Option* limit =
      verb->add_option("--step-limit", arguments->step_limit,
                       "with --env: the step limit of the maze, default or area (that of the run)");
  limit->needs("--env");
  verb->add_option_function<std::string>(
          "--seed",
          [arguments](const std::string& text) { parse_value("--seed", text, arguments->seed); },
          "random seed of the levels and actions")
      ->default_str("0");
  CLI::Option* greedy = verb->add_flag("--greedy", arguments->greedy,
                                       "take the most likely action instead of sampling one");
  verb->add_flag("--json", arguments->json, "print JSON");
  CLI::Option* cvar =
      verb->add_flag("--cvar", arguments->cvar,
                     "conditional value at risk: play solvable levels of --env (maze/random-60) "
                     "twice, write cvar.csv, print the success on the worst of them")
          ->excludes(levels, greedy, limit);
  verb->add_option("--cvar-levels", arguments->cvar_levels, "number of levels of --cvar")
      ->capture_default_str()
      ->needs(cvar);
  verb->callback([arguments] { eval(*arguments); });
}

}  // namespace plr::app
