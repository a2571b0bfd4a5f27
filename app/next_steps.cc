#include "app/next_steps.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "plr/catalog/family.h"
#include "plr/run/layout.h"
#include "plr/terminal/shell_word.h"

namespace plr::app {
namespace {

using terminal::shell_word;

// The name of the program in suggested commands; the script ./plr sets PLR_COMMAND.
std::string command_name() {
  const char* name = std::getenv("PLR_COMMAND");
  return name != nullptr ? name : "plr";
}

bool needs_python(const train::TrainConfig& config) {
  const Family* family = catalog::find_family(config.task.env);
  return family != nullptr && family->needs_python;
}

std::string python_text(const std::string& text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string other_curriculum(const train::TrainConfig& config) {
  return config.task.curriculum == train::CurriculumKind::kPlr ? "uniform" : "plr";
}

bool decides_per_rollout(const train::TrainConfig& config) {
  return config.task.decide == train::Decide::kRollout;
}

std::string steps_in_python(const train::TrainConfig& config, const std::filesystem::path& folder) {
  return fmt::format(
      "  plr.torch.load_policy({})     the agent as a PyTorch module\n"
      "  plr.train(make_env, config={}, curriculum=\"{}\"{})     compare\n",
      python_text(folder.string()), python_text((folder / run::layout::kConfig).string()),
      other_curriculum(config), decides_per_rollout(config) ? ", decide=\"episode\"" : "");
}

std::string steps_in_shell(const train::TrainConfig& config, const std::filesystem::path& folder) {
  return fmt::format(
      "  {0} play {1}     watch the agent on a level that it has not seen\n"
      "  {0} eval {1} --episodes 1000     evaluate it on more episodes\n"
      "  {0} train --config {2} --curriculum {3}{4}     compare\n"
      "  {0} train --preset minigrid-multiroom   a setting of the paper\n",
      command_name(), shell_word(folder.string()),
      shell_word((folder / run::layout::kConfig).string()), other_curriculum(config),
      decides_per_rollout(config) ? " --decide episode" : "");
}

}  // namespace

std::string next_steps(const train::TrainConfig& config, const std::filesystem::path& folder) {
  std::string text;
  const auto add_file = [&](std::string_view name, std::string_view description) {
    const std::filesystem::path file = folder / name;
    if (std::filesystem::exists(file)) {
      text += fmt::format("  {}     {}\n", shell_word(file.string()), description);
    }
  };
  add_file(run::layout::kReport, "the report");
  add_file(run::layout::kEpisode, "the agent on a level that it has not seen");
  return text + (needs_python(config) ? steps_in_python : steps_in_shell)(config, folder);
}

std::string resume_command(const train::TrainConfig& config, const std::filesystem::path& folder) {
  if (needs_python(config)) {
    return fmt::format("plr.train(make_env, resume={})", python_text(folder.string()));
  }
  return fmt::format("{} train --resume {}", command_name(), shell_word(folder.string()));
}

}  // namespace plr::app
