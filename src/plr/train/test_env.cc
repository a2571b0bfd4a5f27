#include "plr/train/test_env.h"

#include <cstddef>
#include <stdexcept>
#include <string>

#include "plr/catalog/make_env.h"

namespace plr::train {
namespace {

// "5x5x4 observations and 7 actions", "1x1x3 float observations and [-2, 2] actions"
std::string interface_text(const EnvSpec& spec) {
  std::string text;
  for (const int length : spec.observation_shape) {
    text += (text.empty() ? "" : "x") + std::to_string(length);
  }
  text += spec.observation_type == ElementType::kFloat ? " float observations" : " observations";
  return text + " and " + to_text(spec.actions) + " actions";
}

}  // namespace

void check_same_interface(std::string_view field, const EnvSpec& trained, const EnvSpec& other) {
  if (other.observation_shape == trained.observation_shape &&
      other.observation_type == trained.observation_type &&
      other.num_directions == trained.num_directions && other.actions == trained.actions) {
    return;
  }
  throw std::invalid_argument(std::string(field) + " must have " + interface_text(trained) +
                              ", as " + trained.name + " has, but " + other.name + " has " +
                              interface_text(other));
}

std::unique_ptr<VectorEnv> make_test_env(const TrainConfig& config, const RankShare& share,
                                         const EnvSpec& trained) {
  if (config.task.test_env.empty()) return nullptr;
  EnvOptions options = config.env;
  options.num_slots = evaluation_slots(config.schedule.eval_episodes);
  options.num_workers = share.num_workers(options);
  std::unique_ptr<VectorEnv> env = catalog::make_env(config.task.test_env, options);
  check_same_interface("test_env", trained, env->spec());
  if (env->spec().name != trained.name) return env;
  if (env->spec().num_fixed_levels > 0) {
    throw std::invalid_argument("test_env must not be " + trained.name +
                                ", whose levels are trained on; name another environment");
  }
  return nullptr;  // tests are on its levels outside the training set
}

std::vector<run::TestLevel> by_level(const VectorEnv& env, const Evaluation& evaluation) {
  std::vector<run::TestLevel> levels(env.spec().num_fixed_levels);
  if (levels.empty()) return levels;
  std::vector<double> return_sums(levels.size());
  for (const PlayedEpisode& episode : evaluation.episodes) {
    const std::size_t i = episode.level % levels.size();
    ++levels[i].episodes;
    if (episode.is_solved) ++levels[i].solved;
    return_sums[i] += episode.episode_return;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].name = env.level_name(i);
    if (levels[i].name.empty()) levels[i].name = "level " + std::to_string(i);
    levels[i].mean_return = return_sums[i] / static_cast<double>(levels[i].episodes);
  }
  std::erase_if(levels, [](const run::TestLevel& level) { return level.episodes == 0; });
  return levels;
}

void make_env_names_absolute(TaskConfig& task) {
  task.env = catalog::absolute_env_name(task.env);
  if (!task.test_env.empty()) task.test_env = catalog::absolute_env_name(task.test_env);
}

}  // namespace plr::train
