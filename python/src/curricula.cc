// Bindings of LevelReplay, Uniform and Tscl: their common functions, and those of only some.
// Arguments are taken as handles, so that a wrong type gets a message that names the argument.
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
#include "handles.h"
#include "numbers.h"
#include "plr/core/algorithms.h"
#include "plr/core/curriculum.h"
#include "plr/core/level_replay.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"
#include "settings.h"
#include "states.h"

namespace plr::python {
namespace {

// ---- common functions ------------------------------------------------------------------------

constexpr std::uint64_t kMostDraws = 1ULL << 32;  // at once

Column<LevelId> next_batch(CurriculumHandle& self, nb::handle count) {
  std::vector<LevelId> levels(whole_from("count", count, kMostDraws));
  Curriculum& curriculum = self.use();
  for (LevelId& level : levels) level = curriculum.next();
  return to_numpy(std::move(levels));
}

Column<LevelId> first(CurriculumHandle& self, nb::handle count) {
  return to_numpy(self.use().first(whole_from("count", count, kMostDraws)));
}

void record(CurriculumHandle& self, nb::handle level, nb::handle score, nb::handle episode_return) {
  self.use().record({.level = whole_from("level", level),
                     .score = number_from("score", score),
                     .episode_return = number_from("episode_return", episode_return)});
}
constexpr const char* kRecordHelp =
    "Records a finished episode: its score, and the sum of its raw rewards.";
constexpr const char* kRecordSignature =
    "def record(self, level: int, score: float, episode_return: float = 0.0) -> None";
constexpr const char* kRecordWithDefaultSignature =
    "def record(self, level: int, score: float = 0.0, episode_return: float = 0.0) -> None";
constexpr const char* kChooseSignature = "def choose(self, level: int) -> None";

void record_batch(CurriculumHandle& self, nb::handle levels, nb::handle scores, nb::handle returns,
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
  Curriculum& curriculum = self.use();
  for (const EpisodeResult& result : results) curriculum.record(result);
}

template <class Value, class Get>
Column<Value> column(const std::vector<LevelWeight>& weights, Get get) {
  std::vector<Value> values(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) values[i] = get(weights[i]);
  return to_numpy(std::move(values));
}

nb::dict scores_of(const CurriculumHandle& self) {
  nb::dict scores;
  for (const LevelWeight& w : self.look().weights()) {
    if (w.is_scored) scores[nb::int_(w.level)] = w.score;
  }
  return scores;
}

void bind_base(nb::module_& module) {
  nb::class_<CurriculumHandle> type(
      module, "Curriculum",
      "Base class of the level samplers: chooses levels and records the results of episodes.");
  bind_state_dict(type);
  type.def(
          "next", [](CurriculumHandle& self) { return self.use().next(); },
          "The level of the next episode.")
      .def("next_batch", &next_batch, "count"_arg,
           nb::sig("def next_batch(self, count: int) -> numpy.typing.NDArray[numpy.uint64]"),
           "The levels of the next `count` episodes.")
      .def("first", &first, "count"_arg,
           nb::sig("def first(self, count: int) -> numpy.typing.NDArray[numpy.uint64]"),
           "The first levels of `count` environments; call it once, before next().")
      .def("record", &record, "level"_arg, "score"_arg, "episode_return"_arg = 0.0,
           nb::sig(kRecordSignature), kRecordHelp)
      .def("record_batch", &record_batch, "levels"_arg, "scores"_arg, "returns"_arg = nb::none(),
           "finished"_arg = nb::none(),
           nb::sig("def record_batch(self, levels: numpy.typing.ArrayLike, scores: "
                   "numpy.typing.ArrayLike, returns: numpy.typing.ArrayLike | None = None, "
                   "finished: numpy.typing.ArrayLike | None = None) -> None"),
           "Records several episodes in order; takes the results of EpisodeScorer.score.  If one "
           "is refused, those before it are recorded.")
      .def(
          "weights",
          [](const CurriculumHandle& self) { return weight_table(self.look().weights()); },
          nb::sig("def weights(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "The levels that may be replayed, as columns: level, probability, score, staleness, "
          "is_scored.")
      .def("scores", &scores_of, nb::sig("def scores(self) -> dict[int, float]"),
           "The score of every level that has one.");
}

// ---- the classes -----------------------------------------------------------------------------

template <class T>
using OwnedCurriculum = Owned<T, Curriculum>;

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

// Refuses to pickle a curriculum into a process that multiprocessing is starting: it would be a
// copy, like that of a fork.
void check_not_spawning(const char* name) {
  const nb::object spawning =
      nb::module_::import_("multiprocessing.context").attr("get_spawning_popen")();
  if (!spawning.is_none()) throw std::runtime_error(worker_refusal(name));
}

// Pickles a curriculum as the arguments of its constructor and its state.
template <class T, class... Configs>
nb::class_<OwnedCurriculum<T>, CurriculumHandle> bind_curriculum(
    nb::module_& module, const char* name, const std::string& help,
    T (*make)(nb::handle, nb::handle, const nb::kwargs&), nb::dict (*settings)(const T&)) {
  using Handle = OwnedCurriculum<T>;
  static const std::string doc = help + "\n\n" + settings_help<Configs...>();
  static const std::string signature =
      init_signature<Configs...>("levels: " + std::string(kLevelsType) + ", *, seed: int = 1");
  nb::class_<Handle, CurriculumHandle> type(module, name, doc.c_str());
  type.def(
          "__init__",
          [name, make](Handle* self, nb::handle levels, nb::handle seed, const nb::kwargs& given) {
            new (self) Handle(name, make(levels, seed, given));
          },
          "levels"_arg, nb::kw_only(), "seed"_arg = 1, "settings"_arg, nb::sig(signature.c_str()))
      .def_prop_ro("levels", [](const Handle& self) { return self.look().levels(); })
      .def_prop_ro(
          "settings", [settings](const Handle& self) { return settings(self.look()); },
          nb::sig("def settings(self) -> dict[str, typing.Any]"),
          "All settings, with their values.")
      .def(
          "__getstate__",
          [name, settings](const Handle& self) {
            check_not_spawning(name);
            return nb::make_tuple(self.look().levels(), settings(self.look()), bytes_of(self));
          },
          nb::sig(kGetStateSignature))
      .def(
          "__setstate__",
          [name, make](Handle& self, const nb::tuple& state) {
            const nb::kwargs given = settings_in(state, 3, 1);
            T made = make(state[0], nb::int_(1), given);
            load_bytes(state[2], made);
            new (&self) Handle(name, std::move(made));
          },
          nb::sig(kSetStateSignature));
  return type;
}

void bind_replay(nb::module_& module) {
  using Replay = OwnedCurriculum<LevelReplay>;
  bind_curriculum<LevelReplay, LevelReplayConfig>(
      module, "LevelReplay",
      "Prioritized Level Replay: draws levels by their learning potential, mixed with levels that "
      "have not been played for long.",
      &make_replay, &settings_of_replay)
      .def(
          "choose",
          [](Replay& self, nb::handle level) { self.use().choose(whole_from("level", level)); },
          "level"_arg, nb::sig(kChooseSignature),
          "Notes that this level is played next, for callers that choose levels themselves.")
      .def_prop_ro(
          "replay_probability", [](const Replay& self) { return self.look().replay_probability(); },
          "The probability that the next draw is a replay.")
      .def_prop_ro("num_draws", [](const Replay& self) { return self.look().num_draws(); })
      .def_prop_ro(
          "num_seen", [](const Replay& self) { return self.look().num_seen(); },
          "The number of levels that can be replayed.")
      .def_static(
          "released_code", [] { return settings_of(released_code<LevelReplayConfig>()); },
          nb::sig("def released_code() -> dict[str, typing.Any]"),
          "The settings of the code that the paper's authors released.");
}

void bind_uniform(nb::module_& module) {
  using Handle = OwnedCurriculum<Uniform>;
  bind_curriculum<Uniform, StartConfig>(module, "Uniform",
                                        "The baseline: every level is equally likely.",
                                        &make_uniform, &settings_of_uniform)
      .def("record", &record, "level"_arg, "score"_arg = 0.0, "episode_return"_arg = 0.0,
           nb::sig(kRecordWithDefaultSignature), kRecordHelp)
      .def(
          "choose",
          [](const Handle& self, nb::handle level) {
            check_result({.level = whole_from("level", level)}, self.look().levels());
          },
          "level"_arg, nb::sig(kChooseSignature),
          "Checks that the level is in the set; has no other effect.");
}

void bind_tscl(nb::module_& module) {
  using Handle = OwnedCurriculum<Tscl>;
  bind_curriculum<Tscl, TsclConfig, StartConfig>(
      module, "Tscl", "TSCL-Window: draws levels by the rate at which their returns change.",
      &make_tscl, &settings_of_tscl)
      .def("record", &record, "level"_arg, "score"_arg = 0.0, "episode_return"_arg = 0.0,
           nb::sig(kRecordWithDefaultSignature), kRecordHelp)
      .def(
          "choose",
          [](Handle& self, nb::handle level) { self.use().choose(whole_from("level", level)); },
          "level"_arg, nb::sig(kChooseSignature), "Notes that this level is played next.")
      .def(
          "progress",
          [](const Handle& self, nb::handle level) {
            return self.look().progress(whole_from("level", level));
          },
          "level"_arg, nb::sig("def progress(self, level: int) -> float"),
          "The slope of the level's returns.")
      .def_prop_ro("num_draws", [](const Handle& self) { return self.look().num_draws(); });
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
  module.def(
      "worker_refusal", [](nb::handle type) { return worker_refusal(text_from("type", type)); },
      "type"_arg, nb::sig("def worker_refusal(type: str) -> str"),
      "The message that refuses to send a sampler of this type to a worker process.");
}

}  // namespace plr::python
