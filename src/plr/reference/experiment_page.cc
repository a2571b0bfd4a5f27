#include <fmt/format.h>

#include "plr/experiment/plan_file.h"
#include "plr/reference/pages.h"

namespace plr::reference {

std::string experiment_page() {
  std::string page =
      "# Experiment files\n\n"
      "Generated from the code by `plr help --write docs/reference`.\n\n"
      "An experiment file is TOML. It gives presets or environments, methods, variants, settings "
      "to sweep over,\nand seeds; `plr experiment FILE` makes one run for every combination, and "
      "`--dry-run` lists them. All\nsettings are checked when the file is read; errors name the "
      "line.\n\n"
      "```toml\n"
      "summary = \"PLR with several staleness coefficients\"\n"
      "preset = \"minigrid-multiroom\"\n"
      "methods = [\"plr\"]\n"
      "seeds = \"1-3\"\n\n"
      "[settings]                    # of every run\n"
      "steps = \"1M\"\n\n"
      "[sweep]                       # every combination of these\n"
      "staleness_coef = [0.1, 0.3, 1]\n\n"
      "[variant.uniform]             # named sets of settings, which replace the plain runs\n"
      "method = \"uniform\"\n"
      "```\n\n"
      "| line | meaning |\n|---|---|\n";
  for (const experiment::PlanLine& line : experiment::kPlanLines) {
    page += fmt::format("| `{}` | {} |\n", line.name, line.meaning);
  }
  page +=
      "\nLater values win: preset, algorithm, method, `[settings]`, variant, sweep. A run is named "
      "after its\nenvironment, method, variant, swept settings and seed, such as\n"
      "`multiroom-n4-random-plr-staleness_coef0.3-s1`, and is a folder of that name under the "
      "experiment's folder.\nStarting the experiment again continues what is unfinished. Settings: "
      "[settings.md](settings.md).\n";
  return page;
}

}  // namespace plr::reference
