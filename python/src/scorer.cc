// Bindings of EpisodeScorer: from arrays [T, N] of a rollout to results for a curriculum.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "numbers.h"
#include "plr/core/algorithms.h"
#include "rollout_scorer.h"
#include "settings.h"
#include "states.h"

namespace plr::python {
namespace {

RolloutScorer make_scorer(nb::handle num_envs, nb::handle rollout_length,
                          const nb::kwargs& settings) {
  EpisodeScorerConfig config;
  set_fields(settings, config);
  const auto positive = [](const char* name, nb::handle value) {
    const std::uint64_t number = whole_number(name, value);
    check_value(name, number, from_to(1, 1 << 20));  // more than any run has
    return static_cast<std::size_t>(number);
  };
  return {config, positive("num_envs", num_envs), positive("rollout_length", rollout_length)};
}

nb::dict results_of(const std::vector<EpisodeResult>& results) {
  std::vector<LevelId> levels;
  std::vector<double> scores;
  std::vector<double> returns;
  std::vector<std::uint8_t> finished;
  for (const EpisodeResult& result : results) {
    levels.push_back(result.level);
    scores.push_back(result.score);
    returns.push_back(result.episode_return);
    finished.push_back(result.is_finished ? 1 : 0);
  }
  nb::dict columns;
  columns["levels"] = to_numpy(std::move(levels));
  columns["scores"] = to_numpy(std::move(scores));
  columns["returns"] = to_numpy(std::move(returns));
  columns["finished"] = to_numpy(std::move(finished)).cast().attr("view")("bool");
  return columns;
}

// The caller's arrays of some steps, and a view of them.
struct Steps {
  Array<LevelId> levels;
  Array<double> rewards;
  Array<double> raw_rewards;
  Array<double> values;
  Array<bool> dones;
  Array<float> logits = {};
  Array<bool> autoresets = {};

  StepsView view(std::size_t num_steps) const {
    const bool has_logits = logits.data.is_valid();
    return {.num_steps = num_steps,
            .num_actions = has_logits ? logits.shape(logits.data.ndim() - 1) : 0,
            .levels = levels.span(),
            .rewards = rewards.span(),
            .raw_rewards = raw_rewards.span(),
            .values = values.span(),
            .dones = dones.span(),
            .logits = has_logits ? logits.span() : std::span<const float>(),
            .autoresets = autoresets.data.is_valid() ? autoresets.span() : std::span<const bool>()};
  }
};

// Arrays of `shape`: [any, N], or [N] for a single step.
Steps take_steps(const RolloutScorer& scorer, std::vector<std::size_t> shape, nb::handle levels,
                 nb::handle rewards, nb::handle values, nb::handle dones, nb::handle logits,
                 nb::handle raw_rewards, nb::handle autoresets) {
  const auto ids = take<LevelId>("levels", levels, shape);
  shape[0] = ids.shape(0);
  const auto scaled = take<double>("rewards", rewards, shape);
  Steps steps{.levels = ids,
              .rewards = scaled,
              .raw_rewards =
                  raw_rewards.is_none() ? scaled : take<double>("raw_rewards", raw_rewards, shape),
              .values = take<double>("values", values, shape),
              .dones = take<bool>("dones", dones, shape)};
  if (!autoresets.is_none()) steps.autoresets = take<bool>("autoresets", autoresets, shape);
  if (!logits.is_none()) {
    shape.push_back(kAny);
    steps.logits = take<float>("logits", logits, shape);
    if (steps.logits.shape(shape.size() - 1) == 0) {
      throw std::invalid_argument("logits must have at least one action, not 0");
    }
  } else if (scorer.needs_logits()) {
    throw std::invalid_argument("score_function " + to_text(scorer.config().score_function) +
                                " needs the policy's logits [T, N, A]");
  }
  return steps;
}

nb::dict score(RolloutScorer& scorer, nb::handle levels, nb::handle rewards, nb::handle values,
               nb::handle dones, nb::handle next_values, nb::handle logits, nb::handle raw_rewards,
               nb::handle autoresets) {
  const std::size_t n = scorer.num_slots();
  const Steps steps = take_steps(scorer, {kAny, n}, levels, rewards, values, dones, logits,
                                 raw_rewards, autoresets);
  const auto last = take<float>("next_values", next_values, {n});
  RolloutScorer::check_next(last.span());
  std::vector<EpisodeResult> results;
  scorer.add(steps.view(steps.levels.shape(0)), results);
  scorer.end_rollout(last.span(), results);
  return results_of(results);
}

nb::dict step(RolloutScorer& scorer, nb::handle levels, nb::handle rewards, nb::handle values,
              nb::handle dones, nb::handle logits, nb::handle raw_rewards, nb::handle autoresets) {
  const Steps steps = take_steps(scorer, {scorer.num_slots()}, levels, rewards, values, dones,
                                 logits, raw_rewards, autoresets);
  std::vector<EpisodeResult> results;
  scorer.add(steps.view(1), results);
  return results_of(results);
}

nb::dict end_rollout(RolloutScorer& scorer, nb::handle next_values) {
  const auto last = take<float>("next_values", next_values, {scorer.num_slots()});
  std::vector<EpisodeResult> results;
  scorer.end_rollout(last.span(), results);
  return results_of(results);
}

}  // namespace

void bind_scorer(nb::module_& module) {
  static const std::string doc =
      "Computes the scores of levels from rollouts.\n\n"
      "    scorer = plr.EpisodeScorer(num_envs=64, rollout_length=128)\n"
      "    replay.record_batch(**scorer.score(levels, rewards, values, dones, next_values))\n\n" +
      settings_help<EpisodeScorerConfig>();
  static const std::string signature =
      init_signature<EpisodeScorerConfig>("num_envs: int, rollout_length: int, *");
  nb::class_<RolloutScorer> type(module, "EpisodeScorer", doc.c_str());
  bind_state_dict(type);
  type.def(
          "__init__",
          [](RolloutScorer* self, nb::handle num_envs, nb::handle rollout_length,
             const nb::kwargs& settings) {
            new (self) RolloutScorer(make_scorer(num_envs, rollout_length, settings));
          },
          "num_envs"_arg, "rollout_length"_arg, "settings"_arg, nb::sig(signature.c_str()))
      .def("score", &score, "levels"_arg, "rewards"_arg, "values"_arg, "dones"_arg,
           "next_values"_arg, "logits"_arg = nb::none(), "raw_rewards"_arg = nb::none(),
           "autoresets"_arg = nb::none(),
           nb::sig("def score(self, levels: numpy.typing.ArrayLike, rewards: "
                   "numpy.typing.ArrayLike, values: numpy.typing.ArrayLike, dones: "
                   "numpy.typing.ArrayLike, next_values: numpy.typing.ArrayLike, logits: "
                   "numpy.typing.ArrayLike | None = None, raw_rewards: numpy.typing.ArrayLike | "
                   "None = None, autoresets: numpy.typing.ArrayLike | None = None) -> dict[str, "
                   "numpy.typing.NDArray[typing.Any]]"),
           "Scores a rollout of T <= rollout_length steps of N environments.  Returns levels, "
           "scores, returns and finished, one entry per result.\n\n"
           "levels, rewards, values, dones: [T, N]; dones[t] means that step t ended the episode\n"
           "next_values: [N], the values of the observations after the last step\n"
           "logits: [T, N, A], for score functions of the policy\n"
           "raw_rewards: [T, N], if `rewards` are normalized and returns are needed\n"
           "autoresets: [T, N], for AutoresetMode.NEXT_STEP: step t only started the next episode "
           "and is not scored\n\n"
           "Unfinished episodes continue in the next call; their steps so far give an unfinished "
           "result, unless open_episodes is stitch.")
      .def("step", &step, "levels"_arg, "rewards"_arg, "values"_arg, "dones"_arg,
           "logits"_arg = nb::none(), "raw_rewards"_arg = nb::none(), "autoresets"_arg = nb::none(),
           nb::sig("def step(self, levels: numpy.typing.ArrayLike, rewards: "
                   "numpy.typing.ArrayLike, values: numpy.typing.ArrayLike, dones: "
                   "numpy.typing.ArrayLike, logits: numpy.typing.ArrayLike | None = None, "
                   "raw_rewards: numpy.typing.ArrayLike | None = None, autoresets: "
                   "numpy.typing.ArrayLike | None = None) -> dict[str, "
                   "numpy.typing.NDArray[typing.Any]]"),
           "Scores one step, arrays [N], for trainers that record a score before the next level is "
           "drawn.  Call end_rollout() after the last step of a rollout.")
      .def("end_rollout", &end_rollout, "next_values"_arg,
           nb::sig("def end_rollout(self, next_values: numpy.typing.ArrayLike) -> dict[str, "
                   "numpy.typing.NDArray[typing.Any]]"),
           "Ends a rollout and returns the results that are due.  next_values: [N], the values of "
           "the observations after the last step.")
      .def_prop_ro("num_envs", &RolloutScorer::num_slots)
      .def_prop_ro("rollout_length", &RolloutScorer::rollout_length)
      .def_prop_ro(
          "settings", [](const RolloutScorer& self) { return settings_of(self.config()); },
          nb::sig("def settings(self) -> dict[str, typing.Any]"))
      .def_static(
          "released_code", [] { return settings_of(released_code<EpisodeScorerConfig>()); },
          nb::sig("def released_code() -> dict[str, typing.Any]"),
          "The settings of the code that the paper's authors released.")
      .def(
          "__getstate__",
          [](const RolloutScorer& self) {
            return nb::make_tuple(self.num_slots(), self.rollout_length(),
                                  settings_of(self.config()), bytes_of(self));
          },
          nb::sig(kGetStateSignature))
      .def(
          "__setstate__",
          [](RolloutScorer& self, const nb::tuple& state) {
            const nb::kwargs given = settings_in(state, 4, 2);
            RolloutScorer made = make_scorer(state[0], state[1], given);
            load_bytes(state[3], made);
            new (&self) RolloutScorer(std::move(made));
          },
          nb::sig(kSetStateSignature));
}

}  // namespace plr::python
