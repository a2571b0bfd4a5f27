// Recorded runs of the paper's definitions and of the released code, event by event.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plr/core/algorithms.h"
#include "plr/core/episode_scorer.h"
#include "plr/core/level_replay.h"
#include "tests/support/golden.h"

namespace plr {
namespace {

using nlohmann::json;
using testing::golden_lines;

constexpr double kExact = 1e-12;

Random any_stream() { return Streams(0).named("levels"); }

// P_replay of the next draw by level, 0 for those that are not seen.
std::vector<double> by_level(const LevelReplay& replay, std::size_t num_levels) {
  std::vector<double> p(num_levels, 0.0);
  for (const LevelWeight& w : replay.weights()) p.at(w.level) = w.probability;
  return p;
}

void expect_near(const std::vector<double>& found, const json& expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i].get<double>(), tolerance) << what << " of " << i;
  }
}

// ---- the paper's definitions, finite sets
// --------------------------------------------------------

LevelReplayConfig paper_config(const json& cfg) {
  return {.transform = enum_from<Transform>("transform", cfg.at("transform").get<std::string>()),
          .temperature = cfg.at("beta"),
          .staleness_coef = cfg.at("rho"),
          .smoothing = cfg.value("alpha", 1.0),
          .schedule = enum_from<ReplaySchedule>("schedule", cfg.value("schedule", "fixed")),
          .replay_probability = cfg.contains("nu") ? 1 - cfg.at("nu").get<double>()
                                                   : cfg.at("p_replay").get<double>(),
          .warmup_fraction = cfg.at("warmup"),
          .buffer_size = cfg.value("M", std::uint64_t{1})};
}

void expect_state(const LevelReplay& replay, const json& event) {
  const std::vector<LevelWeight> weights = replay.weights();
  std::vector<LevelId> seen_order;
  for (const LevelWeight& w : weights) {
    seen_order.push_back(w.level);
    ASSERT_EQ(w.is_scored, event.at("scored").at(w.level).get<int>() != 0);
    ASSERT_NEAR(w.score, event.at("S").at(w.level).get<double>(), kExact);
    const double timestamp = static_cast<double>(replay.num_draws() + 1) - w.staleness;
    ASSERT_EQ(timestamp, event.at("C").at(w.level).get<double>());
  }
  ASSERT_EQ(seen_order, event.at("seen_order").get<std::vector<LevelId>>());
}

void follow_paper_trace(const json& trace) {
  const std::size_t num_levels = trace.at("cfg").at("levels");
  const std::size_t num_slots = trace.at("actors");
  LevelReplay replay(LevelSet::range(0, num_levels), paper_config(trace.at("cfg")), any_stream());
  // With least confidence the score is the mean of the given numbers.
  EpisodeScorer scorer(
      {.score_function = ScoreFunction::kLeastConfidence, .open_episodes = OpenEpisodes::kStitch},
      num_slots, trace.at("T").get<std::size_t>());
  const std::vector<float> no_values(num_slots, 0.0F);
  for (std::size_t i = 0; i < trace.at("events").size(); ++i) {
    const json& event = trace.at("events")[i];
    const std::string op = event.at("op");
    SCOPED_TRACE("event " + std::to_string(i) + ": " + op);
    if (op == "choose") {
      replay.choose(event.at("level"));
      scorer.begin(event.at("actor"), event.at("level"));
    } else if (op == "segment") {
      for (const double x : event.at("x")) scorer.step(event.at("actor"), 0, 0, x);
    } else if (op == "end") {
      scorer.end(event.at("actor"), 0);
      scorer.drain([&](const EpisodeResult& result) {
        ASSERT_EQ(result.level, event.at("level").get<LevelId>());
        replay.record(result);
      });
      for (const LevelWeight& w : replay.weights()) {
        if (w.level != event.at("level").get<LevelId>()) continue;
        ASSERT_NEAR(w.score, event.at("S").get<double>(), kExact);
      }
    } else {
      scorer.end_rollout(no_values);
      expect_state(replay, event);
    }
    ASSERT_EQ(replay.num_draws(), event.at("c").get<std::int64_t>());
    if (event.contains("seen")) {
      ASSERT_EQ(replay.num_seen(), event.at("seen").get<std::size_t>());
    }
    if (event.contains("PD_next")) {
      ASSERT_NEAR(replay.replay_probability(), event.at("PD_next").get<double>(), kExact);
    }
    if (event.contains("P_next")) {
      expect_near(by_level(replay, num_levels), event.at("P_next"), kExact, "P_next");
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(LevelReplay, FollowsThePaperInGoldenTraces) {
  for (const json& trace : golden_lines("sampler/sampler_paper_traces.jsonl.gz")) {
    ASSERT_NO_FATAL_FAILURE(follow_paper_trace(trace)) << trace.at("case") << trace.at("cfg");
  }
}

// ---- the paper's definitions, streams
// ------------------------------------------------------------

void follow_paper_buffer(const json& trace) {
  LevelReplay replay(LevelSet::stream(0, 1ULL << 63), paper_config(trace.at("cfg")), any_stream());
  for (std::size_t i = 0; i < trace.at("events").size(); ++i) {
    const json& event = trace.at("events")[i];
    SCOPED_TRACE("event " + std::to_string(i) + ": " + event.dump());
    if (event.at("op") == "choose") {
      replay.choose(event.at("level"));
    } else {
      replay.record({.level = event.at("level"), .score = event.at("score")});
    }
    ASSERT_EQ(replay.num_draws(), event.at("c").get<std::int64_t>());
    const std::vector<LevelWeight> weights = replay.weights();
    ASSERT_EQ(weights.size(), event.at("filled").get<std::size_t>());
    for (std::size_t slot = 0; slot < weights.size(); ++slot) {
      ASSERT_EQ(weights[slot].level, event.at("ids")[slot].get<LevelId>());
      ASSERT_NEAR(weights[slot].score, event.at("S")[slot].get<double>(), kExact);
      const double timestamp =
          static_cast<double>(replay.num_draws() + 1) - weights[slot].staleness;
      ASSERT_EQ(timestamp, event.at("C")[slot].get<double>());
      if (event.contains("P_next")) {
        ASSERT_NEAR(weights[slot].probability, event.at("P_next")[slot].get<double>(), kExact);
      }
    }
  }
}

TEST(LevelReplay, FollowsThePaperInGoldenBuffers) {
  for (const json& trace : golden_lines("sampler/sampler_paper_buffer.jsonl.gz")) {
    ASSERT_NO_FATAL_FAILURE(follow_paper_buffer(trace)) << trace.at("case") << trace.at("cfg");
  }
}

// ---- the released code
// ---------------------------------------------------------------------------

LevelReplayConfig released_config(const json& cfg) {
  LevelReplayConfig config = released_code<LevelReplayConfig>();
  std::string transform = cfg.at("transform");
  if (transform == "power") transform = "proportional";
  if (transform == "eps_greedy") transform = "epsilon-greedy";
  config.transform = enum_from<Transform>("transform", transform);
  config.temperature = cfg.at("temperature");
  config.staleness_coef = cfg.at("staleness_coef");
  config.schedule = enum_from<ReplaySchedule>("schedule", cfg.at("schedule").get<std::string>());
  config.warmup_fraction = cfg.at("warmup_fraction");
  config.replay_probability = 1 - cfg.at("nu").get<double>();
  config.smoothing = cfg.at("alpha");
  config.epsilon = cfg.at("eps");
  return config;
}

EpisodeScorerConfig released_scorer_config(const json& cfg, const json& rollouts) {
  EpisodeScorerConfig config = released_code<EpisodeScorerConfig>();
  config.score_function =
      enum_from<ScoreFunction>("score_function", cfg.at("strategy").get<std::string>());
  config.tail_row = cfg.at("tail_row");
  config.gamma = rollouts.at("gamma");
  config.gae_lambda = rollouts.at("lam");
  return config;
}

// One recorded run of the released code, replayed by two samplers: `own` records the scores of
// EpisodeScorer, which equal the released float32 ones to 1e-6; `given` records the recorded
// scores, so its probabilities must equal the recorded ones exactly.
class ReleasedRun {
 public:
  ReleasedRun(const json& run, const json& rollouts)
      : run_(run),
        rollouts_(rollouts),
        num_levels_(run.at("cfg").at("levels")),
        num_slots_(run.at("cfg").at("actors")),
        own_(LevelSet::range(0, num_levels_), released_config(run.at("cfg")), any_stream()),
        given_(LevelSet::range(0, num_levels_), unsmoothed(released_config(run.at("cfg"))),
               any_stream()),
        scorer_(released_scorer_config(run.at("cfg"), rollouts), num_slots_,
                rollouts.at("T").get<std::size_t>()) {}

  void follow() {
    playing_ = own_.first(num_slots_);
    ASSERT_EQ(playing_, given_.first(num_slots_));
    ASSERT_EQ(playing_, run_.at("initial_levels").get<std::vector<LevelId>>());
    for (std::size_t slot = 0; slot < num_slots_; ++slot) scorer_.begin(slot, playing_[slot]);
    for (std::size_t u = 0; u < run_.at("updates").size(); ++u) {
      SCOPED_TRACE("update " + std::to_string(u));
      ASSERT_NO_FATAL_FAILURE(play(run_.at("updates")[u], rollouts_.at("updates")[u]));
      ASSERT_NO_FATAL_FAILURE(finish(run_.at("updates")[u], rollouts_.at("updates")[u]));
    }
  }

 private:
  static LevelReplayConfig unsmoothed(LevelReplayConfig config) {
    config.smoothing = 1;
    return config;
  }

  void play(const json& update, const json& rollout) {
    std::size_t next_decision = 0;
    for (std::size_t t = 0; t < rollout.at("rewards").size(); ++t) {
      for (std::size_t slot = 0; slot < num_slots_; ++slot) {
        ASSERT_EQ(playing_[slot], update.at("ids")[t][slot].get<LevelId>());
        const auto log_probs = rollout.at("logp")[t][slot].get<std::vector<float>>();
        scorer_.step(slot, rollout.at("rewards")[t][slot].get<float>(),
                     rollout.at("values")[t][slot].get<float>(),
                     policy_term(released_scorer_config(run_.at("cfg"), rollouts_).score_function,
                                 log_probs));
        if (rollout.at("masks")[t + 1][slot].get<double>() == 0) scorer_.end(slot, 0);
      }
      const json& decisions = update.at("ev");
      while (next_decision < decisions.size() && decisions[next_decision][0] == t) {
        ASSERT_NO_FATAL_FAILURE(decide(decisions[next_decision++]));
      }
    }
  }

  // decision: [t, slot, level, P(replay), was replay, p of the level in that branch]
  void decide(const json& decision) {
    const std::size_t slot = decision[1];
    const LevelId level = decision[2];
    ASSERT_NEAR(given_.replay_probability(), decision[3].get<double>(), kExact);
    const bool is_replay = decision[4].get<int>() != 0;
    const double p = is_replay && given_.num_seen() > 0
                         ? by_level(given_, num_levels_)[level]
                         : 1 / static_cast<double>(num_levels_ - given_.num_seen());
    ASSERT_NEAR(p, decision[5].get<double>(), kExact);
    own_.choose(level);
    given_.choose(level);
    scorer_.begin(slot, level);
    playing_[slot] = level;
  }

  void finish(const json& update, const json& rollout) {
    scorer_.end_rollout(rollout.at("values").back().get<std::vector<float>>());
    std::vector<EpisodeResult> results;
    scorer_.drain([&](const EpisodeResult& result) { results.push_back(result); });
    for (const EpisodeResult& r : results) {
      if (r.is_finished) own_.record(r);
    }
    ASSERT_NO_FATAL_FAILURE(expect_scores(update.at("scores_mid"), update.at("seen_mid")));
    for (const EpisodeResult& r : results) {
      if (!r.is_finished) own_.record(r);
    }
    ASSERT_NO_FATAL_FAILURE(expect_scores(update.at("scores"), update.at("seen")));

    for (LevelId level = 0; level < num_levels_; ++level) {
      if (update.at("seen")[level].get<int>() == 0) continue;
      given_.record({.level = level, .score = update.at("scores")[level]});
    }
    expect_near(by_level(given_, num_levels_), update.at("weights"), kExact, "weight");
    const bool has_staleness = run_.at("cfg").at("staleness_coef").get<double>() > 0;
    for (const LevelWeight& w : given_.weights()) {
      if (!has_staleness) break;  // the released code does not count then
      ASSERT_EQ(w.staleness, update.at("staleness")[w.level].get<double>());
    }
  }

  void expect_scores(const json& scores, const json& seen) {
    std::vector<double> own(num_levels_, 0.0);
    std::vector<int> own_seen(num_levels_, 0);
    for (const LevelWeight& w : own_.weights()) {
      own[w.level] = w.score;
      own_seen[w.level] = 1;
    }
    ASSERT_EQ(own_seen, seen.get<std::vector<int>>());
    expect_near(own, scores, 1e-6, "score");
  }

  const json& run_;
  const json& rollouts_;
  std::size_t num_levels_;
  std::size_t num_slots_;
  LevelReplay own_;
  LevelReplay given_;
  EpisodeScorer scorer_;
  std::vector<LevelId> playing_;
};

TEST(LevelReplay, FollowsTheReleasedCodeInGoldenRuns) {
  const std::vector<json> rollout_sets = golden_lines("sampler/sampler_released_rollouts.jsonl.gz");
  for (const json& run : golden_lines("sampler/sampler_released_cases.jsonl.gz")) {
    const auto rollouts =
        std::find_if(rollout_sets.begin(), rollout_sets.end(),
                     [&](const json& set) { return set.at("id") == run.at("rollout_set"); });
    ASSERT_NE(rollouts, rollout_sets.end());
    ASSERT_NO_FATAL_FAILURE(ReleasedRun(run, *rollouts).follow())
        << run.at("case") << run.at("cfg");
  }
}

}  // namespace
}  // namespace plr
