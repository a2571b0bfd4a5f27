#include "app/experiment_member.h"

#include <fmt/format.h>

#include <stdexcept>

#include "plr/train/trainer.h"

namespace plr::app {

namespace fs = std::filesystem;

std::string own_path() { return fs::read_symlink("/proc/self/exe").string(); }

std::vector<std::string> Member::command() const {
  std::vector<std::string> words = {own_path(), "train"};
  if (state.has_begun) {
    words.insert(words.end(), {"--resume", folder.string()});
    words.insert(words.end(), {"--steps", fmt::to_string(run->config.schedule.steps)});
  } else {
    words.insert(words.end(), run->arguments.begin(), run->arguments.end());
    words.insert(words.end(), {"--out", folder.string()});
  }
  return words;
}

std::vector<Member> members_of(const train::Experiment& experiment, const fs::path& folder) {
  std::vector<Member> members;
  for (const train::PlannedRun& run : experiment.runs) {
    Member& member = members.emplace_back();
    member.run = &run;
    member.folder = folder / run.name;
    member.state = saved_state(member.folder);
    const std::int64_t batch = train::steps_per_update(run.config);
    member.steps = run.config.schedule.steps / batch * batch;
    if (!member.state.has_begun) continue;
    const std::string other = train::difference(run.config, train::config_of_run(member.folder));
    if (!other.empty()) {
      throw std::invalid_argument(
          fmt::format("{} holds another run: {}; name another folder with --out",
                      member.folder.string(), other));
    }
  }
  return members;
}

}  // namespace plr::app
