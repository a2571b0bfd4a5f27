// plr envs: lists the environments.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/plugin_option.h"
#include "app/verbs.h"
#include "plr/base/closest_name.h"
#include "plr/catalog/make_env.h"
#include "plr/terminal/print.h"

namespace plr::app {
namespace {

struct EnvsArguments {
  std::string filter;
  bool as_json = false;
};

std::vector<EnvInfo> matching(const std::string& filter) {
  std::vector<EnvInfo> found;
  std::vector<std::string> names;
  for (const EnvInfo& info : catalog::environments()) {
    names.push_back(info.name);
    if (lower_case(info.name).find(lower_case(filter)) != std::string::npos) found.push_back(info);
  }
  if (found.empty()) {
    throw std::invalid_argument(
        fmt::format("no environment has '{}' in its name; the closest is {}", filter,
                    closest_name(filter, names)));
  }
  return found;
}

void print_json(const std::vector<EnvInfo>& infos) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const EnvInfo& info : infos) {
    nlohmann::ordered_json& env =
        all.emplace_back(nlohmann::ordered_json{{"name", info.name},
                                                {"group", info.group},
                                                {"summary", info.summary},
                                                {"width", info.width},
                                                {"height", info.height},
                                                {"max_steps", info.max_steps},
                                                {"num_actions", info.actions.num_choices()},
                                                {"actions", to_text(info.actions)},
                                                {"num_difficulties", info.num_difficulties}});
    if (info.returns) env["returns"] = {info.returns->low, info.returns->high};
  }
  terminal::print("{}\n", all.dump(2));
}

// Environments with the same summary share a heading.
void print_table(const std::vector<EnvInfo>& infos) {
  const EnvInfo* last = nullptr;
  for (const EnvInfo& info : infos) {
    if (last == nullptr || info.group != last->group) {
      terminal::print("{}{:<52}{:>7}{:>8}  {:>7}\n", last == nullptr ? "" : "\n\n", info.group,
                      "size", "steps", "actions");
    }
    if (last == nullptr || info.summary != last->summary) terminal::print("\n{}\n", info.summary);
    terminal::print("  {:<50}{:>7}{:>8}  {:>7}\n", info.name,
                    fmt::format("{}x{}", info.width, info.height), info.max_steps,
                    to_text(info.actions));
    last = &info;
  }
}

}  // namespace

void add_envs(CLI::App& program) {
  const auto arguments = std::make_shared<EnvsArguments>();
  CLI::App* verb = program.add_subcommand("envs", "list the environments");
  verb->group("Look");
  verb->add_option("FILTER", arguments->filter, "only those whose name contains this");
  add_plugin_option(*verb);
  verb->add_flag("--json", arguments->as_json, "print JSON");
  verb->callback([arguments] {
    const std::vector<EnvInfo> infos = matching(arguments->filter);
    arguments->as_json ? print_json(infos) : print_table(infos);
  });
}

}  // namespace plr::app
