#include "plr/train/run_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "plr/base/fields.h"
#include "plr/catalog/render.h"
#include "plr/image/png.h"
#include "plr/image/sheet.h"
#include "plr/run/behavior_version.h"
#include "plr/train/test_env.h"
#include "plr/train/training_levels.h"

namespace plr::train {

RunRecorder::RunRecorder(const RecorderParts& parts)
    : parts_(parts),
      evaluator_(parts.eval_env, parts.backend),
      level_summary_(parts.env, parts.store) {
  if (parts.test_env != nullptr) test_evaluator_.emplace(*parts.test_env, parts.backend);
}

run::LogRecord RunRecorder::log_record(const Progress& progress,
                                       const std::optional<learn::PpoStats>& stats) const {
  const collect::EpisodeWindow& episodes = parts_.collector.episodes();
  run::LogRecord record = {.update = progress.update,
                           .steps = progress.steps,
                           .seconds = progress.seconds,
                           .steps_per_second = progress.steps_per_second,
                           .episodes = episodes.num_episodes(),
                           .episode_return = episodes.mean_return(),
                           .success = episodes.success_rate(),
                           .length = episodes.mean_length(),
                           .return_deviation = std::sqrt(parts_.normalizer.variance())};
  if (stats) {
    record.policy_loss = stats->mean.policy_loss;
    record.value_loss = stats->mean.value_loss;
    record.entropy = stats->mean.entropy;
    record.grad_norm = stats->mean.grad_norm;
    record.clip_fraction = stats->mean.clip_fraction;
    record.approx_kl = stats->mean.approx_kl;
    record.explained_variance = stats->explained_variance;
    record.advantage_deviation = stats->advantage_deviation;
  }
  if (const auto& drac = parts_.regularizers.drac()) {
    if (stats) record.drac_loss = stats->mean.extra_loss;
    record.augmentation = to_text(drac->augmentation());
  }
  if (const auto replay = parts_.curriculum.replay_summary()) {
    record.levels_seen = replay->num_seen;
    record.draws = replay->num_draws;
    record.replay_probability = replay->replay_probability;
  }
  return record;
}

run::LevelsRecord RunRecorder::levels_record(const Progress& progress) {
  return level_summary_.record(progress.update, progress.steps, parts_.curriculum.weights());
}

std::optional<run::Picture> RunRecorder::level_picture() {
  constexpr std::size_t kNumLevels = 8;
  constexpr int kTileSize = 8;  // pixels
  const run::LevelsRecord record = level_summary_.record(0, 0, parts_.curriculum.weights());
  const auto& leading = record.leading;
  if (leading.empty() || leading.front().probability == leading.back().probability) return {};
  try {
    std::vector<image::Captioned> pictures;
    for (std::size_t i = 0; i < std::min(kNumLevels, leading.size()); ++i) {
      // The slots of this environment start new levels in every evaluation.
      pictures.push_back(
          {catalog::render_level(parts_.eval_env, leading[i].level, {.tile_size = kTileSize}),
           fmt::format("{:.2g} %", 100 * leading[i].probability)});
    }
    const image::Image sheet = image::sheet(pictures, {.title = "most probable levels"});
    return run::Picture{.tag = "levels",
                        .width = sheet.width(),
                        .height = sheet.height(),
                        .png = image::png_bytes(sheet)};
  } catch (const std::invalid_argument&) {
    return {};
  }
}

std::vector<run::LevelRow> RunRecorder::level_table() {
  return level_summary_.table(parts_.curriculum.weights());
}

std::optional<run::EvalRecord> RunRecorder::evaluate(const Progress& progress,
                                                     std::int64_t num_episodes, bool is_final,
                                                     const EvaluationWatch& watch) {
  const std::string stream = "evaluate/" + std::to_string(progress.update);
  Random random = parts_.streams.named(stream);
  const auto count = static_cast<std::size_t>(num_episodes);
  const auto test_ids = parts_.test_env != nullptr
                            ? evaluation_levels(parts_.test_env->spec(), count, random)
                            : test_levels(parts_.env.spec(), parts_.levels, count, random);
  const auto train_ids = sample_levels(parts_.levels, count, random);
  double done = 0;  // before the evaluation that is running
  EvaluationWatch half = {.should_stop = watch.should_stop};
  if (watch.progressed) half.progressed = [&](double part) { watch.progressed(done + part / 2); };
  const auto play = [&](Evaluator& evaluator, const std::vector<LevelId>& ids, const char* kind) {
    return parts_.share.evaluate(evaluator, ids, parts_.streams, stream + kind, half);
  };
  const Evaluation test = play(test_evaluator_ ? *test_evaluator_ : evaluator_, test_ids, "/test");
  done = 0.5;
  if (!test.is_complete) return std::nullopt;
  const Evaluation train = play(evaluator_, train_ids, "/train");
  if (!train.is_complete) return std::nullopt;
  run::EvalRecord record = {.update = progress.update,
                            .steps = progress.steps,
                            .episodes = num_episodes,
                            .stream = stream,
                            .behavior_version = run::kBehaviorVersion,
                            .test_return = test.mean_return(),
                            .test_error = test.standard_error(),
                            .test_success = test.success_rate(),
                            .test_length = test.mean_length(),
                            .train_return = train.mean_return(),
                            .train_error = train.standard_error(),
                            .train_success = train.success_rate(),
                            .train_length = train.mean_length(),
                            .gap = train.mean_return() - test.mean_return(),
                            .is_final = is_final};
  if (is_final) {
    for (const PlayedEpisode& e : test.episodes) record.test_returns.push_back(e.episode_return);
  }
  if (parts_.test_env != nullptr) record.test_levels = by_level(*parts_.test_env, test);
  return record;
}

}  // namespace plr::train
