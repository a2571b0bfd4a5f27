#include "app/eval_cvar.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "plr/base/fields.h"
#include "plr/base/files.h"
#include "plr/catalog/make_env.h"
#include "plr/report/cvar.h"
#include "plr/run/layout.h"
#include "plr/run/record_files.h"
#include "plr/terminal/print.h"
#include "plr/terminal/progress_bar.h"
#include "plr/terminal/stop_signal.h"
#include "plr/train/cvar.h"
#include "plr/train/saved_agent.h"
#include "plr/train/test_env.h"

namespace plr::app {
namespace {

constexpr const char* kDefaultEnv = "maze/random-60";
constexpr std::int64_t kMaxSlots = 5000;  // that are played at a time

std::vector<run::CvarRow> played(const CvarArguments& arguments, const std::string& env_name,
                                 std::int64_t& update) {
  const train::SavedAgent agent = train::load_agent(arguments.run, 1);
  update = agent.update;
  EnvOptions options = agent.config.env;
  options.num_slots =
      static_cast<int>(std::min(kMaxSlots, arguments.num_levels * train::kCvarCopies));
  const auto env = catalog::make_env(env_name, options);
  train::check_same_interface("env", agent.env->spec(), env->spec());
  const std::vector<LevelId> levels =
      train::solvable_levels(env_name, options, static_cast<std::size_t>(arguments.num_levels));
  terminal::handle_stop_signals();
  terminal::ProgressBar bar(stderr);
  std::vector<run::CvarRow> rows = train::play_twice(
      *env, *agent.backend, levels,
      {.progressed = terminal::FractionDone(bar, fmt::format("{} levels twice", levels.size())),
       .should_stop = terminal::stop_requested},
      Streams(arguments.seed), options.num_workers);
  bar.finish();
  if (rows.empty()) throw terminal::Stopped();
  return rows;
}

}  // namespace

void eval_cvar(const CvarArguments& arguments) {
  check_value("--cvar-levels", arguments.num_levels, from_to(1, 1 << 20));
  const std::string env =
      catalog::absolute_env_name(arguments.env.empty() ? kDefaultEnv : arguments.env);
  std::int64_t update = 0;
  const std::vector<run::CvarRow> rows = played(arguments, env, update);
  const std::filesystem::path file = std::filesystem::path(arguments.run) / run::layout::kCvar;
  write_text(file, run::cvar_to_csv(rows));

  nlohmann::ordered_json result = {{"run", arguments.run},
                                   {"update", update},
                                   {"env", env},
                                   {"levels", rows.size()},
                                   {"seed", arguments.seed}};
  for (const double fraction : report::kCvarFractions) {
    const std::optional<double> value = report::cvar(rows, fraction);
    if (value) result["cvar"].push_back({{"fraction", fraction}, {"success_rate", *value}});
  }
  if (arguments.json) {
    terminal::print("{}\n", result.dump(2));
    return;
  }
  terminal::print("{} after {} updates, on {} solvable levels of {}\n\n", arguments.run, update,
                  rows.size(), env);
  terminal::print("{:>12} {:>10}\n", "worst levels", "success");
  for (const auto& row : result.at("cvar")) {
    terminal::print("{:>11g}% {:>9.2f}%\n", 100 * row.at("fraction").get<double>(),
                    100 * row.at("success_rate").get<double>());
  }
  terminal::print("\n{}\n", file.string());
}

}  // namespace plr::app
