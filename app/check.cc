// plr check: checks that an environment obeys the rules of the interface.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "app/plugin_option.h"
#include "app/procgen_setup.h"
#include "app/verbs.h"
#include "plr/base/counted.h"
#include "plr/catalog/check_env.h"
#include "plr/catalog/make_env.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

// Written at once, so that a plug-in that crashes has its last rule above the crash.
void print_rule(const RuleCheck& check) {
  const char* result = !check.was_checked         ? "skipped"
                       : check.violations.empty() ? "ok"
                                                  : "VIOLATED";
  terminal::print("  {:<42} {}\n", check.rule, result);
  for (const std::string& violation : check.violations) {
    terminal::print("      not true: {}\n", violation);
  }
  std::fflush(stdout);
}

void check(const std::string& env) {
  catalog::check_env_name(env);
  prepare_procgen(env);
  int num_violated = 0;
  const auto report = [&](const RuleCheck& rule) {
    print_rule(rule);
    if (!rule.violations.empty()) ++num_violated;
  };
  for (const Observation observation : catalog::find_family(env)->observations) {
    terminal::print("{}, observation {}\n", env, to_text(observation));
    catalog::env_violations(env, observation, report);
  }
  if (num_violated > 0) {
    terminal::print("{} violates {}\n", env, counted(num_violated, "rule"));
    throw Failed();
  }
  terminal::print("{} obeys all rules\n", env);
}

}  // namespace

void add_check(CLI::App& program) {
  const auto env = std::make_shared<std::string>();
  CLI::App* verb = program.add_subcommand("check", "check that an environment obeys all rules");
  verb->group("Look");
  verb->add_option("ENV", *env, "an environment; plr envs lists them")->required();
  add_plugin_option(*verb);
  verb->footer(
      "Levels are reproducible, slots independent, saved episodes continue identically, invalid "
      "calls\n"
      "are refused, levels can be drawn: the rules of plr/env/vector_env.h.  Exit code 0 if the\n"
      "environment obeys all of them, 1 if it violates one.\n"
      "\n"
      "Examples:\n"
      "  plr check minigrid/MultiRoom-N4-Random\n"
      "  plr check caves/gold --plugin build/libcaves.so");
  verb->callback([env] { check(*env); });
}

}  // namespace plr::app
