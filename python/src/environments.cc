// Bindings of the environments: LevelPlayer, with the GIL released, and the list of names.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "handles.h"
#include "level_player.h"
#include "numbers.h"
#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"
#include "plr/core/curriculum.h"
#include "plr/core/level_replay.h"
#include "plr/core/tscl.h"
#include "plr/core/uniform.h"
#include "settings.h"

namespace plr::python {
namespace {

// Throws if another thread is using the environment: it is not thread-safe, and the GIL is released
// while it steps.
class InUse {
 public:
  explicit InUse(std::atomic<bool>& flag) : flag_(flag) {
    if (flag_.exchange(true)) {
      throw std::runtime_error("this environment is in use by another thread; use one per thread");
    }
  }
  ~InUse() { flag_ = false; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  std::atomic<bool>& flag_;
};

constexpr const char* kActionTypes = "actions must be int64, int32 or uint8";
constexpr const char* kFloatTypes = "actions must be float32 or float64";

class Environment {
 public:
  Environment(std::string_view name, const EnvOptions& options) : player_(make(name, options)) {
    const auto num_slots = static_cast<std::size_t>(player_.spec().num_slots);
    actions_.resize(num_slots * space().size());
    starts_.reserve(num_slots);
  }

  LevelPlayer& player() { return player_; }
  const LevelPlayer& player() const { return player_; }

  void start(const std::vector<int>& slots, nb::handle levels) {
    const InUse guard(in_use_);
    const auto ids = take<LevelId>("levels", levels, {slots.size()});
    starts_.clear();
    for (std::size_t i = 0; i < slots.size(); ++i) starts_.push_back({slots[i], ids.span()[i]});
    const nb::gil_scoped_release release;
    player_.start(starts_);
  }

  // Returns the number of episodes that ended. `curriculum` chooses the next level of each: in the
  // same step, or with `next_step` when the slot is to step again, which starts the level instead.
  // Without a curriculum (None), the slots wait for start().
  std::size_t step(nb::handle actions, nb::handle curriculum, bool next_step) {
    const InUse guard(in_use_);
    nb::ndarray<nb::ro, nb::device::cpu> array;
    if (!nb::try_cast(actions, array)) throw nb::type_error(action_types());
    read(array);
    starts_.clear();
    if (next_step) {
      waiting_.clear();
      for (int slot = 0; slot < player_.spec().num_slots; ++slot) {
        if (player_.has_ended(slot)) waiting_.push_back(slot);
      }
      // With the GIL, because other threads may record results.
      choose_next(curriculum, waiting_);
    }
    {
      const nb::gil_scoped_release release;
      player_.step(actions_, starts_);
    }
    const std::size_t num_ended = player_.ended().size();
    if (num_ended == 0 || next_step || curriculum.is_none()) return num_ended;
    choose_next(curriculum, player_.ended());
    const nb::gil_scoped_release release;
    player_.start(starts_);
    return num_ended;
  }

  std::string mission(nb::handle value) {
    const InUse guard(in_use_);
    const int slot = slot_from(value);
    return std::string(player_.env().mission(slot));
  }

  image::Image frame(nb::handle value, nb::handle tile_size) {
    const InUse guard(in_use_);
    const int slot = slot_from(value);
    if (!player_.env().level(slot)) throw std::runtime_error("call reset() before render()");
    const std::size_t size = player_.spec().observation_size();
    const auto observation =
        player_.batch().observations.subspan(static_cast<std::size_t>(slot) * size, size);
    return catalog::render_frame(
        player_.env(), slot, observation,
        {.tile_size = static_cast<int>(whole_from("tile_size", tile_size, 1024))});
  }

 private:
  int slot_from(nb::handle value) const {
    const auto last = static_cast<std::uint64_t>(player_.spec().num_slots) - 1;
    return static_cast<int>(whole_from("slot", value, last));
  }

  static std::unique_ptr<VectorEnv> make(std::string_view name, const EnvOptions& options) {
    const nb::gil_scoped_release release;  // Procgen reads its images
    return catalog::make_env(name, options);
  }

  const ActionSpace& space() const { return player_.spec().actions; }
  const char* action_types() const { return space().is_continuous() ? kFloatTypes : kActionTypes; }

  template <class Number>
  void copy(const nb::ndarray<nb::ro, nb::device::cpu>& from) {
    const auto* data = static_cast<const Number*>(from.data());
    const std::size_t size = space().size();
    const std::int64_t next_word = from.ndim() == 2 ? from.stride(1) : 0;
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      const auto slot = static_cast<std::int64_t>(i / size);
      const auto word = static_cast<std::int64_t>(i % size);
      const Number number = data[slot * from.stride(0) + word * next_word];
      if constexpr (std::is_floating_point_v<Number>) {
        actions_[i] = to_word(static_cast<float>(number));  // step() checks the bounds
      } else {
        // Checked before the conversion to Action, which could change the value.
        const auto value = static_cast<std::int64_t>(number);
        if (value < 0 || value >= space().counts[i % size]) refuse(i, value);
        actions_[i] = static_cast<Action>(value);
      }
    }
  }

  [[noreturn]] void refuse(std::size_t i, std::int64_t value) const {
    const std::size_t size = space().size();
    throw std::invalid_argument(
        "action of slot " + std::to_string(i / size) +
        (size > 1 ? " at position " + std::to_string(i % size) : "") + " must be from 0 to " +
        std::to_string(space().counts[i % size] - 1) + ", not " + std::to_string(value));
  }

  // [N] of a discrete space, else [N, W].
  void check_shape(const nb::ndarray<nb::ro, nb::device::cpu>& actions) const {
    const auto text = [](const std::vector<std::size_t>& lengths) {
      std::string list;
      for (const std::size_t length : lengths) {
        list += (list.empty() ? "" : ", ") + std::to_string(length);
      }
      return "[" + list + "]";
    };
    std::vector<std::size_t> expected = {actions_.size() / space().size()};
    if (!space().is_discrete()) expected.push_back(space().size());
    std::vector<std::size_t> shape(actions.ndim());
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = actions.shape(i);
    if (shape == expected) return;
    throw std::invalid_argument("actions must have the shape " + text(expected) + ", not " +
                                text(shape));
  }

  void read(const nb::ndarray<nb::ro, nb::device::cpu>& actions) {
    check_shape(actions);
    if (space().is_continuous()) {
      if (actions.dtype() == nb::dtype<float>()) return copy<float>(actions);
      if (actions.dtype() == nb::dtype<double>()) return copy<double>(actions);
    } else {
      if (actions.dtype() == nb::dtype<std::int64_t>()) return copy<std::int64_t>(actions);
      if (actions.dtype() == nb::dtype<std::int32_t>()) return copy<std::int32_t>(actions);
      if (actions.dtype() == nb::dtype<std::uint8_t>()) return copy<std::uint8_t>(actions);
    }
    throw nb::type_error(action_types());
  }

  // Whether it is one of plr's classes, and not a subclass, which may override next().
  static bool is_ours(nb::handle curriculum) {
    const nb::handle type = curriculum.type();
    return type.is(nb::type<Owned<LevelReplay, Curriculum>>()) ||
           type.is(nb::type<Owned<Uniform, Curriculum>>()) ||
           type.is(nb::type<Owned<Tscl, Curriculum>>());
  }

  // Sets starts_ to the next levels of these slots.
  void choose_next(nb::handle curriculum, std::span<const int> slots) {
    starts_.clear();
    if (slots.empty()) return;
    if (nb::isinstance<nb::str>(curriculum)) {  // "repeat"
      for (const int slot : slots) {
        starts_.push_back({slot, player_.levels()[static_cast<std::size_t>(slot)]});
      }
    } else if (is_ours(curriculum)) {
      Curriculum& ours = nb::cast<CurriculumHandle&>(curriculum).use();
      for (const int slot : slots) starts_.push_back({slot, ours.next()});
    } else {
      const nb::object next = curriculum.attr("next");
      for (const int slot : slots) starts_.push_back({slot, whole_from("level", next())});
    }
  }

  LevelPlayer player_;
  std::vector<Action> actions_;
  std::vector<Start> starts_;
  std::vector<int> waiting_;  // slots of the next step that start a level
  std::atomic<bool> in_use_ = false;
};

// In Python the number of slots is called num_envs.
EnvOptions options_from(nb::handle num_envs, const nb::kwargs& settings) {
  EnvOptions options;
  if (settings.contains("num_slots")) {
    throw std::invalid_argument("unknown setting 'num_slots'; did you mean num_envs?");
  }
  set_fields(settings, options);
  visit_fields(options, [&](std::string_view field, auto& value, const Bounds& bounds,
                            std::string_view /*help*/) {
    if (field != "num_slots") return;
    const std::string text = setting_text("num_envs", num_envs);
    int number = 0;
    parse_value("num_envs", text, number);
    check_value("num_envs", number, bounds);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, int>) value = number;
  });
  return options;
}

// A view of the environment's memory, which keeps the environment alive.
template <class T>
nb::object view(nb::handle owner, std::span<T> data, std::vector<std::size_t> shape,
                const char* as = nullptr) {
  nb::ndarray<nb::numpy, T> array(data.data(), shape.size(), shape.data(), owner);
  const nb::object object = array.cast();
  return as == nullptr ? object : object.attr("view")(as);
}

// [N, H, W, C]; [N, n] for vectors.
std::vector<std::size_t> observations_shape(const EnvSpec& spec) {
  const auto [height, width, channels] = spec.observation_shape;
  const auto num_slots = static_cast<std::size_t>(spec.num_slots);
  const auto last = static_cast<std::size_t>(channels);
  if (height == 1 && width == 1) return {num_slots, last};
  return {num_slots, static_cast<std::size_t>(height), static_cast<std::size_t>(width), last};
}

// A view of observations, of the elements that the spec names.
nb::object observations_view(nb::handle owner, std::span<std::uint8_t> bytes, const EnvSpec& spec) {
  const std::vector<std::size_t> shape = observations_shape(spec);
  if (spec.observation_type == ElementType::kByte) return view(owner, bytes, shape);
  nb::ndarray<nb::numpy, float> array(bytes.data(), shape.size(), shape.data(), owner);
  return array.cast();
}

// Kind and sizes of the actions, for the spaces of Gymnasium.
nb::dict action_space_of(const Environment& self) {
  const ActionSpace& space = self.player().spec().actions;
  nb::dict parts;
  parts["kind"] = space.is_continuous() ? "continuous"
                  : space.is_discrete() ? "discrete"
                                        : "multi-discrete";
  parts["counts"] = space.counts;
  parts["low"] = space.low;
  parts["high"] = space.high;
  return parts;
}

nb::dict arrays_of(nb::handle_t<Environment> self) {
  LevelPlayer& player = nb::cast<Environment&>(self).player();
  const StepBatch batch = player.batch();
  const std::vector<std::size_t> n = {player.levels().size()};
  nb::dict arrays;
  arrays["observations"] = observations_view(self, batch.observations, player.spec());
  arrays["rewards"] = view(self, batch.rewards, n);
  arrays["terminated"] = view(self, batch.terminated, n, "bool");
  arrays["truncated"] = view(self, batch.truncated, n, "bool");
  arrays["levels"] = view(self, player.levels(), n);
  arrays["final_observations"] =
      observations_view(self, player.final_observations(), player.spec());
  arrays["final_levels"] = view(self, player.final_levels(), n);
  arrays["final_returns"] = view(self, player.final_returns(), n);
  arrays["final_lengths"] = view(self, player.final_lengths(), n);
  arrays["solved"] = view(self, player.solved(), n, "bool");
  return arrays;
}

nb::object frame(Environment& self, nb::handle slot, nb::handle tile_size) {
  const image::Image image = self.frame(slot, tile_size);
  std::vector<std::uint8_t> bytes;
  for (int y = 0; y < image.height(); ++y) {
    for (const image::Rgb pixel : image.row(y)) {
      bytes.insert(bytes.end(), {pixel.red, pixel.green, pixel.blue});
    }
  }
  return to_numpy(std::move(bytes)).cast().attr("reshape")(image.height(), image.width(), 3);
}

nb::list environments_list() {
  nb::list list;
  for (const EnvInfo& info : catalog::environments()) {
    nb::dict entry;
    entry["name"] = info.name;
    entry["group"] = info.group;
    entry["summary"] = info.summary;
    entry["max_steps"] = info.max_steps;
    entry["num_actions"] = info.actions.num_choices();
    entry["actions"] = to_text(info.actions);
    list.append(entry);
  }
  return list;
}

std::string files_variable(nb::handle name) {
  const Family* family = catalog::find_family(text_from("name", name));
  return family != nullptr ? family->files_variable : "";
}

}  // namespace

void bind_environments(nb::module_& module) {
  static const std::string signature = init_signature<EnvOptions>(
      "name: str, num_envs: int, *, store: LevelStore | None = None", "num_slots");
  nb::class_<Environment>(module, "Environment",
                          "Slots that play levels one after another; plr.make_vec wraps it as a "
                          "Gymnasium environment.")
      .def(
          "__init__",
          [](Environment* self, nb::handle name, nb::handle num_envs, nb::handle store,
             const nb::kwargs& settings) {
            const std::string_view text = text_from("name", name);
            EnvOptions options = options_from(num_envs, settings);
            if (!store.is_none()) {
              if (!nb::isinstance<LevelStore>(store)) {
                refuse_type("store", "a plr.LevelStore", store);
              }
              options.store = nb::cast<std::shared_ptr<LevelStore>>(store);
            }
            new (self) Environment(text, options);
          },
          "name"_arg, "num_envs"_arg, nb::kw_only(), "store"_arg = nb::none(), "settings"_arg,
          nb::sig(signature.c_str()))
      .def("start", &Environment::start, "slots"_arg, "levels"_arg,
           nb::sig("def start(self, slots: collections.abc.Sequence[int], levels: "
                   "numpy.typing.ArrayLike) -> None"),
           "Starts a level in each of these slots.")
      .def("step", &Environment::step, "actions"_arg, "curriculum"_arg, "next_step"_arg = false,
           nb::sig("def step(self, actions: numpy.typing.NDArray[typing.Any], curriculum: "
                   "typing.Any, next_step: bool = False) -> int"),
           "Takes one action in every slot.  Where it ends an episode, the curriculum chooses the "
           "next level, or the slot starts its level again if `curriculum` is 'repeat'; without a "
           "curriculum, the slot waits for start().  With `next_step`, the level starts in the "
           "next step, in which the slot takes no action and has the reward 0.  Returns the number "
           "of ended episodes.")
      .def("arrays", &arrays_of,
           nb::sig("def arrays(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
           "Views of the arrays that a step writes.")
      .def("frame", &frame, "slot"_arg, "tile_size"_arg = 24,
           nb::sig("def frame(self, slot: int, tile_size: int = 24) -> "
                   "numpy.typing.NDArray[numpy.uint8]"),
           "An image of the slot, [height, width, 3].")
      .def("mission", &Environment::mission, "slot"_arg,
           nb::sig("def mission(self, slot: int) -> str"),
           "The task of the slot as text; empty if there is none.")
      .def(
          "difficulty",
          [](const Environment& self, nb::handle level) {
            return self.player().env().difficulty(whole_from("level", level));
          },
          "level"_arg, nb::sig("def difficulty(self, level: int) -> int | None"),
          "Difficulty from 0, the easiest; None if it is not defined.")
      .def_prop_ro("name", [](const Environment& self) { return self.player().spec().name; })
      .def_prop_ro(
          "num_actions",
          [](const Environment& self) { return self.player().spec().actions.num_choices(); })
      .def_prop_ro("action_space", &action_space_of,
                   nb::sig("def action_space(self) -> dict[str, typing.Any]"))
      .def_prop_ro("max_steps",
                   [](const Environment& self) { return self.player().spec().max_steps; })
      .def_prop_ro("full_distribution",
                   [](const Environment& self) { return self.player().spec().full_distribution; });
  module.def("environments", &environments_list,
             nb::sig("def environments() -> list[dict[str, typing.Any]]"),
             "All environments: name, group, summary, max_steps, num_actions (0 unless an action "
             "is one choice) and actions, as text, of each.");
  module.def("files_variable", &files_variable, "name"_arg,
             nb::sig("def files_variable(name: str) -> str"),
             "The environment variable that names the folder of files which the environment needs; "
             "empty if it needs none.");
}

}  // namespace plr::python
