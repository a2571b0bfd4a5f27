// Bindings of the curricula that decide per rollout: LevelStore, LevelBuffer, RolloutReplay, Sfl
// and score_rollout.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "handles.h"
#include "numbers.h"
#include "plr/catalog/make_env.h"
#include "plr/core/level_buffer.h"
#include "plr/core/level_store.h"
#include "plr/core/rollout_replay.h"
#include "plr/core/rollout_scores.h"
#include "plr/core/sfl.h"
#include "settings.h"
#include "states.h"

namespace plr::python {
namespace {

// ---- LevelStore --------------------------------------------------------------------------------

std::span<const std::byte> as_span(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

void bind_store(nb::module_& module) {
  nb::class_<LevelStore> type(
      module, "LevelStore",
      "Levels that are data, such as edited mazes, behind ids from 2^63 on.  Equal levels have "
      "equal ids.");
  bind_state_dict(type);
  type.def(nb::init<>())
      .def(
          "add",
          [](LevelStore& self, nb::handle level) {
            if (!nb::isinstance<nb::bytes>(level)) refuse_type("level", "bytes", level);
            return self.add(as_span(nb::borrow<nb::bytes>(level)));
          },
          "level"_arg, nb::sig("def add(self, level: bytes) -> int"), "The id of a level.")
      .def(
          "bytes",
          [](const LevelStore& self, nb::handle id) {
            const std::vector<std::byte> bytes = self.bytes(whole_from("id", id));
            return nb::bytes(bytes.data(), bytes.size());
          },
          "id"_arg, nb::sig("def bytes(self, id: int) -> builtins.bytes"), "The level of an id.")
      .def(
          "keep",
          [](LevelStore& self, nb::handle ids) {
            self.keep(take<LevelId>("ids", ids, {kAny}).span());
          },
          "ids"_arg, nb::sig("def keep(self, ids: numpy.typing.ArrayLike) -> None"),
          "Drops all levels that are not among the ids.")
      .def("__len__", &LevelStore::size)
      .def(
          "__contains__",
          [](const LevelStore& self, nb::handle id) { return self.contains(whole_from("id", id)); },
          "id"_arg, nb::sig("def __contains__(self, id: int) -> bool"));
}

// ---- Scores ------------------------------------------------------------------------------------

// The results of a rollout, one per environment.
struct RolloutResults {
  std::vector<RolloutResult> results;

  template <class Value, class Get>
  Column<Value> column(Get get) const {
    std::vector<Value> values;
    for (const RolloutResult& result : results) values.push_back(get(result));
    return to_numpy(std::move(values));
  }
};

RolloutResults score(nb::handle rewards, nb::handle values, nb::handle dones,
                     nb::handle next_values, nb::handle best_returns, nb::handle gamma,
                     nb::handle gae_lambda) {
  const auto paid = take<float>("rewards", rewards, {kAny, kAny});
  const std::size_t num_steps = paid.shape(0);
  const std::size_t num_slots = paid.shape(1);
  const auto estimates = take<float>("values", values, {num_steps, num_slots});
  const auto ends = take<bool>("dones", dones, {num_steps, num_slots});
  const auto last = take<float>("next_values", next_values, {num_slots});
  std::vector<double> best(num_slots, 0.0);
  if (!best_returns.is_none()) {
    const auto given = take<double>("best_returns", best_returns, {num_slots});
    best.assign(given.span().begin(), given.span().end());
  }
  std::vector<float> all(estimates.span().begin(), estimates.span().end());
  all.insert(all.end(), last.span().begin(), last.span().end());
  const std::vector<std::uint8_t> done(ends.span().begin(), ends.span().end());
  const double discount = number_from("gamma", gamma);
  const double lambda = number_from("gae_lambda", gae_lambda);
  RolloutResults scored{std::vector<RolloutResult>(num_slots)};
  score_rollout({.num_slots = num_slots, .rewards = paid.span(), .values = all, .done = done},
                {.gamma = discount, .lambda = lambda}, best, scored.results);
  return scored;
}

void bind_scores(nb::module_& module) {
  nb::class_<RolloutResults> type(
      module, "RolloutResults",
      "The results of a rollout on one level per environment, as columns.");
  const auto add = [&]<class Get>(const char* name, Get get) {
    using Value = std::invoke_result_t<Get, const RolloutResult&>;
    type.def_prop_ro(
        name, [get](const RolloutResults& self) { return self.column<Value>(get); },
        nb::rv_policy::automatic);
  };
  add("episodes", [](const RolloutResult& r) { return r.episodes; });
  add("successes", [](const RolloutResult& r) { return r.successes; });
  add("best_return", [](const RolloutResult& r) { return r.best_return; });
  add("mean_return", [](const RolloutResult& r) { return r.mean_return; });
  add("success_rate", [](const RolloutResult& r) { return r.success_rate(); });
  add("max_mc", [](const RolloutResult& r) { return r.score(RolloutScore::kMaxMc); });
  add("positive_value_loss",
      [](const RolloutResult& r) { return r.score(RolloutScore::kPositiveValueLoss); });
  add("value_l1", [](const RolloutResult& r) { return r.score(RolloutScore::kValueL1); });
  add("learnability", [](const RolloutResult& r) { return r.score(RolloutScore::kLearnability); });
  type.def("__len__", [](const RolloutResults& self) { return self.results.size(); });
  module.def(
      "score_rollout", &score, "rewards"_arg, "values"_arg, "dones"_arg, "next_values"_arg,
      "best_returns"_arg = nb::none(), nb::kw_only(), "gamma"_arg = 0.995, "gae_lambda"_arg = 0.98,
      nb::sig("def score_rollout(rewards: numpy.typing.ArrayLike, values: numpy.typing.ArrayLike, "
              "dones: numpy.typing.ArrayLike, next_values: numpy.typing.ArrayLike, best_returns: "
              "numpy.typing.ArrayLike | None = None, *, gamma: float = 0.995, gae_lambda: float = "
              "0.98) -> RolloutResults"),
      "Scores a rollout in which every environment repeats one level.\n\n"
      "rewards, values, dones: [T, N]; rewards are not normalized\n"
      "next_values: [N], the values of the observations after the last step\n"
      "best_returns: [N], the highest return on each level so far; 0 for new levels\n\n"
      "Scores are means over the episodes that ended; -inf without one.");
}

// ---- LevelBuffer -------------------------------------------------------------------------------

void bind_buffer(nb::module_& module) {
  static const std::string doc =
      "A buffer of levels with scores, from which levels are drawn by rank and staleness.\n\n" +
      settings_help<LevelBufferConfig>();
  static const std::string signature = init_signature<LevelBufferConfig>("*, seed: int = 1");
  // A buffer with the random stream of its draws, and the process that it belongs to.
  struct Buffer {
    LevelBuffer buffer;
    Random random;
    HomeProcess home = {};
    LevelBuffer& use() {
      home.check("LevelBuffer");
      return buffer;
    }
    std::vector<std::byte> save() const {
      ByteWriter writer;
      writer.random(random);
      writer.numbers<std::byte>(buffer.save());
      return writer.seal("level buffer with stream", 1);
    }
    void load(std::span<const std::byte> bytes) {
      ByteReader reader(bytes, "level buffer with stream", 1);
      const Random stream = reader.random();
      const auto inner = reader.numbers<std::byte>(bytes.size());
      reader.expect_end();
      use().load(inner);
      random = stream;
    }
  };
  nb::class_<Buffer> type(module, "LevelBuffer", doc.c_str());
  bind_state_dict(type);
  type.def(
          "__init__",
          [](Buffer* self, nb::handle seed, const nb::kwargs& settings) {
            LevelBufferConfig config;
            set_fields(settings, config);
            new (self) Buffer{LevelBuffer(config), stream_of(seed)};
          },
          nb::kw_only(), "seed"_arg = 1, "settings"_arg, nb::sig(signature.c_str()))
      .def(
          "insert",
          [](Buffer& self, nb::handle level, nb::handle given, nb::handle best_return) {
            return self.use().insert(whole_from("level", level), number_from("score", given),
                                     number_from("best_return", best_return));
          },
          "level"_arg, "score"_arg, "best_return"_arg = 0.0,
          nb::sig("def insert(self, level: int, score: float, best_return: float = 0.0) -> int | "
                  "None"),
          "Inserts a level and returns its slot, or None if it was refused.")
      .def(
          "draw",
          [](Buffer& self) {
            if (self.buffer.size() == 0) throw std::runtime_error("the level buffer is empty");
            const LevelBuffer::Draw draw = self.use().draw(self.random);
            return std::pair(draw.slot, draw.level);
          },
          nb::sig("def draw(self) -> tuple[int, int]"), "Draws a slot; returns slot and level.")
      .def(
          "update",
          [](Buffer& self, nb::handle slot, nb::handle given, nb::handle best_return) {
            constexpr auto kLast = std::numeric_limits<LevelBuffer::Slot>::max();
            self.use().update(static_cast<LevelBuffer::Slot>(whole_from("slot", slot, kLast)),
                              number_from("score", given), number_from("best_return", best_return));
          },
          "slot"_arg, "score"_arg, "best_return"_arg,
          nb::sig("def update(self, slot: int, score: float, best_return: float) -> None"),
          "Sets score and best return of a slot.")
      .def(
          "best_return",
          [](const Buffer& self, nb::handle level) {
            return self.buffer.best_return(whole_from("level", level));
          },
          "level"_arg, nb::sig("def best_return(self, level: int) -> float | None"),
          "The best return of a level; None if the buffer does not hold it.")
      .def_prop_ro("can_replay", [](const Buffer& self) { return self.buffer.can_replay(); })
      .def(
          "weights", [](const Buffer& self) { return weight_table(self.buffer.weights()); },
          nb::sig("def weights(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "The levels by slot, as columns: level, probability, score, staleness, is_scored.")
      .def("__len__", [](const Buffer& self) { return self.buffer.size(); });
}

// ---- Curricula ---------------------------------------------------------------------------------

nb::dict plan_of(RolloutHandle& self, nb::handle num_envs) {
  const RolloutPlan& plan = self.use().plan(whole_from("num_envs", num_envs, 1 << 20));
  nb::dict described;
  described["levels"] = to_numpy(std::vector<LevelId>(plan.levels));
  described["best_returns"] = to_numpy(std::vector<double>(plan.best_returns));
  described["kind"] = to_text(plan.kind);
  described["learn"] = plan.learn;
  return described;
}

void bind_base(nb::module_& module) {
  nb::class_<RolloutHandle> type(
      module, "RolloutCurriculum",
      "Base class of curricula that decide once per rollout:\n\n"
      "    plan = curriculum.plan(num_envs)\n"
      "    ...                                  # a rollout that repeats plan['levels']\n"
      "    curriculum.record(plr.score_rollout(..., plan['best_returns']))\n"
      "    if plan['learn']: ...                # update the agent");
  bind_state_dict(type);
  type.def("plan", &plan_of, "num_envs"_arg,
           nb::sig("def plan(self, num_envs: int) -> dict[str, typing.Any]"),
           "The next rollout: levels [N], best_returns [N], kind and learn.")
      .def(
          "record",
          [](RolloutHandle& self, nb::handle results) {
            if (!nb::isinstance<RolloutResults>(results)) {
              refuse_type("results", "the result of plr.score_rollout", results);
            }
            self.use().record(nb::cast<const RolloutResults&>(results).results);
          },
          "results"_arg, nb::sig("def record(self, results: RolloutResults) -> None"),
          "Records the results of the planned rollout.")
      .def(
          "levels_to_survey",
          [](const RolloutHandle& self) { return to_numpy(self.look().levels_to_survey()); },
          "Levels of which the success rates are needed before the next plan; usually none.")
      .def(
          "record_survey",
          [](RolloutHandle& self, nb::handle rates) {
            self.use().record_survey(take<double>("success_rates", rates, {kAny}).span());
          },
          "success_rates"_arg,
          nb::sig("def record_survey(self, success_rates: numpy.typing.ArrayLike) -> None"),
          "The success rates of levels_to_survey(), in this order.")
      .def(
          "levels_in_use",
          [](const RolloutHandle& self) { return to_numpy(self.look().levels_in_use()); },
          "All levels that may be planned or edited again, for LevelStore.keep().")
      .def(
          "weights", [](const RolloutHandle& self) { return weight_table(self.look().weights()); },
          nb::sig("def weights(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
          "The levels that may be replayed, as columns: level, probability, score, staleness, "
          "is_scored.");
}

// A function that Python passed; None is nothing.
nb::object function_from(const char* name, nb::handle value) {
  if (!value.is_none() && PyCallable_Check(value.ptr()) == 0) {
    refuse_type(name, "a function", value);
  }
  return nb::borrow(value);
}

LevelTools tools_from(nb::handle env, nb::handle store, nb::handle edit,
                      nb::handle optimal_return) {
  if (!store.is_none() && !nb::isinstance<LevelStore>(store)) {
    refuse_type("store", "a plr.LevelStore", store);
  }
  if (!env.is_none() && store.is_none()) {
    throw std::invalid_argument("store must be given with env: make_vec(env, ..., store=store)");
  }
  LevelTools tools;
  if (!env.is_none()) {
    tools = catalog::level_tools(text_from("env", env), {},
                                 nb::cast<std::shared_ptr<LevelStore>>(store));
  }
  if (const nb::object call = function_from("edit", edit); !call.is_none()) {
    tools.edit = [call](LevelId parent, int num_edits, Random&) -> LevelId {
      return whole_from("the level that edit returns", call(parent, num_edits));
    };
  }
  if (const nb::object call = function_from("optimal_return", optimal_return); !call.is_none()) {
    tools.optimal_return = [call](LevelId level) {
      return number_from("the value of optimal_return", call(level));
    };
  }
  return tools;
}

template <class T>
using OwnedRollout = Owned<T, RolloutCurriculum>;

void bind_replay(nb::module_& module) {
  static const std::string doc =
      "PLR, robust PLR and ACCEL, deciding once per rollout.\n\n"
      "    store = plr.LevelStore()\n"
      "    envs = plr.make_vec('maze/random-25', 32, curriculum='repeat', store=store)\n"
      "    accel = plr.RolloutReplay(envs.full_distribution, env='maze/random-25', store=store,\n"
      "                              num_edits=5)\n\n"
      "env and store give the edits and solutions of an environment of plr; for your own pass\n"
      "edit(parent, num_edits) -> level and optimal_return(level) -> float.\n\n" +
      settings_help<RolloutReplayConfig>();
  static const std::string signature = init_signature<RolloutReplayConfig>(
      "levels: " + std::string(kLevelsType) +
      ", *, seed: int = 1, env: str | None = None, store: LevelStore | None = None, edit: "
      "collections.abc.Callable[[int, int], int] | None = None, optimal_return: "
      "collections.abc.Callable[[int], float] | None = None");
  nb::class_<OwnedRollout<RolloutReplay>, RolloutHandle>(module, "RolloutReplay", doc.c_str())
      .def(
          "__init__",
          [](OwnedRollout<RolloutReplay>* self, nb::handle levels, nb::handle seed, nb::handle env,
             nb::handle store, nb::handle edit, nb::handle optimal_return,
             const nb::kwargs& settings) {
            RolloutReplayConfig config;
            set_fields(settings, config);
            new (self) OwnedRollout<RolloutReplay>(
                "RolloutReplay", {levels_from(levels), config,
                                  tools_from(env, store, edit, optimal_return), stream_of(seed)});
          },
          "levels"_arg, nb::kw_only(), "seed"_arg = 1, "env"_arg = nb::none(),
          "store"_arg = nb::none(), "edit"_arg = nb::none(), "optimal_return"_arg = nb::none(),
          "settings"_arg, nb::sig(signature.c_str()));
}

void bind_sfl(nb::module_& module) {
  static const std::string doc =
      "Sampling for learnability: half of the environments play levels that are solved "
      "sometimes.\n\n" +
      settings_help<SflConfig>();
  static const std::string signature =
      init_signature<SflConfig>("levels: " + std::string(kLevelsType) + ", *, seed: int = 1");
  nb::class_<OwnedRollout<Sfl>, RolloutHandle>(module, "Sfl", doc.c_str())
      .def(
          "__init__",
          [](OwnedRollout<Sfl>* self, nb::handle levels, nb::handle seed,
             const nb::kwargs& settings) {
            SflConfig config;
            set_fields(settings, config);
            new (self) OwnedRollout<Sfl>("Sfl", {levels_from(levels), config, stream_of(seed)});
          },
          "levels"_arg, nb::kw_only(), "seed"_arg = 1, "settings"_arg, nb::sig(signature.c_str()));
}

}  // namespace

void bind_rollout_curricula(nb::module_& module) {
  bind_store(module);
  bind_scores(module);
  bind_buffer(module);
  bind_base(module);
  bind_replay(module);
  bind_sfl(module);
}

}  // namespace plr::python
