#include "plr/train/cvar.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "plr/catalog/make_env.h"
#include "plr/core/level_store.h"
#include "plr/train/survey.h"

namespace plr::train {

std::vector<LevelId> solvable_levels(std::string_view env, const EnvOptions& options,
                                     std::size_t count) {
  const LevelTools tools = catalog::level_tools(env, options, std::make_shared<LevelStore>());
  if (!tools.optimal_return) {
    throw std::invalid_argument("env must be one whose levels can be solved by search, such as " +
                                std::string("maze/random-60, not ") + std::string(env));
  }
  constexpr std::size_t kMaxTriesPerLevel = 1000;
  std::vector<LevelId> levels;
  for (LevelId level = 0; levels.size() < count; ++level) {
    if (level >= kMaxTriesPerLevel * count) {
      throw std::invalid_argument("env must have solvable levels: of the first " +
                                  std::to_string(level) + " levels of " + std::string(env) +
                                  " only " + std::to_string(levels.size()) + " are");
    }
    if (tools.optimal_return(level) > 0) levels.push_back(level);
  }
  return levels;
}

std::vector<run::CvarRow> play_twice(VectorEnv& env, learn::Backend& backend,
                                     std::span<const LevelId> levels, const EvaluationWatch& watch,
                                     const Streams& streams, int num_workers) {
  std::vector<LevelId> copies;
  for (const LevelId level : levels) copies.insert(copies.end(), kCvarCopies, level);
  const std::int64_t num_steps = env.spec().max_steps;
  const auto num_slots = static_cast<std::size_t>(env.spec().num_slots);
  const std::size_t num_batches = (copies.size() + num_slots - 1) / num_slots;
  const double num_steps_in_all = 2 * static_cast<double>(num_batches) * num_steps;
  double num_steps_done = 0;
  const auto should_stop = [&] {
    if (watch.progressed) watch.progressed(num_steps_done++ / num_steps_in_all);
    return watch.should_stop && watch.should_stop();
  };
  const auto play = [&](const char* stream) {
    return survey(env, backend, copies, {.num_steps = num_steps, .num_workers = num_workers},
                  streams.named(stream), should_stop);
  };
  const std::vector<SurveyedLevel> a = play("cvar/a");
  if (a.empty()) return {};
  const std::vector<SurveyedLevel> b = play("cvar/b");
  if (b.empty()) return {};

  std::vector<run::CvarRow> rows(levels.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    run::CvarRow& row = rows[i / kCvarCopies];
    row.level = copies[i];
    row.episodes_a += a[i].episodes;
    row.successes_a += a[i].successes;
    row.episodes_b += b[i].episodes;
    row.successes_b += b[i].successes;
  }
  return rows;
}

}  // namespace plr::train
