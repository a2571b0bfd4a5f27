// Bindings of LevelReplay, Uniform and Tscl: their common functions, and those of only some.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "plr/core/algorithms.h"
#include "plr/core/curriculum.h"
#include "plr/core/level_replay.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"
#include "settings.h"
#include "states.h"

namespace plr::python {
namespace {

using nb::literals::operator""_a;

// ---- common functions ------------------------------------------------------------------------

Column<LevelId> next_batch(Curriculum& curriculum, std::size_t count) {
  std::vector<LevelId> levels(count);
  for (LevelId& level : levels) level = curriculum.next();
  return to_numpy(std::move(levels));
}

void record(Curriculum& curriculum, LevelId level, double score, double episode_return) {
  curriculum.record({.level = level, .score = score, .episode_return = episode_return});
}
constexpr const char* kRecordHelp =
    "Records a finished episode: its score, and the sum of its raw rewards.";

void record_batch(Curriculum& curriculum, nb::handle levels, nb::handle scores, nb::handle returns,
                  nb::handle finished) {
  const auto ids = take<LevelId>("levels", levels, {kAny});
  const std::size_t count = ids.shape(0);
  const auto values = take<double>("scores", scores, {count});
  std::vector<EpisodeResult> results(count);
  for (std::size_t i = 0; i < count; ++i) {
    results[i] = {.level = ids.span()[i], .score = values.span()[i]};
  }
  if (!returns.is_none()) {
    const auto sums = take<double>("returns", returns, {count});
    for (std::size_t i = 0; i < count; ++i) results[i].episode_return = sums.span()[i];
  }
  if (!finished.is_none()) {
    const auto ends = take<bool>("finished", finished, {count});
    for (std::size_t i = 0; i < count; ++i) results[i].is_finished = ends.span()[i];
  }
  for (const EpisodeResult& result : results) curriculum.record(result);
}

template <class Value, class Get>
Column<Value> column(const std::vector<LevelWeight>& weights, Get get) {
  std::vector<Value> values(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) values[i] = get(weights[i]);
  return to_numpy(std::move(values));
}

nb::dict scores_of(const Curriculum& curriculum) {
  nb::dict scores;
  for (const LevelWeight& w : curriculum.weights()) {
    if (w.is_scored) scores[nb::int_(w.level)] = w.score;
  }
  return scores;
}

void bind_base(nb::module_& module) {
  nb::class_<Curriculum> type(
      module, "Curriculum",
      "Base class of the level samplers: chooses levels and records the results of episodes.");
  bind_state_dict(type);
  type.def("next", &Curriculum::next, "The level of the next episode.")
      .def("next_batch", &next_batch, "count"_a, "The levels of the next `count` episodes.")
      .def(
          "first", [](Curriculum& self, std::size_t count) { return to_numpy(self.first(count)); },
          "count"_a, "The first levels of `count` environments; call it once, before next().")
      .def("record", &record, "level"_a, "score"_a, "episode_return"_a = 0.0, kRecordHelp)
      .def("record_batch", &record_batch, "levels"_a, "scores"_a, "returns"_a = nb::none(),
           "finished"_a = nb::none(),
           nb::sig("def record_batch(self, levels: numpy.typing.ArrayLike, scores: "
                   "numpy.typing.ArrayLike, returns: numpy.typing.ArrayLike | None = None, "
                   "finished: numpy.typing.ArrayLike | None = None) -> None"),
           "Records several episodes in order; takes the results of EpisodeScorer.score.  If one "
           "is refused, those before it are recorded.")
      .def(
          "weights", [](const Curriculum& self) { return weight_table(self.weights()); },
          nb::sig("def weights(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "The levels that may be replayed, as columns: level, probability, score, staleness, "
          "is_scored.")
      .def("scores", &scores_of, nb::sig("def scores(self) -> dict[int, float]"),
           "The score of every level that has one.");
}

// ---- the classes -----------------------------------------------------------------------------

constexpr const char* kInitSignature =
    "def __init__(self, levels: int | range | LevelSet | collections.abc.Sequence[int] | "
    "numpy.typing.NDArray[typing.Any], *, seed: int = 1, **settings: bool | float | str) -> None";

LevelReplay make_replay(nb::handle levels, nb::handle seed, const nb::kwargs& settings) {
  LevelReplayConfig config;
  set_fields(settings, config);
  return {levels_from(levels), config, stream_of(seed)};
}

Uniform make_uniform(nb::handle levels, nb::handle seed, const nb::kwargs& settings) {
  StartConfig start;
  set_fields(settings, start);
  return {levels_from(levels), stream_of(seed), start};
}

Tscl make_tscl(nb::handle levels, nb::handle seed, const nb::kwargs& settings) {
  TsclConfig config;
  StartConfig start;
  set_fields(settings, config, start);
  return {levels_from(levels), config, stream_of(seed), start};
}

nb::dict settings_of_replay(const LevelReplay& replay) { return settings_of(replay.config()); }
nb::dict settings_of_uniform(const Uniform& uniform) { return settings_of(uniform.start()); }
nb::dict settings_of_tscl(const Tscl& tscl) { return settings_of(tscl.config(), tscl.start()); }

// Pickles a curriculum as the arguments of its constructor and its state.
template <class T>
void bind_curriculum(nb::class_<T, Curriculum>& type,
                     T (*make)(nb::handle, nb::handle, const nb::kwargs&),
                     nb::dict (*settings)(const T&)) {
  type.def(
          "__init__",
          [make](T* self, nb::handle levels, nb::handle seed, const nb::kwargs& given) {
            new (self) T(make(levels, seed, given));
          },
          "levels"_a, nb::kw_only(), "seed"_a = 1, "settings"_a, nb::sig(kInitSignature))
      .def_prop_ro("levels", [](const T& self) { return self.levels(); })
      .def_prop_ro("settings", settings,
                   nb::sig("def settings(self) -> dict[str, bool | float | str]"),
                   "All settings, with their values.")
      .def(
          "__getstate__",
          [settings](const T& self) {
            return nb::make_tuple(self.levels(), settings(self), bytes_of(self));
          },
          nb::sig(kGetStateSignature))
      .def(
          "__setstate__",
          [make](T& self, const nb::tuple& state) {
            const nb::kwargs given = settings_in(state, 3, 1);
            T made = make(state[0], nb::int_(1), given);
            load_bytes(state[2], made);
            new (&self) T(std::move(made));
          },
          nb::sig(kSetStateSignature));
}

void bind_replay(nb::module_& module) {
  static const std::string doc =
      "Prioritized Level Replay: draws levels by their learning potential, mixed with levels that "
      "have not been played for long.\n\n" +
      settings_help<LevelReplayConfig>();
  nb::class_<LevelReplay, Curriculum> type(module, "LevelReplay", doc.c_str());
  bind_curriculum(type, &make_replay, &settings_of_replay);
  type.def("choose", &LevelReplay::choose, "level"_a,
           "Notes that this level is played next, for callers that choose levels themselves.")
      .def_prop_ro("replay_probability", &LevelReplay::replay_probability,
                   "The probability that the next draw is a replay.")
      .def_prop_ro("num_draws", &LevelReplay::num_draws)
      .def_prop_ro("num_seen", &LevelReplay::num_seen, "The number of levels that can be replayed.")
      .def_static(
          "released_code", [] { return settings_of(released_code<LevelReplayConfig>()); },
          nb::sig("def released_code() -> dict[str, typing.Any]"),
          "The settings of the code that the paper's authors released.");
}

void bind_uniform(nb::module_& module) {
  static const std::string doc =
      "The baseline: every level is equally likely.\n\n" + settings_help<StartConfig>();
  nb::class_<Uniform, Curriculum> type(module, "Uniform", doc.c_str());
  bind_curriculum(type, &make_uniform, &settings_of_uniform);
  type.def("record", &record, "level"_a, "score"_a = 0.0, "episode_return"_a = 0.0, kRecordHelp)
      .def(
          "choose",
          [](const Uniform& self, LevelId level) { check_result({.level = level}, self.levels()); },
          "level"_a, "Checks that the level is in the set; has no other effect.");
}

void bind_tscl(nb::module_& module) {
  static const std::string doc =
      "TSCL-Window: draws levels by the rate at which their returns change.\n\n" +
      settings_help<TsclConfig, StartConfig>();
  nb::class_<Tscl, Curriculum> type(module, "Tscl", doc.c_str());
  bind_curriculum(type, &make_tscl, &settings_of_tscl);
  type.def("record", &record, "level"_a, "score"_a = 0.0, "episode_return"_a = 0.0, kRecordHelp)
      .def("choose", &Tscl::choose, "level"_a, "Notes that this level is played next.")
      .def("progress", &Tscl::progress, "level"_a, "The slope of the level's returns.")
      .def_prop_ro("num_draws", &Tscl::num_draws);
}

}  // namespace

Random stream_of(nb::handle seed) { return Streams(whole_number("seed", seed)).named("levels"); }

nb::dict weight_table(const std::vector<LevelWeight>& weights) {
  nb::dict table;
  table["level"] = column<LevelId>(weights, [](const LevelWeight& w) { return w.level; });
  table["probability"] =
      column<double>(weights, [](const LevelWeight& w) { return w.probability; });
  table["score"] = column<double>(weights, [](const LevelWeight& w) { return w.score; });
  table["staleness"] = column<double>(weights, [](const LevelWeight& w) { return w.staleness; });
  std::vector<std::uint8_t> scored(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) scored[i] = weights[i].is_scored ? 1 : 0;
  table["is_scored"] = to_numpy(std::move(scored)).cast().attr("view")("bool");
  return table;
}

void bind_curricula(nb::module_& module) {
  bind_base(module);
  bind_replay(module);
  bind_uniform(module);
  bind_tscl(module);
}

}  // namespace plr::python
