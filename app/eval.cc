// plr eval: evaluates a trained agent.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/procgen_setup.h"
#include "app/verbs.h"
#include "plr/base/fields.h"
#include "plr/train/config.h"
#include "plr/train/evaluator.h"
#include "plr/train/saved_agent.h"
#include "plr/train/trainer.h"
#include "plr/train/training_levels.h"

namespace plr::app {
namespace {

struct EvalArguments {
  std::string run;
  std::int64_t episodes = 100;
  std::string levels;
  std::uint64_t seed = 0;
  bool greedy = false;
  bool json = false;
};

nlohmann::ordered_json described(const train::Evaluation& evaluation) {
  return {{"episodes", evaluation.episodes.size()},
          {"return", evaluation.mean_return()},
          {"standard_error", evaluation.standard_error()},
          {"success_rate", evaluation.success_rate()},
          {"length", evaluation.mean_length()}};
}

void print_row(const char* name, const nlohmann::ordered_json& row) {
  fmt::print("{:<14} {:>9} {:>10.4f} {:>10.4f} {:>9.1f}% {:>9.1f}\n", name,
             row.at("episodes").get<int>(), row.at("return").get<double>(),
             row.at("standard_error").get<double>(), 100 * row.at("success_rate").get<double>(),
             row.at("length").get<double>());
}

nlohmann::ordered_json evaluated(const EvalArguments& arguments) {
  const int num_slots = train::evaluation_slots(arguments.episodes);
  prepare_procgen(train::config_of_run(arguments.run).task.env);
  const train::SavedAgent agent = train::load_agent(arguments.run, num_slots);
  const EnvSpec& spec = agent.env->spec();
  const Streams streams(arguments.seed);

  const LevelSet training = train::training_levels(agent.config.task.levels, spec);
  const auto count = static_cast<std::size_t>(arguments.episodes);
  Random random = streams.named("evaluate");
  train::Evaluator evaluator(*agent.env, *agent.backend);
  const auto play = [&](const std::vector<LevelId>& levels, const char* name) {
    return evaluator.play(levels, arguments.greedy, streams.named(name));
  };
  nlohmann::ordered_json result = {{"run", arguments.run},
                                   {"update", agent.update},
                                   {"env", spec.name},
                                   {"seed", arguments.seed},
                                   {"greedy", arguments.greedy}};
  if (!arguments.levels.empty()) {
    const LevelSet asked = train::training_levels(arguments.levels, spec);
    result["levels"] =
        described(play(train::sample_levels(asked, count, random), "evaluate/levels"));
    return result;
  }
  const train::Evaluation test =
      play(train::test_levels(spec, training, count, random), "evaluate/test");
  const train::Evaluation train =
      play(train::sample_levels(training, count, random), "evaluate/train");
  result["test"] = described(test);
  result["train"] = described(train);
  result["gap"] = train.mean_return() - test.mean_return();
  return result;
}

void eval(const EvalArguments& arguments) {
  check_value("--episodes", arguments.episodes, train::kEpisodes);
  const nlohmann::ordered_json result = evaluated(arguments);
  if (arguments.json) {
    fmt::print("{}\n", result.dump(2));
    return;
  }
  fmt::print("{} after {} updates, on {}\n\n", arguments.run, result.at("update").get<int>(),
             result.at("env").get<std::string>());
  fmt::print("{:<14} {:>9} {:>10} {:>10} {:>10} {:>9}\n", "levels", "episodes", "return", "+-",
             "success", "length");
  for (const auto& [key, name] : {std::pair{"test", "unseen"}, std::pair{"train", "training set"},
                                  std::pair{"levels", "given"}}) {
    if (result.contains(key)) print_row(name, result.at(key));
  }
  if (result.contains("gap"))
    fmt::print("\ngap (training - test): {:.4f}\n", result.at("gap").get<double>());
}

}  // namespace

void add_eval(CLI::App& program) {
  auto arguments = std::make_shared<EvalArguments>();
  CLI::App* verb = program.add_subcommand("eval", "evaluate a trained agent");
  verb->footer(
      "Examples:\n"
      "  plr eval runs/NAME                      on levels outside the training set, and in it\n"
      "  plr eval runs/NAME --episodes 1000      more episodes\n"
      "  plr eval runs/NAME --levels 5000-5999   on these levels");
  verb->add_option("run", arguments->run, "folder of a run")->required();
  verb->add_option("--episodes", arguments->episodes, "episodes per row of the table")
      ->capture_default_str();
  verb->add_option("--levels", arguments->levels,
                   "evaluate on these instead: a range, a number of levels, a file, or full");
  verb->add_option_function<std::string>(
          "--seed",
          [arguments](const std::string& text) { parse_value("--seed", text, arguments->seed); },
          "random seed of the levels and actions")
      ->default_str("0");
  verb->add_flag("--greedy", arguments->greedy,
                 "take the most likely action instead of sampling one");
  verb->add_flag("--json", arguments->json, "print JSON");
  verb->callback([arguments] { eval(*arguments); });
}

}  // namespace plr::app
